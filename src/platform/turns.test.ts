import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnQueue, TurnRefused } from './turns.ts'

test('only the given number of jobs run at once; the others follow in turn, even after a failure', async () => {
  const inTurn = createTurnQueue({ most: 2 })
  const started: number[] = []
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<number>())
  const answers = works.map((work, index) =>
    inTurn(() => {
      started.push(index)
      return work.promise
    }),
  )
  await Promise.resolve()
  assert.deepEqual(started, [0, 1])
  works[1]?.reject(new Error('it fails'))
  await assert.rejects(answers[1] ?? Promise.resolve(), /it fails/)
  await Promise.resolve()
  assert.deepEqual(started, [0, 1, 2])
  const last = inTurn(async () => void started.push(5))
  await Promise.resolve()
  assert.deepEqual(started, [0, 1, 2])
  for (const [index, work] of works.entries()) work.resolve(index)
  assert.deepEqual(await Promise.all(answers.filter((_, index) => index !== 1)), [0, 2, 3, 4])
  await last
})

test('a job that waits too long for its turn is rejected and never started', async () => {
  const inTurn = createTurnQueue({ most: 1, patienceMs: 1 })
  const first = Promise.withResolvers<string>()
  const started = inTurn(() => first.promise)
  // The work in progress goes on.
  await assert.rejects(
    inTurn(() => Promise.reject(new Error('It was begun'))),
    TurnRefused,
  )
  first.resolve('done')
  assert.equal(await started, 'done')
  assert.equal(await inTurn(async () => 'as before'), 'as before')
})

test('the caller with the fewest requests goes first, and displaces one with more from a full queue', async () => {
  const inTurn = createTurnQueue({ most: 1, mostWaiting: 2 })
  const first = Promise.withResolvers<void>()
  const done: string[] = []
  const ask = (name: string, recentRequests: number) =>
    inTurn(async () => void done.push(name), recentRequests)
  const started = inTurn(() => first.promise, 9)
  const often = ask('often', 5)
  const oftener = assert.rejects(ask('oftener', 6), TurnRefused)
  const seldom = ask('seldom', 1)
  await oftener
  await assert.rejects(ask('as often', 5), TurnRefused)
  first.resolve()
  await Promise.all([started, often, seldom])
  assert.deepEqual(done, ['seldom', 'often'])
})

test('among callers with equally many requests, the last to arrive is displaced from a full queue', async () => {
  const inTurn = createTurnQueue({ most: 1, mostWaiting: 2 })
  const first = Promise.withResolvers<void>()
  const done: string[] = []
  const ask = (name: string, recentRequests: number) =>
    inTurn(async () => void done.push(name), recentRequests)
  const started = inTurn(() => first.promise)
  const earlier = ask('earlier', 5)
  const later = assert.rejects(ask('later', 5), TurnRefused)
  const seldom = ask('seldom', 1)
  await later
  first.resolve()
  await Promise.all([started, earlier, seldom])
  assert.deepEqual(done, ['seldom', 'earlier'])
})
