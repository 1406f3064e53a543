import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { configureStore } from '@reduxjs/toolkit'
import { stubBrowser, type StubBrowser } from '#shop/testing/stub-browser.ts'
import { add, cartReducer, clear, decrement, increment, type CartLine } from './cart.ts'
import { checkoutKey } from './checkout-key.ts'
import { rememberCheckout, settleCheckout } from './checkouts.ts'
import { keepCart } from './keep-cart.ts'

const product = {
  _id: 'a',
  name: 'Pale Blue Shirt',
  category: 'formal dress',
  description: '',
  price: 78,
  oldPrice: null,
  image: null,
  color: 'blue',
  rating: 4,
  author: null,
  createdAt: '2026-01-01T00:00:00Z',
}
const line: CartLine = { ...product, quantity: 1 }

let browser: StubBrowser
beforeEach(() => {
  browser = stubBrowser()
})

function openTab() {
  const store = configureStore({ reducer: { cart: cartReducer } })
  keepCart(store)
  return store
}

test('the cart survives a reload', () => {
  const before = openTab()
  before.dispatch(add(product))
  before.dispatch(increment('a'))
  assert.deepEqual(openTab().getState().cart, before.getState().cart)
})

test('a tab follows the cart changes of another tab without writing them back', () => {
  const [here, there] = [openTab(), openTab()]
  here.dispatch(add(product))
  browser.isFull = true
  browser.fire('storage', { key: 'cart' })
  assert.equal(there.getState().cart.selectedItems, 1)
  browser.fire('storage', { key: 'something else' })
  browser.isFull = false
  here.dispatch(clear())
  browser.fire('pageshow', { persisted: true })
  assert.equal(there.getState().cart.selectedItems, 0)
})

test('a cart whose storage another tab has cleared, or that cannot be read any more, stays in its page', () => {
  const store = openTab()
  store.dispatch(add(product))
  browser.stored.clear()
  browser.fire('pageshow', { persisted: true })
  browser.isBlocked = true
  browser.fire('pageshow', { persisted: true })
  assert.equal(store.getState().cart.selectedItems, 1)
})

test('with full or blocked storage, the cart and its checkout key still work within the page', () => {
  for (const trouble of ['isFull', 'isBlocked'] as const) {
    const store = openTab()
    store.dispatch(add(product))
    browser[trouble] = true
    store.dispatch(increment('a'))
    browser.fire('pageshow', { persisted: true })
    assert.equal(store.getState().cart.selectedItems, 2, trouble)
    const key = checkoutKey(store.getState().cart.products, undefined)
    assert.equal(checkoutKey(store.getState().cart.products, undefined), key, trouble)
    store.dispatch(decrement('a'))
    store.dispatch(increment('a'))
    assert.notEqual(checkoutKey(store.getState().cart.products, undefined), key, trouble)
    browser[trouble] = false
    store.dispatch(clear())
  }
})

test('the checkout key survives a reload, and is replaced after every change of the cart or the user', () => {
  const store = openTab()
  store.dispatch(add(product))
  const lines = store.getState().cart.products
  const key = checkoutKey(lines, undefined)
  assert.equal(checkoutKey(lines, undefined), key)
  assert.equal(openTab() && checkoutKey(lines, undefined), key, 'kept over a reload')
  store.dispatch(decrement('a'))
  assert.equal(checkoutKey(lines, undefined), key, 'there is one already, which is the fewest')
  assert.notEqual(checkoutKey(lines, 'somebody'), key)
  const again = checkoutKey(lines, undefined)
  store.dispatch(clear())
  store.dispatch(add(product))
  assert.notEqual(
    checkoutKey(store.getState().cart.products, undefined),
    again,
    'the same cart, a second time',
  )
})

test('a checkout key that another tab has removed from storage is not used again', () => {
  const key = checkoutKey([line], undefined)
  assert.equal(checkoutKey([line], undefined), key)
  browser.stored.delete('checkout-key')
  assert.notEqual(checkoutKey([line], undefined), key)
})

test('a paid session removes its lines from the cart only once', () => {
  const mine = [{ _id: 'a', quantity: 1 }]
  rememberCheckout('cs_mine', [line])
  assert.deepEqual(settleCheckout('cs_mine', []), mine)
  assert.deepEqual(settleCheckout('cs_mine', mine), [])
  rememberCheckout('cs_mine', [line])
  assert.deepEqual(settleCheckout('cs_mine', mine), [], 'paid stays paid')
})

test('a paid session that another browser opened removes the lines of its order, only once', () => {
  const ordered = [{ _id: 'b', quantity: 2 }]
  assert.deepEqual(settleCheckout('cs_of_another_browser', ordered), ordered)
  assert.deepEqual(settleCheckout('cs_of_another_browser', ordered), [])
})

test('of many checkouts the newest are remembered, and without storage those of this page', () => {
  for (let opened = 1; opened <= 25; opened += 1) rememberCheckout(`cs_${opened}`, [line])
  assert.deepEqual(settleCheckout('cs_25', []), [{ _id: 'a', quantity: 1 }])
  browser.isBlocked = true
  rememberCheckout('cs_blocked', [line])
  assert.deepEqual(settleCheckout('cs_blocked', []), [{ _id: 'a', quantity: 1 }])
  assert.deepEqual(settleCheckout('cs_blocked', [{ _id: 'a', quantity: 1 }]), [])
})

test('invalid stored checkouts and checkout keys are ignored', () => {
  for (const nonsense of [
    '{',
    '5',
    '[null, {"session": 1}]',
    '[{"session":"cs","bought":[1],"isSettled":false}]',
  ]) {
    browser.stored.set('checkouts', nonsense)
    browser.stored.set('checkout-key', nonsense)
    assert.deepEqual(settleCheckout(`cs ${nonsense}`, []), [])
    assert.equal(typeof checkoutKey([line], undefined), 'string')
  }
})
