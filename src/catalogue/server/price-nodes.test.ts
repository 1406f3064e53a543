import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nodesOfPrices } from './price-nodes.ts'

const price = fc.oneof(fc.integer({ min: 0, max: 99_999_999 }), fc.integer({ min: 0, max: 30_000 }))

test('the nodes of a price range cover each of its cents exactly once, and no others', () => {
  fc.assert(
    fc.property(price, price, fc.array(price), (min, max, others) => {
      const nodes = nodesOfPrices(min, max)
      const edges = [min, max].flatMap((cents) => [cents - 1, cents, cents + 1])
      for (const cents of [...edges, ...others].filter((each) => each >= 0)) {
        const times = nodes.filter(({ level, first, last }) => {
          const node = Math.floor(cents / 100 ** level)
          return first <= node && node <= last
        }).length
        assert.equal(times, cents >= min && cents <= max ? 1 : 0, `${cents}`)
      }
      assert.ok(nodes.reduce((sum, { first, last }) => sum + last - first + 1, 0) <= 1000)
    }),
  )
})

test('the range of all prices is a single node, and an empty range has no nodes', () => {
  assert.deepEqual(nodesOfPrices(), [{ level: 4, first: 0, last: 0 }])
  assert.deepEqual(nodesOfPrices(0, 99_999_999_900), [{ level: 4, first: 0, last: 0 }])
  assert.deepEqual(nodesOfPrices(10_000, 5000), [])
  assert.deepEqual(nodesOfPrices(100_000_000_000), [])
})
