import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { products } from '#shop/catalogue/server/tables.ts'
import { reviews } from '#shop/reviews/server/tables.ts'
import { makeOrder, makeProduct, makeUser } from '#shop/testing/factories.ts'
import type { Limits } from '#shop/platform/http/limits.ts'
import { builtPage } from '#shop/platform/web/web-build.ts'
import { lockTable } from '#shop/testing/lock-table.ts'
import { startTestApp, type Answer, type TestApp } from '#shop/testing/test-app.ts'
import { until } from '#shop/testing/until.ts'
import { newId } from '#shop/platform/ids.ts'
import { missingFields, type Data } from '#shop/testing/rich-results.ts'

let shop: TestApp
const publicUrl = 'https://shop.example'
before(async () => {
  shop = await startTestApp({ page: builtPage, environment: { PUBLIC_URL: publicUrl } })
})
after(() => shop.close())

async function open(path: string, at = shop) {
  const { status, headers, body } = await at.call<string>({ url: path })
  const structured = [...body.matchAll(/<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/gs)]
  return {
    status,
    headers,
    html: body,
    /** The text that a reader sees. */
    text: body
      .replace(/<(script|head)\b.*?<\/\1>/gs, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
    title: /<title>(.*?)<\/title>/.exec(body)?.[1],
    meta: (name: string) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(body)?.[1],
    canonical: /<link rel="canonical" href="([^"]*)"/.exec(body)?.[1],
    structured: structured.map(([, text = '']) => JSON.parse(text) as Data),
  }
}

const ofType = (page: { structured: Data[] }, type: string) =>
  page.structured.find((data) => data['@type'] === type) ?? assert.fail(`no ${type}`)

