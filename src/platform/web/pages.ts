import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inject } from 'light-my-request'
import type { RenderedPage } from '#shop/contract/rendering.ts'
import type { UncompressedAnswer } from '#shop/platform/http/byte-cache.ts'
import { replyWithCached } from '#shop/platform/http/cached-answers.ts'
import { documentOf, emptyDocument, type PageWithBody } from './page-documents.ts'
import { answerNotFound } from '#shop/platform/http/problems.ts'
import { createTurnQueue, TurnRefused } from '#shop/platform/turns.ts'
import { withTimeout } from '#shop/platform/with-timeout.ts'
import { reasonOf, ShopError } from '#shop/platform/errors.ts'
import type { Limiter } from '#shop/platform/http/limits.ts'
import type { WebFiles } from './web-files.ts'

type Parts = {
  files: WebFiles
  patterns: readonly string[]
  /** Of some of these pages, shown until the browser has rendered them. */
  titles: Readonly<Record<string, string>>
  /** The query parameters that each of these pages depends on; the others depend on none. */
  queries: Readonly<Record<string, readonly string[]>>
  /** Whether a page that the server renders is for its reader alone. */
  isPrivate: (pattern: string | undefined, query: URLSearchParams) => boolean
  limiter: Limiter
  publicUrl: string
  patienceMs: typeof pagePatienceMs
}
/** By the route: 200 for the address of a page, 404 for any other. */
type Status = 200 | 404

/** How long a page may take; one that takes longer is left to the browser. */
export const pagePatienceMs = {
  built: 1000,
  /** The first rendering takes longer. */
  inDevelopment: 20_000,
  /** How much of it a rendering may wait for its turn. */
  turn: 500,
}
/**
 * A rendering takes ten milliseconds of the event loop that serves everybody: a client that requests endlessly
 * many addresses must not keep those waiting who pay. See `createYieldQueue` too.
 */
const mostAtOnce = 16
const html = 'text/html; charset=utf-8'

/** The API did not answer the page in time, or other renderings kept it waiting. */
class TooLong extends Error {}

/**
 * Thrown for a page that is not cached: it is for one reader, at one of endlessly many addresses, or not rendered.
 */
class NotCacheable extends Error {
  readonly page: RenderedPage | undefined
  constructor(page: RenderedPage | undefined) {
    super('This page is not cached')
    this.page = page
  }
}

/** Whether the rendering failed because of whoever asked for it first: others may get what that client may not. */
function isRefused(reason: unknown): boolean {
  if (reason instanceof ShopError) return reason.status === 429
  return (
    reason instanceof NotCacheable && reason.page?.status === 'refused' && reason.page.refusalStatus >= 429
  )
}

/**
 * Answers every address of a page with the rendered page, and any other with 404 and a page that says so. When
 * rendering fails, takes too long or is requested by too many at once, the browser renders the page.
 */
export function pageRoutes(app: FastifyInstance, parts: Parts): void {
  const { files, patterns, patienceMs } = parts
  /** When the API last answered a page. */
  const lastAnswer = { at: -Infinity }
  const renderPublic = createPageRenderer(app, parts, lastAnswer)

  const send = async (status: Status, request: FastifyRequest, reply: FastifyReply) => {
    if (isAmbiguous(request.url)) return sendEmpty(parts, reply, { status: 404, isFound: false })
    const address = addressOf(request, parts.queries)
    const began = performance.now()
    let isOwn = false
    const render = () =>
      app.byteCache.get(`page ${address}`, () => {
        isOwn = true
        return renderPublic(address, request.ip, status)
      })
    try {
      const cached = await withTimeout(
        files.isForDevelopment ? patienceMs.inDevelopment : patienceMs.built,
        render().catch((reason: unknown) => {
          if (isOwn || !isRefused(reason)) throw reason
          return render()
        }),
        () => new TooLong('Rendering took too long'),
      )
      return replyWithCached(request, reply, cached)
    } catch (reason) {
      if (reason instanceof NotCacheable) return sendOther(parts, reply, status, reason.page)
      logFailure(app, request, reason)
      // In a crowd the API answers some page meanwhile; while the database is silent it answers none.
      return sendUnrendered(parts, reply, status, reason instanceof TooLong && lastAnswer.at < began)
    }
  }

  // Loads the renderer now, so that the first visitor need not wait for it; without a build there is none.
  app.addHook('onReady', async () => void (await files.renderer().catch(() => undefined)))
  for (const pattern of patterns) {
    app.get(pattern, { config: { access: 'file' }, schema: { hide: true } }, (request, reply) =>
      send(200, request, reply),
    )
  }
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const isPage =
      /^(GET|HEAD)$/.test(request.method) &&
      !/^\/(api|uploads|uploadImage|assets|pictures)(\/|\?|$)/.test(request.url)
    return isPage ? send(404, request, reply) : answerNotFound(request, reply)
  })
}

