import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { freePort } from '#shop/testing/free-port.ts'
import { listen } from '#shop/testing/listen.ts'
import { until } from '#shop/testing/until.ts'
import { checkout, clientOf, goodCard, makeFolder, submit } from './testing.ts'

function startProcess(t: TestContext, port: number, folder: string) {
  const env = {
    PATH: process.env['PATH'],
    PRACTICE_PORT: String(port),
    PRACTICE_STORE: folder,
    PRACTICE_WEBHOOK_SECRET: 'whsec_practice',
  }
  const main = join(import.meta.dirname, 'main.ts')
  const child = spawn(process.execPath, [main], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (text) => (printed += String(text)))
  child.stderr.on('data', (text) => (printed += String(text)))
  const ended = once(child, 'close').then(([code]: unknown[]) => ({ code, printed }))
  return { child, ended }
}

async function isUp(port: number): Promise<boolean> {
  return fetch(`http://localhost:${port}/health`).then(
    (response) => response.ok,
    () => false,
  )
}

test('the provider serves, prints nothing, and exits when its parent is gone', async (t) => {
  const port = await freePort()
  const { child, ended } = startProcess(t, port, await makeFolder(t))
  await until(() => isUp(port), 'it serves')
  child.stdin.end()
  assert.deepEqual(await ended, { code: 0, printed: '' })
})

test('the provider exits on SIGTERM, but not on the SIGINT that is meant for its parent', async (t) => {
  const port = await freePort()
  const { child, ended } = startProcess(t, port, await makeFolder(t))
  await until(() => isUp(port), 'it serves')
  child.kill('SIGINT')
  assert.ok(await isUp(port))
  child.kill('SIGTERM')
  assert.deepEqual(await ended, { code: 0, printed: '' })
})

test('a port in use is reported in one line', async (t) => {
  const server = createServer()
  const { port } = await listen(server)
  t.after(() => server.close())
  const { code, printed } = await startProcess(t, port, await makeFolder(t)).ended
  assert.equal(code, 1)
  assert.equal(printed, `practice provider: PRACTICE_PORT ${port} is already in use\n`)
})

test('a missing setting is reported in one line', async (t) => {
  const { code, printed } = await startProcess(t, 0, '').ended
  assert.equal(code, 1)
  assert.match(printed, /^practice provider: PRACTICE_STORE is missing or wrong: .*\n$/)
})

test('kill -9 under load loses no session or payment that was acknowledged', async (t) => {
  const [port, folder] = [await freePort(), await makeFolder(t)]
  const first = startProcess(t, port, folder)
  await until(() => isUp(port), 'it serves')
  const stripe = clientOf(port)
  const answered: string[] = []
  const paid: string[] = []
  const buyer = async () => {
    for (;;) {
      const { id, url } = await stripe.checkout.sessions.create(checkout, { maxNetworkRetries: 0 })
      answered.push(id)
      if ((await submit(url, goodCard)).status === 303) paid.push(id)
    }
  }
  const buyers = Promise.allSettled([buyer(), buyer(), buyer(), buyer()])
  await until(async () => paid.length > 40, 'there is something to lose')
  first.child.kill('SIGKILL')
  await buyers
  startProcess(t, port, folder)
  await until(() => isUp(port), 'it serves again')
  for (const id of answered) {
    const session = await stripe.checkout.sessions.retrieve(id)
    if (paid.includes(id)) assert.equal(session.payment_status, 'paid')
    assert.equal(session.payment_intent === null, session.payment_status === 'unpaid')
  }
})