test('every public page is rendered on the server with its content, title, canonical address and metadata', async (t) => {
  const small = await startTestApp({ page: builtPage, environment: { PUBLIC_URL: publicUrl } })
  t.after(() => small.close())
  const product = await makeProduct(small.database.db, {
    name: 'Grey Flannel Coat',
    category: 'formal dress',
    color: 'silver',
  })
  const path = `/shop/${product.id}`
  const pages: [path: string, title: string, text: RegExp, canonical?: string][] = [
    ['/', 'Men’s clothing, cut to be kept · Haberdash', /up to 20% off.*Grey Flannel Coat.*14 days/s],
    ['/shop', 'Shop · Haberdash', /Showing 1 to 1 of 1 products.*Grey Flannel Coat/],
    ['/shop?color=silver&page=abc&x=1', 'Shop: silver · Haberdash', /Grey Flannel/, '/shop?color=silver'],
    ['/shop?color=Silver', 'Shop: silver · Haberdash', /Grey Flannel/, '/shop?color=silver'],
    ['/shop?sort=-price', 'Shop · Haberdash', /Grey Flannel/, '/shop'],
    ['/shop?category=grooming', 'Shop: grooming · Haberdash', /No products found!/],
    [path, 'Grey Flannel Coat · Haberdash', /\$25\.00.*A thing to wear\..*No reviews yet\./],
    ['/categories/Formal%20Dress', 'Formal Dress · Haberdash', /Grey Flannel/, '/categories/formal%20dress'],
    ['/categories/all', 'All · Haberdash', /Grey Flannel/, '/shop'],
    ['/search', 'Search · Haberdash', /Popular searches/],
    ['/pages', 'Good to know · Haberdash', /Thirty days|thirty days/],
    ['/contact', 'Contact · Haberdash', /48 Needle Lane/],
  ]
  for (const [address, title, text, canonical = address] of pages) {
    const page = await open(address, small)
    assert.equal(page.status, 200, address)
    assert.equal(page.title, title)
    assert.match(page.text, text)
    assert.equal(page.canonical, publicUrl + canonical)
    assert.ok(page.meta('description'), address)
    assert.equal(page.meta('og:title'), title)
    assert.equal(page.meta('og:url'), publicUrl + canonical)
    assert.match(page.meta('og:image') ?? '', /^https:\/\//)
    assert.equal(page.meta('robots'), undefined)
    assert.equal(page.headers['x-robots-tag'], undefined)
    assert.match(
      page.html,
      /<link rel="modulepreload" crossorigin[^>]* href="\/assets\/[\w-]+-pages?-|lists-/,
    )
  }
})

test('no stylesheet, font or script delays the first paint, and script preloads yield to the first picture', async () => {
  const image = '/uploads/0123456789abcdef0123456789abcdef01234567.webp'
  const { id } = await makeProduct(shop.database.db, { image })
  for (const [path, waits] of [
    ['/', true],
    ['/shop', true],
    [`/shop/${id}`, true],
    ['/contact', false],
    ['/login', false],
  ] as const) {
    const { html } = await open(path)
    assert.doesNotMatch(html, /<link[^>]*rel="stylesheet"/, path)
    assert.match(html, /<style>[^<]*--color-ground/, path)
    const [, waiting = ''] = /<template id="scripts">(.*?)<\/template>/s.exec(html) ?? []
    assert.match(waiting, /<script type="module" [^>]*src="\/assets\/shop-/, path)
    const preloads = html.match(/<link rel="modulepreload"[^>]*>/g) ?? []
    assert.match(preloads[0] ?? '', /\/libraries-/, path)
    for (const each of preloads) assert.equal(each.includes('fetchpriority="low"'), waits, each)
    assert.doesNotMatch(html, /<link[^>]*as="font"/, path)
  }
})

test('private and missing pages are marked noindex, and an order page does not show the email address', async () => {
  await makeProduct(shop.database.db, { name: 'Loden Cape' })
  const order = await makeOrder(shop.database.db, { email: 'nobody@example.com' })
  const found = await open(`/orders/${order.paymentId}`)
  assert.equal(found.status, 200)
  assert.match(found.text, /Payment pending.*\$25\.00/)
  assert.doesNotMatch(found.html, /nobody@example\.com/)
  assert.equal(found.headers['cache-control'], 'no-store')
  const expected: [path: string, status: number, text: RegExp][] = [
    [`/orders/${order.paymentId}`, 200, /Payment/],
    ['/orders/unknown', 404, /Error loading order details\./],
    ['/shop/unknown', 404, /Product not found Error to load product details/],
    ['/categories/unknown', 404, /No products found in this category\./],
    ['/no/such/page', 404, /Sorry, we couldn’t find the page you’re looking for\./],
    ['/dashboard/nothing', 404, /Page not found/],
    ['/categories/%00', 404, /This page needs JavaScript\./],
    ['/search?q=loden', 200, /1 product for “loden”/],
    ...['/login', '/register', '/success', '/dashboard', '/dashboard/users'].map(
      (path): [string, number, RegExp] => [path, 200, /This page needs JavaScript\./],
    ),
  ]
  for (const [path, status, text] of expected) {
    const page = await open(path)
    assert.equal(page.status, status, path)
    assert.match(page.text, text)
    assert.equal(page.meta('robots'), 'noindex', path)
    assert.equal(page.headers['x-robots-tag'], 'noindex', path)
    assert.equal(page.canonical, undefined, path)
  }
  const nowhere = await shop.app.inject({ method: 'HEAD', url: '/no/such/page' })
  assert.deepEqual([nowhere.statusCode, nowhere.headers['content-type']], [404, 'text/html; charset=utf-8'])
  for (const url of ['/api', '/api?page=1', '/uploads/?page=1', '/assets?page=1']) {
    const answer = await shop.call({ url })
    assert.deepEqual([answer.status, answer.headers['content-type']], [404, 'application/problem+json'], url)
  }
})

test('a known category without products is a normal page that search engines may index', async () => {
  for (const category of ['accessories', 'sports%20dress']) {
    const page = await open(`/categories/${category}`)
    assert.equal(page.status, 200)
    assert.match(page.text, /No products found in this category\./)
    assert.equal(page.meta('robots'), undefined)
  }
})

test('a category that the shop no longer offers is a normal page as long as it has products', async () => {
  await makeProduct(shop.database.db, { category: 'umbrellas' })
  const { status, canonical, meta } = await open('/categories/umbrellas')
  assert.deepEqual([status, canonical], [200, `${publicUrl}/categories/umbrellas`])
  assert.equal(meta('description'), '1 product in umbrellas at Haberdash.')
})

test('a long description is shortened to whole words for search engines', async () => {
  const description = `${'Worsted wool '.repeat(12)}unshortenable and more`
  const { id } = await makeProduct(shop.database.db, { description })
  const { meta } = await open(`/shop/${id}`)
  assert.equal(meta('description'), `${'Worsted wool '.repeat(12).trim()}…`)
})

test('a category that is not among the offered filters is shown as the chosen filter if the address names it', async () => {
  const db = shop.database.db
  await makeProduct(db, { category: 'jewellery', name: 'Onyx Cuff Links' })
  await makeProduct(db, { category: 'grooming', name: 'Cedar Soap' })
  const page = await open('/shop?category=jewellery')
  assert.match(page.text, /Onyx Cuff Links/)
  assert.doesNotMatch(page.text, /Cedar Soap/)
  const chosen = /<input[^>]* checked=""[^>]* value="jewellery"|<input[^>]* value="jewellery"[^>]* checked=""/
  assert.match(page.html, chosen)
})

test('list pages link to the previous and next page, and one past the end redirects to the last page', async () => {
  const db = shop.database.db
  for (let each = 0; each < 9; each += 1) await makeProduct(db, { category: 'grooming', color: 'gold' })
  assert.equal((await open('/shop?page=2')).canonical, `${publicUrl}/shop?page=2`)
  const list = '/shop?category=grooming&color=gold&price=0-50'
  const pages = [list, `${list}&sort=name&page=2`].map(async (path) => {
    const { title, canonical, meta, html } = await open(path)
    const links = [...html.matchAll(/<link rel="(prev|next)" href="([^"]*)"/g)]
    const about = meta('description')?.split(', with')[0]
    const beside = Object.fromEntries(links.map(([, relation = '', address]) => [relation, address]))
    return { title, canonical, about, ...beside }
  })
  const [address, about] = [
    `${publicUrl}${list}`.replaceAll('&', '&amp;'),
    'gold, grooming, Under $50: 9 products at Haberdash',
  ]
  assert.deepEqual(await Promise.all(pages), [
    {
      title: 'Shop: gold, grooming, Under $50 · Haberdash',
      canonical: address,
      about,
      next: `${address}&amp;page=2`,
    },
    {
      title: 'Shop: gold, grooming, Under $50, page 2 · Haberdash',
      canonical: `${address}&amp;page=2`,
      about,
      prev: `${address}&amp;sort=name`,
    },
  ])
  for (const [path, to] of [
    ['/shop?color=gold&page=7', '/shop?color=gold&page=2'],
    ['/shop?category=jewellery&color=gold&page=3', '/shop?category=jewellery&color=gold'],
    ['/search?q=gold&page=9', '/search?q=gold&page=1'],
  ] as const) {
    const { status, headers } = await shop.call({ url: path })
    assert.deepEqual([status, headers.location, headers['cache-control']], [302, to, 'no-cache'])
  }
  // There is no page to redirect to.
  assert.equal((await open('/search?q=nowhere+to+be+found&page=9')).status, 200)
})

test('a long pager offers the first page, the last page and those around the current one', async () => {
  const db = shop.database.db
  for (let each = 0; each < 89; each += 1) await makeProduct(db, { color: 'beige' })
  for (const [page, numbers] of [
    [1, '1 2 3 4 5 … 12'],
    [6, '1 … 5 6 7 … 12'],
    [12, '1 … 8 9 10 11 12'],
  ] as const) {
    const { text } = await open(`/shop?color=beige&page=${page}`)
    assert.equal(/Previous ([\d… ]+) Next/.exec(text)?.[1]?.trim(), numbers)
  }
})

test('product and home pages have the structured data that search engines require and recommend', async () => {
  const db = shop.database.db
  const image = '/uploads/0123456789abcdef.webp'
  const back = '/uploads/fedcba9876543210.webp'
  const views = [back]
  const product = await makeProduct(db, { name: 'Silk Tie', image, views, oldPriceCents: 4000, rating: 4.5 })
  const guests = Array.from({ length: 100 }, () => ({ id: newId(), createdAt: new Date(0) }))
  await db
    .insert(reviews)
    .values(guests.map((guest) => ({ ...guest, productId: product.id, rating: 3, comment: 'Old.' })))
  for (const rating of [4, 5]) {
    const { user } = await makeUser(db)
    const comment = rating === 5 ? 'Ties itself.' : ''
    await db.insert(reviews).values({ id: newId(), productId: product.id, userId: user.id, rating, comment })
  }
  const page = await open(`/shop/${product.id}`)
  assert.equal(page.meta('og:image'), publicUrl + image)
  assert.equal(page.meta('og:type'), 'product')
  assert.equal(page.meta('twitter:card'), 'summary_large_image')
  assert.match(page.html, /<link rel="preload" as="image"[^>]*0123456789abcdef-640\.avif/)
  const data = ofType(page, 'Product')
  assert.deepEqual(missingFields(data), [])
  assert.deepEqual(data.image, [publicUrl + image, publicUrl + back])
  // All reviews count, also those that the page does not show.
  assert.equal((data.aggregateRating as Data).reviewCount, 102)
  assert.equal((data.review as Data[]).length, 10)
  assert.deepEqual(
    [data.offers, data.aggregateRating]
      .map((each) => each as Data)
      .map(({ price, ratingValue }) => price ?? ratingValue),
    ['25.00', 4.5],
  )
  assert.equal(((data.offers as Data).priceSpecification as Data).price, '40.00')
  const trail = ofType(page, 'BreadcrumbList')
  assert.deepEqual(missingFields(trail), [])
  assert.deepEqual(
    (trail.itemListElement as Data[]).map(({ position, item }) => [position, item]),
    ['/', '/shop', `/shop/${product.id}`].map((path, index) => [index + 1, publicUrl + path]),
  )

  // What once cost less is not reduced.
  const dearer = await makeProduct(db, { image, oldPriceCents: 2000 })
  const unrated = ofType(await open(`/shop/${dearer.id}`), 'Product')
  assert.equal(unrated.aggregateRating, undefined)
  assert.equal(unrated.review, undefined)
  assert.equal((unrated.offers as Data).priceSpecification, undefined)

  const home = await open('/')
  assert.deepEqual(missingFields(ofType(home, 'OnlineStore')), [])
  assert.deepEqual(missingFields(ofType(home, 'WebSite')), [])
})

test('names, descriptions, comments and search terms never become markup or script', async () => {
  const db = shop.database.db
  const evil = '</script><script>alert(1)</script><!-- " \u2028 $& <img src=x onerror=alert(2)>'
  const product = await makeProduct(db, { name: evil, description: evil })
  const { user } = await makeUser(db, { username: evil })
  await db
    .insert(reviews)
    .values({ id: newId(), productId: product.id, userId: user.id, rating: 1, comment: evil })
  for (const path of [`/shop/${product.id}`, '/', `/search?q=${encodeURIComponent(evil)}`]) {
    const { html, structured, meta } = await open(path)
    assert.doesNotMatch(html, /<script>|<img src=x|\u2028.*"api"/)
    const sent = /<script id="sent" type="application\/json">(.*?)<\/script>/s.exec(html)?.[1] ?? ''
    assert.ok('api' in (JSON.parse(sent) as object))
    if (!path.startsWith('/shop/')) continue
    assert.equal(structured[0]?.name, evil)
    assert.match(meta('description') ?? '', /&lt;!-- &quot; \$&amp; &lt;img/)
  }
})

test('an unchanged page is answered with 304, and a product change shows on the next request', async () => {
  const db = shop.database.db
  const product = await makeProduct(db, { name: 'First name' })
  const path = `/shop/${product.id}`
  const { headers } = await open(path)
  const again = await shop.call({ url: path, headers: { 'if-none-match': String(headers.etag) } })
  assert.equal(again.status, 304)
  await db.update(products).set({ name: 'Second name' }).where(eq(products.id, product.id))
  assert.match((await open(path)).text, /Second name/)
})

/** Has the shop wait only a moment for what is rendered during `work`. */
async function hurriedly<T>(work: () => Promise<T>): Promise<T> {
  const { built } = shop.pagePatienceMs
  shop.pagePatienceMs.built = 100
  return work().finally(() => (shop.pagePatienceMs.built = built))
}

/** Until the end of the test. */
function stopClock(t: TestContext): void {
  const now = performance.now()
  t.mock.method(performance, 'now', () => now)
}

/** A shop with these limits. Its clock stands still, so that it goes on caching, however busy the machine is. */
async function startLimited(t: TestContext, limits: Partial<Limits>): Promise<TestApp> {
  const limited = await startTestApp({ page: builtPage, environment: { RATE_LIMITS: 'on' }, limits })
  t.after(() => {
    // Closing a shop needs the clock.
    t.mock.restoreAll()
    return limited.close()
  })
  // Nothing is cached until the shop listens to the database's changes.
  await until(async () => {
    await limited.call({ url: '/api/openapi.json' })
    return limited.app.byteCache.find('/api/openapi.json')
  })
  stopClock(t)
  return limited
}

test('while the database is silent, a page is answered with 503 for the browser to render, and logged as failed', async () => {
  const products = await lockTable(shop.database, 'products')
  try {
    // That the other two do not exist is known without the database.
    const paths = ['/shop?category=sports+dress', '/categories/%00', '/shop/%00']
    const [page] = await hurriedly(() => Promise.all(paths.map((path) => open(path))))
    assert.ok(page)
    assert.equal(page.status, 503)
    assert.deepEqual([page.headers['retry-after'], page.headers['cache-control']], ['5', 'no-store'])
    assert.match(
      page.html,
      /<div id="root"><\/div>.*<script type="module"|<script type="module".*<div id="root"><\/div>/s,
    )
    assert.equal(page.meta('robots'), undefined)
  } finally {
    await products.release()
  }
  const line = shop.logged.find(({ code }) => code === 'page_failed')
  assert.equal(line?.reason, 'Error: Rendering took too long')
  assert.match((await open('/shop?category=sports+dress')).text, /No products found!/)
})

test('a page whose first client is refused is rendered again for the others that wait for it', async (t) => {
  const limited = await startLimited(t, { requests: { max: 1, seconds: 60 } })
  const ask = async (url: string, remoteAddress: string) => {
    const { status, body } = await limited.call<string>({ url, remoteAddress })
    return { status, isMade: /<h1/.test(body) }
  }
  await ask('/api/products/', '10.8.0.1')
  const both = ['10.8.0.1', '10.8.0.2'].map((address) => ask('/shop?category=formal+dress', address))
  assert.deepEqual(await Promise.all(both), [
    { status: 200, isMade: false },
    { status: 200, isMade: true },
  ])
})

test('a page that is late while others still render is answered with 200 for the browser to render', async (t) => {
  const { id } = await makeOrder(shop.database.db)
  // At one and the same moment, the one page comes and the other does not.
  stopClock(t)
  assert.match((await open('/shop?category=beside')).html, /<h1/)
  const orders = await lockTable(shop.database, 'orders')
  try {
    const { status, headers, html } = await hurriedly(() => open(`/orders/${id}`))
    assert.deepEqual([status, headers['retry-after'], /<h1/.test(html)], [200, undefined, false])
  } finally {
    await orders.release()
  }
})

test('API requests made to render a page count against the visitor’s own rate limit', async (t) => {
  const limited = await startLimited(t, { requests: { max: 8, seconds: 60 } })
  for (let visitor = 1; visitor <= 10; visitor += 1) {
    const remoteAddress = `10.0.0.${visitor}`
    const { status, body } = await limited.call<string>({ url: `/shop?page=${visitor}`, remoteAddress })
    assert.deepEqual([status, /<h1/.test(body)], [visitor === 1 ? 200 : 302, visitor === 1], `${visitor}`)
  }
})

test('many pages requested at once are all rendered in turn', async () => {
  const pages = await Promise.all(
    Array.from({ length: 50 }, (_, index) => open(`/shop?category=crowd${index}`)),
  )
  for (const { status, title } of pages) assert.deepEqual([status, title], [200, 'Shop · Haberdash'])
})

test('a page that waits too long for its turn is answered with 200 for the browser to render', async (t) => {
  const busy = await startTestApp({ page: builtPage, pagePatienceMs: { turn: 50 } })
  t.after(() => busy.close())
  const orders = await lockTable(busy.database, 'orders')
  const pages: Promise<Answer<string>>[] = []
  try {
    for (let n = 1; n <= 17; n += 1) pages.push(busy.call<string>({ url: `/orders/none${n}` }))
    await until(async () => busy.logged.some(({ code }) => code === 'pages_busy'))
  } finally {
    await orders.release()
  }
  const late = (await Promise.all(pages)).filter(({ body }) => !/<h1/.test(body))
  assert.deepEqual(
    late.map(({ status }) => status),
    [200],
  )
})

test('other requests are handled between any two of many pending pages', async () => {
  let left = 100
  const pages = Array.from({ length: left }, async (_, index) => {
    await open(`/nowhere/${index}`)
    left -= 1
  })
  let turnsOfLoop = 0
  while (left > 0) {
    await nextTurn()
    turnsOfLoop += 1
  }
  assert.ok(turnsOfLoop >= 100, `100 pages in ${turnsOfLoop} turns of the event loop`)
  await Promise.all(pages)
})

test('unknown query parameters share one cached page, and beyond the rendering limit the browser renders pages', async (t) => {
  const limited = await startLimited(t, { renderings: { max: 2, seconds: 60 } })
  const read = async (url: string) => {
    const { status, headers, body } = await limited.call<string>({ url })
    const cache = headers['cache-control']
    return { status, isFound: headers['x-robots-tag'] === undefined, isMade: /<h1/.test(body), cache }
  }
  const made = { status: 200, isFound: true, isMade: true, cache: 'no-cache' }
  for (let from = 1; from <= 3; from += 1) assert.deepEqual(await read(`/pages?utm_source=${from}`), made)
  assert.deepEqual(await read('/shop?color=red&page=1&fbclid=a'), made)
  assert.deepEqual(await read('/shop?page=1&color=red#top'), made)
  assert.deepEqual(await read('/shop?color=gold'), { ...made, isMade: false })
  assert.ok(limited.logged.some(({ code }) => code === 'too_many'))
  const { id } = await makeOrder(limited.database.db)
  for (const address of [`/orders/${id}`, '/search?q=coat'])
    assert.deepEqual(await read(address), { ...made, isFound: false, isMade: false, cache: 'no-store' })
  assert.deepEqual(await read('/search'), { ...made, isMade: false })
  assert.deepEqual(await read('/pages'), made)
})

test('the sitemap lists pages and products for sale but no deleted ones, and robots.txt names the sitemap', async () => {
  const db = shop.database.db
  const gone = await makeProduct(db, { deletedAt: new Date() })
  const there = await makeProduct(db)
  const robots = await shop.call<string>({ url: '/robots.txt' })
  assert.match(robots.body, /^Sitemap: https:\/\/shop\.example\/sitemap\.xml$/m)
  const { body } = await shop.call<string>({ url: '/sitemap.xml' })
  assert.match(body, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset/)
  for (const path of ['/', '/shop', '/contact', '/categories/sports%20dress', `/shop/${there.id}`]) {
    assert.ok(body.includes(`<loc>${publicUrl}${path}</loc>`), path)
  }
  assert.ok(!body.includes(gone.id))
  for (const query of ['after=%00', 'after=a&after=b', 'upTo=%20']) {
    assert.equal((await shop.call({ url: `/sitemaps/products.xml?${query}` })).status, 404)
  }
})

test('a page requested during shutdown is still rendered completely', async (t) => {
  const ending = await startTestApp({ page: builtPage })
  t.after(() => ending.close())
  const { id } = await makeProduct(ending.database.db, { name: 'Last Flannel Coat' })
  const closing = ending.app.close()
  const answer = await fetch(`${ending.url}/shop/${id}`)
  assert.match(await answer.text(), /<h1[^>]*>Last Flannel Coat/)
  await closing
})