/** Renders pages that everybody may have; @throws NotCacheable with any other page. */
function createPageRenderer(
  app: FastifyInstance,
  { files, publicUrl, limiter, patienceMs }: Parts,
  lastAnswer: { at: number },
) {
  const inTurn = createTurnQueue({ most: mostAtOnce, patienceMs: patienceMs.turn })
  const yieldToOthers = createYieldQueue()
  const render = (url: string, ip: string): Promise<RenderedPage | undefined> => {
    limiter.take('renderings', ip)
    return inTurn(async () => {
      const renderPage = await files.renderer()
      return renderPage({
        url,
        publicUrl,
        async callApi(path) {
          // Fastify's own `inject` refuses while the shop shuts down; pages should still be whole then.
          const { statusCode, payload } = await inject(app.routing, { url: path, remoteAddress: ip })
          // Refusals do not count: that of a malformed id, for instance, needs no database.
          if (statusCode < 400) lastAnswer.at = performance.now()
          return { status: statusCode, body: JSON.parse(payload) as unknown }
        },
        yieldToOthers,
      })
    })
  }
  return async (url: string, ip: string, status: Status): Promise<UncompressedAnswer> => {
    const page = await render(url, ip)
    // An address that only the page's own router knows, and no route here, leads nowhere.
    if (status === 404 && page?.status !== 404) throw new NotCacheable(undefined)
    // In development the page changes without the shop knowing.
    if (page?.status !== 200 || page.isPrivate || files.isForDevelopment) throw new NotCacheable(page)
    return { body: await documentOf(files, page), type: html }
  }
}

/** Lets the waiting renderings go on one by one, so that the server handles other requests in between. */
function createYieldQueue(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(() => nextTurn()))
}

function logFailure({ refusals }: FastifyInstance, request: FastifyRequest, reason: unknown): void {
  const line = { status: 503, method: request.method, route: request.routeOptions.url }
  if (reason instanceof ShopError)
    refusals.log({ ...line, status: reason.status, code: reason.code }, request.id)
  else if (reason instanceof TurnRefused) refusals.log({ ...line, code: 'pages_busy' }, request.id)
  else refusals.logUnavailable({ ...line, code: 'page_failed', reason: reasonOf(reason) }, request.id)
}

function sendOther(parts: Parts, reply: FastifyReply, status: Status, page: RenderedPage | undefined) {
  if (!page) return sendEmpty(parts, reply, { status, isFound: false })
  if (page.status === 302) return reply.redirect(page.location, 302)
  if (page.status !== 'refused') return sendShown(parts.files, reply, page)
  // `/categories/%00` cannot exist; what is requested too often, or fails today, exists all the same.
  if (page.refusalStatus === 400) return sendEmpty(parts, reply, { status: 404, isFound: false })
  return sendUnrendered(parts, reply, status, page.refusalStatus >= 500)
}

async function sendShown(files: WebFiles, reply: FastifyReply, page: PageWithBody) {
  if (page.isPrivate || page.status === 404) reply.header('x-robots-tag', 'noindex')
  reply.header('cache-control', page.isPrivate ? 'no-store' : 'no-cache')
  return reply
    .status(page.status)
    .type(html)
    .send(await documentOf(files, page))
}

/**
 * Sends the empty page for one that could not be rendered for now, and the browser renders it. A page that is only
 * late today must still be found tomorrow: when the shop itself `isDown`, so that no browser could render it
 * either, caches and search engines are told to come back.
 */
async function sendUnrendered(parts: Parts, reply: FastifyReply, status: Status, isDown: boolean) {
  const { routeOptions, url } = reply.request
  const isPrivate = parts.isPrivate(routeOptions.url, new URLSearchParams(/\?([^#]*)/.exec(url)?.[1]))
  if (isPrivate || isDown) reply.header('cache-control', 'no-store')
  if (status === 404 || !isDown) return sendEmpty(parts, reply, { status, isFound: !isPrivate })
  reply.header('retry-after', '5')
  return sendEmpty(parts, reply, { status: 503, isFound: !isPrivate })
}

async function sendEmpty(
  { files, titles }: Parts,
  reply: FastifyReply,
  { status, isFound }: { status: Status | 503; isFound: boolean },
) {
  if (!isFound) reply.header('x-robots-tag', 'noindex')
  return reply
    .status(status)
    .type(html)
    .send(await emptyDocument(files, isFound, titles[reply.request.routeOptions.url ?? '']))
}

/**
 * Whether the path means something else to those who read it as a URL. To a cache in front of us, `/shop/..` is
 * the home page and `//shop` another host: it would keep one page as another. `/shop//` is a nameless product.
 */
function isAmbiguous(url: string): boolean {
  const path = url.replace(/[?#].*$/s, '')
  return path.includes('//') || path.includes('\\') || /\/(\.|%2e){1,2}(\/|$)/i.test(path)
}

/** The path with the query parameters that its page reads, in one order: no others change the page. */
function addressOf({ url, routeOptions }: FastifyRequest, queries: Parts['queries']): string {
  const [path = '', query] = url.replace(/#.*$/s, '').split(/\?(.*)/s)
  const searchParams = new URLSearchParams(query)
  const read = (queries[routeOptions.url ?? ''] ?? []).flatMap((name) => {
    const value = searchParams.get(name)
    return value === null ? [] : [[name, value]]
  })
  return read.length === 0 ? path : `${path}?${new URLSearchParams(read).toString()}`
}
