import { Agent, request } from 'node:http'
import type { CallRequest } from './list-calls.ts'

const agent = new Agent({ keepAlive: true })

/**
 * Milliseconds until a whole response has arrived. `fetch` would add a quarter of a millisecond in this process.
 */
export async function timeAnswer(
  port: number,
  { path, method = 'GET', body, authorization }: CallRequest,
): Promise<number> {
  const began = performance.now()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  request({ agent, host: '127.0.0.1', port, path, method, headers }, (response) => {
    const { statusCode = 0 } = response
    const chunks: Buffer[] = []
    response
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('error', reject)
      .on('end', () => {
        if (statusCode >= 200 && statusCode < 300) resolve()
        else
          reject(
            new Error(`${method} ${path} was answered ${statusCode}: ${Buffer.concat(chunks).toString()}`),
          )
      })
  })
    .on('error', reject)
    .end(body === undefined ? undefined : JSON.stringify(body))
  await promise
  return performance.now() - began
}
