import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { centsFromDollars } from '#shop/contract/money.ts'
import { changeOf, hasChanges, updatedLines, type ShopAnswer } from './cart-changes.ts'
import * as cart from './cart.ts'
import { linesFromStored } from './keep-cart.ts'

function line(_id: string, priceCents: number, quantity: number): cart.CartLine {
  return {
    _id,
    name: `Product ${_id}`,
    category: 'formal dress',
    description: '',
    price: priceCents / 100,
    oldPrice: null,
    image: null,
    color: 'blue',
    rating: 4,
    author: null,
    createdAt: '2026-01-01T00:00:00Z',
    quantity,
  }
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const anyLine = fc
  .tuple(id, fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 1, max: 99 }))
  .map(([_id, priceCents, quantity]) => line(_id, priceCents, quantity))
const anyLines = fc.uniqueArray(anyLine, { selector: (some) => some._id, maxLength: 6 })
const anyAction = fc.oneof(
  anyLine.map((some) => cart.add(some)),
  id.map((some) => cart.increment(some)),
  id.map((some) => cart.decrement(some)),
  id.map((some) => cart.remove(some)),
  anyLines.map((some) => cart.restore(some)),
  fc.constant(cart.clear()),
)

function cents(lines: readonly cart.CartLine[]): number {
  return lines.reduce((sum, some) => sum + centsFromDollars(some.price) * some.quantity, 0)
}

test('the total and the item count of any cart are the exact sums of its lines', () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      const { totalPrice, selectedItems } = cart.cartOf(lines)
      assert.equal(centsFromDollars(totalPrice), cents(lines))
      assert.equal(totalPrice, cents(lines) / 100)
      assert.equal(
        selectedItems,
        lines.reduce((sum, some) => sum + some.quantity, 0),
      )
    }),
  )
})

test('after any actions, totals match the lines, products are unique and quantities are from 1 to 99', () => {
  fc.assert(
    fc.property(anyLines, fc.array(anyAction, { maxLength: 60 }), (lines, actions) => {
      const end = actions.reduce(cart.cartReducer, cart.cartOf(lines))
      assert.deepEqual(end, cart.cartOf(end.products))
      assert.equal(new Set(end.products.map((some) => some._id)).size, end.products.length)
      assert.ok(end.products.every((some) => some.quantity >= 1 && some.quantity <= 99))
    }),
  )
})

test('adding appends with quantity 1; adding the same product again changes nothing', () => {
  const once = cart.cartReducer(cart.cartOf([line('a', 1000, 3)]), cart.add(line('b', 250, 7)))
  assert.deepEqual(
    once.products.map(({ _id, quantity }) => [_id, quantity]),
    [
      ['a', 3],
      ['b', 1],
    ],
  )
  assert.equal(once.selectedItems, 4)
  assert.equal(once.totalPrice, 32.5)
  assert.equal(cart.cartReducer(once, cart.add(line('b', 999, 1))), once)
})

test('removing an empty list of bought products leaves the cart as it is', () => {
  const full = cart.cartOf([line('a', 1000, 3)])
  assert.equal(cart.cartReducer(full, cart.removeBought([])), full)
})

test('quantities stop at 1 and at 99, and incrementing an unknown product changes nothing', () => {
  const low = cart.cartReducer(cart.cartOf([line('a', 100, 1)]), cart.decrement('a'))
  assert.equal(low.products[0]?.quantity, 1)
  const high = cart.cartReducer(cart.cartOf([line('a', 100, 99)]), cart.increment('a'))
  assert.equal(high.products[0]?.quantity, 99)
  const unknown = cart.cartReducer(low, cart.increment('z'))
  assert.deepEqual(unknown, low)
})

test('increment and decrement undo each other between the limits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 98 }), (quantity) => {
      const before = cart.cartOf([line('a', 1999, quantity), line('b', 5, 1)])
      const after = cart.cartReducer(cart.cartReducer(before, cart.increment('a')), cart.decrement('a'))
      assert.deepEqual(after, before)
    }),
  )
})

test('remove takes one product, clear takes all, and restore puts them back in front of newer lines', () => {
  const full = cart.cartOf([line('a', 100, 2), line('b', 200, 1)])
  assert.deepEqual(
    cart.cartReducer(full, cart.remove('a')).products.map((some) => some._id),
    ['b'],
  )
  const cleared = cart.cartReducer(full, cart.clear())
  assert.deepEqual(cleared, { products: [], selectedItems: 0, totalPrice: 0 })
  const refilled = cart.cartReducer(cleared, cart.add(line('c', 300, 1)))
  const restored = cart.cartReducer(refilled, cart.restore(full.products))
  assert.deepEqual(
    restored.products.map((some) => some._id),
    ['a', 'b', 'c'],
  )
})

test('bought quantities leave the cart, and anything added while paying stays', () => {
  const lines = [line('a', 100, 3), line('b', 200, 1), line('c', 300, 1), line('fewer', 400, 1)]
  const bought = [
    // Taken out of the cart while the customer was paying.
    { _id: 'fewer', quantity: 3 },
    { _id: 'a', quantity: 2 },
    { _id: 'b', quantity: 1 },
    { _id: 'gone', quantity: 5 },
  ]
  assert.deepEqual(
    cart.withoutBought(lines, bought).map(({ _id, quantity }) => [_id, quantity]),
    [
      ['a', 1],
      ['c', 1],
    ],
  )
})

test('the lines of a stored cart are read back unchanged', () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      assert.deepEqual(linesFromStored(JSON.parse(JSON.stringify(cart.cartOf(lines)))), lines)
    }),
  )
})

test('reading a stored cart never throws, drops invalid lines, and keeps valid ones once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (stored) => {
      assert.ok(Array.isArray(linesFromStored(stored)))
      linesFromStored({ products: stored })
      linesFromStored({ products: [stored] })
    }),
  )
  const good = line('a', 100, 1)
  const bad = [null, 7, {}, { ...good, quantity: 0 }, { ...good, quantity: 1.5 }, { ...good, quantity: 100 }]
  const worse = [
    { ...good, price: '1' },
    { ...good, price: -1 },
    { ...good, _id: 3 },
    { ...good, name: null },
  ]
  assert.deepEqual(linesFromStored({ products: [...bad, good, ...worse, good] }), [good])
})

test('each cart line is compared with the shop’s answer: prices are updated, and missing products removed', () => {
  const [kept, dearer, gone, later] = [
    line('a', 100, 1),
    line('b', 200, 4),
    line('c', 300, 1),
    line('d', 400, 1),
  ]
  const answer: ShopAnswer = {
    ids: ['a', 'b', 'c'],
    products: [kept, { ...dearer, price: 2.5, quantity: 9 }],
  }
  assert.deepEqual(changeOf(kept, answer), { kind: 'same' })
  assert.deepEqual(changeOf(dearer, answer), { kind: 'price', now: 2.5 })
  assert.deepEqual(changeOf(gone, answer), { kind: 'gone' })
  assert.deepEqual(changeOf(later, answer), { kind: 'same' })
  const lines = updatedLines([kept, dearer, gone, later], answer)
  assert.deepEqual(
    lines.map(({ _id, price, quantity }) => [_id, price, quantity]),
    [
      ['a', 1, 1],
      ['b', 2.5, 4],
      ['d', 4, 1],
    ],
  )
  assert.equal(hasChanges(lines, answer), false)
})
