import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { runPeriodically } from './run-periodically.ts'

/** Work that ends when it is told to. */
function begin(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const ends: (() => void)[] = []
  let isTold: (() => boolean) | undefined
  const work = (isStopped: () => boolean) => {
    isTold = isStopped
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.push(resolve)
    return promise
  }
  return {
    ...runPeriodically(1000, work),
    ends,
    isTold: () => isTold?.(),
    tick: () => t.mock.timers.tick(1000),
  }
}

test('repeated work runs at once and then at every interval', async (t) => {
  const { ends, tick } = begin(t)
  assert.equal(ends.length, 1)
  for (const count of [2, 3]) {
    ends.at(-1)?.()
    await turn()
    tick()
    assert.equal(ends.length, count)
  }
})

test('while a run takes longer than the interval, no other run starts or queues up', async (t) => {
  const { ends, tick } = begin(t)
  for (let count = 0; count < 5; count += 1) tick()
  assert.equal(ends.length, 1)
  ends[0]?.()
  await turn()
  assert.equal(ends.length, 1)
  tick()
  assert.equal(ends.length, 2)
})

test('stopping signals the current run, waits for it, and starts no further run', async (t) => {
  const { ends, tick, stop, isTold } = begin(t)
  assert.equal(isTold(), false)
  let isOver = false
  const stopping = stop().then(() => (isOver = true))
  await turn()
  assert.deepEqual([isTold(), isOver], [true, false])
  ends[0]?.()
  await stopping
  tick()
  assert.equal(ends.length, 1)
})
