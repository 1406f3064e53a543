import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import { users } from '#shop/accounts/server/tables.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import type { Distribution, OwnReview, Review } from '#shop/reviews/contract.ts'
import { newId } from '#shop/platform/ids.ts'
import { transaction } from '#shop/platform/statements.ts'
import { makeProduct, makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { reviews } from './tables.ts'

type Problem = { title: string; code: string }
type Caller = Awaited<ReturnType<typeof makeUser>>
type Shown = {
  data: { product: { rating: number; updatedAt: string }; reviews: Review[]; distribution: Distribution }
}

let shop: TestApp
before(async () => {
  shop = await startTestApp()
})
after(() => shop.close())

const post = (payload: object, headers: Record<string, string> = {}, where = shop) =>
  where.call<{ data: Review; message: string } & Problem>({
    method: 'POST',
    url: '/api/reviews/post-review',
    payload,
    headers,
  })
const show = async (id: string) => (await shop.call<Shown>({ url: `/api/products/${id}` })).body.data
const reviewsOf = (userId: string, headers: Record<string, string> = {}, query = '') =>
  shop.call<{ data: OwnReview[] }>({ url: `/api/reviews/${userId}${query}`, headers })
const rowsOf = (productId: string) =>
  shop.database.db.select().from(reviews).where(eq(reviews.productId, productId))
const total = async () =>
  (await shop.call<{ data: { totalReviews: number } }>({ url: '/api/reviews/total-reviews' })).body.data
    .totalReviews
const showsMeanOf = async (productId: string) => {
  const [rows, shown] = [await rowsOf(productId), await show(productId)]
  const mean = rows.reduce((sum, { rating }) => sum + rating, 0) / rows.length
  assert.ok(Math.abs(shown.product.rating - mean) < 1e-9, `${shown.product.rating} ${mean}`)
  const withStars = (stars: number) => rows.filter(({ rating }) => rating === stars).length
  const counted = [1, 2, 3, 4, 5].map((stars) => [stars, withStars(stars)])
  assert.deepEqual(shown.distribution, Object.fromEntries(counted))
}
const userMaker = () => makeUser(shop.database.db)

describe('post-review', () => {
  test('answers 201 for a first review and 200 for its replacement, which the product then shows', async () => {
    const [product, user] = [await makeProduct(shop.database.db), await userMaker()]
    const [before, { updatedAt }] = [await total(), (await show(product.id)).product]
    const first = await post(
      { productId: product.id, rating: 2, comment: ' One\ntwo ', userId: user.user.id },
      user.headers,
    )
    assert.equal(first.status, 201)
    assert.equal(first.body.message, 'Review posted successfully!')
    assert.equal(first.body.data.comment, 'One\ntwo')
    const reviewer = { _id: user.user.id, username: user.user.username, profileImage: null }
    assert.deepEqual(first.body.data.userId, reviewer)
    const second = await post({ productId: product.id, rating: 5 }, user.headers)
    assert.equal(second.status, 200)
    assert.equal(second.body.data._id, first.body.data._id)
    const shown = await show(product.id)
    assert.deepEqual(shown.reviews, [second.body.data])
    assert.deepEqual(shown.distribution, { 1: 0, 2: 0, 3: 0, 4: 0, 5: 1 })
    // A review is not an edit of the product, and does not make an admin's form stale.
    assert.deepEqual([shown.product.rating, shown.product.updatedAt], [5, updatedAt])
    assert.equal(second.body.data.comment, '')
    assert.equal(await total(), before + 1)
    assert.ok(!JSON.stringify(shown).includes(user.user.email))
  })

  test('the product shows its newest hundred reviews, and a rewritten review comes first', async () => {
    const { db } = shop.database
    const product = await makeProduct(db)
    const { user, headers } = await userMaker()
    const written = (comment: string, year: number, userId: string | null = null) => ({
      id: newId(),
      productId: product.id,
      userId,
      rating: 3,
      comment,
      createdAt: new Date(Date.UTC(year, 0)),
    })
    const all = Array.from({ length: 100 }, (_, index) => written(`${index}`, 1900 + index))
    await db.insert(reviews).values([...all, written('another', 2010), written('mine', 1800, user.id)])
    const shown = async () => (await show(product.id)).reviews.map(({ comment }) => comment)
    const newestFirst = all.map(({ comment }) => comment).toReversed()
    assert.deepEqual(await shown(), ['another', ...newestFirst.slice(0, 99)])
    await post({ productId: product.id, rating: 4, comment: 'mine, again' }, headers)
    assert.deepEqual(await shown(), ['mine, again', 'another', ...newestFirst.slice(0, 98)])
  })

  test('refuses visitors, other users’ ids, unknown products, and invalid ratings or comments', async () => {
    const [product, user, other] = [await makeProduct(shop.database.db), await userMaker(), await userMaker()]
    const gone = await makeProduct(shop.database.db, { deletedAt: new Date() })
    const review = { productId: product.id, rating: 4, comment: 'Fine' }
    const anonymous = await post({ productId: 7 })
    assert.equal(anonymous.status, 401)
    assert.equal(anonymous.body.title, 'You must be logged in to post a review.')
    for (const userId of [other.user.id, '', null, 7]) {
      assert.equal((await post({ ...review, userId }, user.headers)).status, 403, String(userId))
    }
    for (const productId of ['unknown', gone.id, 'a\u0000b', '']) {
      assert.equal((await post({ ...review, productId }, user.headers)).status, 404, productId)
    }
    const ratings = [0, 6, 3.5, '5', null, undefined, -1, [3]].map((rating) => ({ rating }))
    const comments = ['x'.repeat(2001), 'a\u0000b', 'half \ud800', 7, null].map((comment) => ({ comment }))
    for (const fields of [...ratings, ...comments, { productId: undefined }]) {
      assert.equal((await post({ ...review, ...fields }, user.headers)).status, 400, JSON.stringify(fields))
    }
    assert.deepEqual(await rowsOf(product.id), [])
    assert.equal((await post({ ...review, comment: '🦊'.repeat(2000) }, user.headers)).status, 201)
  })

  test('keeps the product’s rating and star counts correct when a hundred users post at once', async () => {
    const product = await makeProduct(shop.database.db)
    const callers = await Promise.all(Array.from({ length: 100 }, userMaker))
    const postAll = (stars: (index: number) => number) =>
      Promise.all(
        callers.map(({ headers }, index) => post({ productId: product.id, rating: stars(index) }, headers)),
      )
    // A busy machine may get fewer done in time; a request that is refused has written nothing.
    const taken = (await postAll((index) => (index % 5) + 1)).filter(({ status }) => status !== 503)
    assert.deepEqual([...new Set(taken.map(({ status }) => status))], [201])
    assert.equal((await rowsOf(product.id)).length, taken.length)
    await showsMeanOf(product.id)
  })

  test('keeps the product’s rating and star counts correct when two users repeatedly post at once', async () => {
    const product = await makeProduct(shop.database.db)
    const [one, other] = [await userMaker(), await userMaker()]
    for (let round = 0; round < 25; round += 1) {
      const answers = await Promise.all([
        post({ productId: product.id, rating: (round % 3) + 1 }, one.headers),
        post({ productId: product.id, rating: 5 - (round % 2) }, other.headers),
      ])
      assert.deepEqual(
        answers.map(({ status }) => status),
        round ? [200, 200] : [201, 201],
      )
      await showsMeanOf(product.id)
    }
  })

  test('a review whose author’s account is deleted at the same time gets a 401 and is not kept', async () => {
    const { db, pool } = shop.database
    const [product, { user, headers }] = [await makeProduct(db), await userMaker()]
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const { posting } = await transaction(db, async (tx) => {
      await tx.delete(users).where(eq(users.id, user.id))
      const posting = post({ productId: product.id, rating: 3 }, headers)
      await until(async () => (await pool.query(waiting)).rowCount === 1, 'the review waits')
      return { posting }
    })
    assert.equal((await posting).status, 401)
    assert.deepEqual(await rowsOf(product.id), [])
  })

  test('stores one review when the same user posts twenty at once', async () => {
    const [product, { headers }] = [await makeProduct(shop.database.db), await userMaker()]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post({ productId: product.id, rating: (index % 5) + 1 }, headers),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    const [only, ...more] = await rowsOf(product.id)
    assert.equal(more.length, 0)
    assert.equal((await show(product.id)).product.rating, only?.rating)
  })

  test('star counts follow reviews that are inserted, updated or deleted directly in the database', async () => {
    const { db } = shop.database
    const [one, two] = [await makeProduct(db), await makeProduct(db)]
    const callers = await Promise.all(Array.from({ length: 6 }, userMaker))
    const rows = [one, two].flatMap(({ id: productId }) =>
      callers.map(({ user }, index) => {
        const [id, rating] = [`${productId.slice(0, 20)}${index}`, 1 + (index % 3)]
        return { id, productId, userId: user.id, rating, comment: '' }
      }),
    )
    const starsOf = async ({ id }: { id: string }) => Object.values((await show(id)).distribution)
    await db.insert(reviews).values(rows)
    assert.deepEqual(
      [await starsOf(one), await starsOf(two)],
      [
        [2, 2, 2, 0, 0],
        [2, 2, 2, 0, 0],
      ],
    )
    await db
      .update(reviews)
      .set({ rating: sql`${reviews.rating} + 2` })
      .where(inArray(reviews.productId, [one.id, two.id]))
    assert.deepEqual(
      [await starsOf(one), await starsOf(two)],
      [
        [0, 0, 2, 2, 2],
        [0, 0, 2, 2, 2],
      ],
    )
    await db.delete(reviews).where(and(eq(reviews.productId, one.id), lt(reviews.rating, 5)))
    assert.deepEqual(
      [await starsOf(one), await starsOf(two)],
      [
        [0, 0, 0, 0, 2],
        [0, 0, 2, 2, 2],
      ],
    )
    const another = await userMaker()
    await post({ productId: one.id, rating: 2 }, another.headers)
    const shown = await show(one.id)
    assert.deepEqual(shown.distribution, { 1: 0, 2: 1, 3: 0, 4: 0, 5: 2 })
    assert.equal(shown.product.rating, 4)
  })

  test('allows a user one review in ten seconds; one refused with 404 does not count', async () => {
    const limited = await startTestApp({ environment: { RATE_LIMITS: 'on' } })
    try {
      const { db } = limited.database
      const [one, two, caller] = [await makeProduct(db), await makeProduct(db), await makeUser(db)]
      const of = (productId: string) => post({ productId, rating: 3 }, caller.headers, limited)
      assert.equal((await of('unknown')).status, 404)
      const answers = await Promise.all([of(one.id), of(two.id)])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 429])
      const refused = answers.find(({ status }) => status === 429)
      assert.ok(Number(refused?.headers['retry-after']) <= 10)
    } finally {
      await limited.close()
    }
  })

  test('allows a user fifty reviews a day, without affecting other users', async () => {
    const reviewsInARow = { max: Infinity, seconds: 10 }
    const limited = await startTestApp({ environment: { RATE_LIMITS: 'on' }, limits: { reviewsInARow } })
    try {
      const { db } = limited.database
      const [product, caller, other] = [await makeProduct(db), await makeUser(db), await makeUser(db)]
      const by = ({ headers }: Caller) => post({ productId: product.id, rating: 3 }, headers, limited)
      for (let posted = 0; posted < 50; posted += 1) assert.ok((await by(caller)).status <= 201)
      const refused = await by(caller)
      assert.equal(refused.status, 429)
      assert.ok(Number(refused.headers['retry-after']) > 86_000)
      assert.equal((await by(other)).status, 201)
    } finally {
      await limited.close()
    }
  })
})

