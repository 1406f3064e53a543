import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Chronicle } from './chronicle.ts'

test('a customer’s story has their own events and the shared events close to these, with repeats merged', (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const chronicle = new Chronicle()
  const at = (ms: number, text: string, customer?: number) => {
    now = ms
    chronicle.note(text, customer)
  }
  at(1000, 'kill -9: shop 2')
  at(5000, 'opens a checkout', 1)
  at(5100, 'opens a checkout', 2)
  at(8000, 'kill -9: database')
  at(9000, 'confirms: 200', 1)
  at(9001, 'confirms: 200', 1)
  at(9200, 'kill -9: shop 1')
  at(20_000, 'kill -9: guardian')
  assert.deepEqual(chronicle.story(1), [
    '  5.000 s  opens a checkout',
    '  8.000 s  ── kill -9: database',
    '  9.000 s  confirms: 200 (2 times)',
    '  9.200 s  ── kill -9: shop 1',
  ])
})
