import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatedProduct } from '#shop/catalogue/contract.ts'
import type { ProductValues } from './product-fields.ts'
import { mergedVersion } from './product-versions.ts'

const at = '2026-01-02T03:04:05.000Z'
const editable = {
  name: 'Horn Comb',
  category: 'grooming',
  color: 'beige',
  price: 19,
  oldPrice: null,
  description: 'For the pocket.',
  image: null,
  views: ['/uploads/a.webp'],
} satisfies ProductValues
const before: DatedProduct = { ...editable, _id: 'p', rating: 0, author: 'a', createdAt: at, updatedAt: at }
/** What the form sends if nothing was touched: an empty text for a missing value. */
const untouched: ProductValues = { ...editable, image: '' }

for (const { what, theirs, mine, kept } of [
  {
    what: 'a field that only the other admin changed takes their value',
    theirs: { price: 21 },
    mine: {},
    kept: { price: 21 },
  },
  {
    what: 'a field that both of us changed keeps my value',
    theirs: { price: 21 },
    mine: { price: 20 },
    kept: { price: 20 },
  },
  {
    what: 'changes to different fields are both kept',
    theirs: { price: 21 },
    mine: { name: 'Comb' },
    kept: { price: 21, name: 'Comb' },
  },
  {
    what: 'an amount that differs by a fraction of a cent counts as changed',
    theirs: {},
    mine: { price: 19.001 },
    kept: { price: 19.001 },
  },
  {
    what: 'a picture that the other admin added is kept',
    theirs: { image: '/uploads/b.webp' },
    mine: {},
    kept: { image: '/uploads/b.webp' },
  },
  {
    what: 'an old price that the other admin added is kept',
    theirs: { oldPrice: 25 },
    mine: {},
    kept: { oldPrice: 25 },
  },
  {
    what: 'pictures that I removed stay removed',
    theirs: { price: 21 },
    mine: { views: [] },
    kept: { views: [], price: 21 },
  },
]) {
  test(`merging my version of a product with a newer one: ${what}`, () => {
    const merged = mergedVersion(before, { ...before, ...theirs }, { ...untouched, ...mine })
    assert.deepEqual({ ...merged, image: merged.image || null }, { ...editable, ...kept })
  })
}