describe('a user’s reviews', () => {
  const review = async ({ headers }: Caller, rating: number) => {
    const product = await makeProduct(shop.database.db)
    const { body } = await post({ productId: product.id, rating }, headers)
    return { product, review: body.data }
  }

  test('are listed for that user and for admins only, newest first, with the product’s name', async () => {
    const [user, other] = [await userMaker(), await userMaker()]
    const admin = await makeUser(shop.database.db, { role: 'admin' })
    const [older, newer] = [await review(user, 1), await review(user, 2)]
    const { email } = user.user
    await review(other, 3)
    await shop.database.db
      .update(products)
      .set({ deletedAt: new Date() })
      .where(eq(products.id, older.product.id))
    assert.equal((await reviewsOf(user.user.id)).status, 401)
    assert.equal((await reviewsOf(user.user.id, other.headers)).status, 403)
    assert.equal((await reviewsOf('unknown', other.headers)).status, 403)
    assert.equal((await reviewsOf('unknown', admin.headers)).status, 404)
    for (const { headers } of [user, admin]) {
      const { status, body, headers: sent } = await reviewsOf(user.user.id, headers)
      assert.equal(status, 200)
      assert.equal(sent['x-total-count'], '2')
      assert.deepEqual(body.data, [
        { ...newer.review, email, productName: newer.product.name, isForSale: true },
        { ...older.review, email, productName: older.product.name, isForSale: false },
      ])
    }
    for (const rating of [3, 4, 5]) await review(user, rating)
    const page = await reviewsOf(user.user.id, user.headers, '?page=2&limit=2')
    assert.deepEqual(
      page.body.data.map(({ rating }) => rating),
      [3, 2],
    )
    assert.deepEqual(
      (await reviewsOf(other.user.id, admin.headers)).body.data.map(({ rating }) => rating),
      [3],
    )
  })

  test('of the same moment are divided among pages in one order', async () => {
    const { user, headers } = await userMaker()
    const createdAt = new Date()
    const ids = Array.from({ length: 5 }, newId).sort()
    for (const id of ids.toReversed()) {
      const { id: productId } = await makeProduct(shop.database.db)
      const review = { id, productId, userId: user.id, rating: 3, comment: '', createdAt }
      await shop.database.db.insert(reviews).values(review)
    }
    const pages = [1, 2, 3].map((page) => reviewsOf(user.id, headers, `?page=${page}&limit=2`))
    const shown = (await Promise.all(pages)).flatMap(({ body }) => body.data)
    assert.deepEqual(
      shown.map(({ _id }) => _id),
      ids,
    )
  })

  test('stay when the user is deleted, shown as by “Deleted user”, and still count in the rating', async () => {
    const [user, admin] = [await userMaker(), await makeUser(shop.database.db, { role: 'admin' })]
    const { product } = await review(user, 4)
    const before = await total()
    await shop.call({ method: 'DELETE', url: `/api/auth/users/${user.user.id}`, headers: admin.headers })
    const shown = await show(product.id)
    assert.deepEqual(shown.reviews[0]?.userId, {
      _id: 'deleted',
      username: 'Deleted user',
      profileImage: null,
    })
    assert.equal(shown.product.rating, 4)
    assert.equal(await total(), before)
    // Somebody else's review does not replace the deleted user's.
    assert.equal((await post({ productId: product.id, rating: 2 }, admin.headers)).status, 201)
    assert.equal((await show(product.id)).product.rating, 3)
  })
})
