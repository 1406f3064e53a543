// A bare node:http server that sends the same bytes as the shop, as one writes it with what Node documents.
import { createServer } from 'node:http'

const answers = new Map<string, { type: string; body: Buffer }>()

const server = createServer((request, response) => {
  const found = answers.get(request.url ?? '')
  if (!found) return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': found.type, 'content-length': found.body.length })
  response.end(found.body)
})

process.on('message', (responses: [path: string, type: string, base64: string][]) => {
  for (const [path, type, base64] of responses)
    answers.set(path, { type, body: Buffer.from(base64, 'base64') })
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
})
