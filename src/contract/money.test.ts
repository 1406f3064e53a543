import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { centsFromDollars, dollarsFromCents, formatDollars, totalCents } from './money.ts'

const highestCents = 99_999_999
const anyCents = fc.integer({ min: 1, max: highestCents })
const anyLine = fc.record({ priceCents: anyCents, quantity: fc.integer({ min: 1, max: 99 }) })

/** Slow but exact: BigInt has no fractions and loses no digit. */
const exactTotal = (lines: readonly { priceCents: number; quantity: number }[]) =>
  lines.reduce((sum, { priceCents, quantity }) => sum + BigInt(priceCents) * BigInt(quantity), 0n)

/** A random generator that is quick enough for a million carts; its seed is printed when a cart fails. */
function dice(seed: number): (highest: number) => number {
  let state = seed
  return (highest) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return 1 + Math.floor((state / 4_294_967_296) * highest)
  }
}

test('the lines of a million random carts add up to their totals, to the cent', () => {
  const seed = Date.now() >>> 0
  const roll = dice(seed)
  for (let cart = 0; cart < 1_000_000; cart++) {
    const lines = Array.from({ length: roll(6) }, () => ({
      // Small prices too: those are where a fraction of a dollar is not exact.
      priceCents: roll(roll(2) === 1 ? 2000 : highestCents),
      quantity: roll(99),
    }))
    const total = totalCents(lines)
    let sum = 0
    for (const line of lines) sum += totalCents([line])
    if (sum !== total || !Number.isSafeInteger(total)) {
      assert.fail(`seed ${seed}, cart ${cart}: ${JSON.stringify(lines)} is ${total}, its parts ${sum}`)
    }
    if (cart % 100 === 0) assert.equal(BigInt(total), exactTotal(lines), `seed ${seed}, cart ${cart}`)
  }
})

test('a total is exact, whatever the order of the lines and however they are split', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 50 }), fc.nat(50), (lines, at) => {
      const total = totalCents(lines)
      assert.equal(BigInt(total), exactTotal(lines))
      assert.equal(total, totalCents(lines.toReversed()))
      assert.equal(total, totalCents(lines.slice(0, at)) + totalCents(lines.slice(at)))
      const singles = lines.flatMap((line) =>
        Array.from({ length: line.quantity }, () => ({ ...line, quantity: 1 })),
      )
      assert.equal(total, totalCents(singles))
    }),
    { numRuns: 2000 },
  )
})

test('prices convert to dollars and back unchanged: all up to $9,999.99, and samples up to $999,999.99', () => {
  const isKept = (cents: number) =>
    centsFromDollars(dollarsFromCents(cents)) === cents &&
    // Through JSON, as it travels.
    centsFromDollars(Number(JSON.parse(JSON.stringify(dollarsFromCents(cents))))) === cents
  for (let cents = 1; cents <= 999_999; cents++) {
    if (centsFromDollars(dollarsFromCents(cents)) !== cents) assert.fail(`${cents} cents`)
  }
  for (let cents = 1_000_000; cents <= highestCents; cents += 97) {
    if (centsFromDollars(dollarsFromCents(cents)) !== cents) assert.fail(`${cents} cents`)
  }
  fc.assert(fc.property(anyCents, isKept), { numRuns: 20_000 })
  assert.ok(isKept(highestCents))
})

test('typed dollar amounts convert to the right cents, and are formatted as typed', () => {
  fc.assert(
    fc.property(anyCents, (cents) => {
      const [whole, part] = [Math.floor(cents / 100), String(cents % 100).padStart(2, '0')]
      const typed = `${whole}.${part}`
      assert.equal(centsFromDollars(Number(typed)), cents)
      assert.equal(formatDollars(dollarsFromCents(cents)).replace(/[$,]/g, ''), typed)
    }),
    { numRuns: 20_000 },
  )
})
