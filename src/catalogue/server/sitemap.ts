import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { Id } from '#shop/contract/shapes.ts'
import { notFound } from '#shop/platform/errors.ts'
import type { Limiter } from '#shop/platform/http/limits.ts'
import { createTurnQueue } from '#shop/platform/turns.ts'
import { findBounds, listAddresses } from './store.ts'

type Parts = {
  db: NodePgDatabase
  limiter: Limiter
  publicUrl: string
  /** The paths of all pages but products that search engines should find. */
  paths: readonly string[]
  pathOf: (productId: string) => string
}
/** Products with an id after `after` and, if there is an `upTo`, up to that one. */
type Range = { after: string; upTo: string | undefined }

type SitemapSource = Pick<Parts, 'publicUrl' | 'pathOf'> & {
  /** Takes turns: of however many files are being sent, one piece is read at a time. */
  read: (range: Range) => ReturnType<typeof listAddresses>
}

/** A file may list 50,000 addresses; fewer are planned, which leaves room for products that are still to come. */
const perFile = 45_000
const mostInFile = 50_000
/** A file is read and written in pieces of this many products, some ten milliseconds each. */
const productsPerPiece = 1000
const boundsLifetimeMs = 10 * 60_000

const schema = { hide: true }
const file = { config: { access: 'file' }, schema } as const

/**
 * What search engines should look at, see https://www.sitemaps.org/protocol.html: one file, or an index of many.
 */
export function sitemapRoutes(app: FastifyInstance, parts: Parts): void {
  const { db, limiter, publicUrl, paths } = parts
  /** These read megabytes from the database, so they are rate limited. */
  const list = {
    config: { access: 'file', lane: 'lists' },
    schema,
    onRequest: async ({ ip }: FastifyRequest) => limiter.take('sitemaps', ip),
  } as const
  const inTurn = createTurnQueue({ most: 1 })
  const source: SitemapSource = {
    ...parts,
    read: (range) => inTurn(() => listAddresses(db, { ...range, limit: productsPerPiece })),
  }
  const findCachedBounds = cacheFor(boundsLifetimeMs, () => findBounds(db, perFile))

  app.get('/robots.txt', file, (_request, reply) =>
    // Nothing is disallowed: a page that must not be indexed says so itself, which crawlers have to read.
    reply
      .type('text/plain; charset=utf-8')
      .send(`User-agent: *\nAllow: /\n\nSitemap: ${publicUrl}/sitemap.xml\n`),
  )

  app.get('/sitemap.xml', list, async (_request, reply) => {
    const bounds = await findCachedBounds()
    if (bounds.length > 0) return sendXml(reply, writeSitemapIndex(publicUrl, bounds))
    return sendXml(reply, await withFirstPieceRead(urlSet(source, paths, { after: '', upTo: undefined })))
  })

  app.get('/sitemaps/pages.xml', file, (_request, reply) => sendXml(reply, urlSet(source, paths)))

  app.get<{ Querystring: { after?: unknown; upTo?: unknown } }>(
    '/sitemaps/products.xml',
    list,
    async (request, reply) => {
      const { after = '', upTo } = request.query
      if (!isBound(after) || (upTo !== undefined && !isBound(upTo))) throw notFound()
      return sendXml(reply, await withFirstPieceRead(urlSet(source, [], { after, upTo })))
    },
  )
}

/** An id, also one from an import, or an empty string. */
function isBound(value: unknown): value is string {
  return value === '' || Id.safeParse(value).success
}

function sendXml(reply: FastifyReply, text: Iterable<string> | AsyncIterable<string>): FastifyReply {
  return reply.type('application/xml; charset=utf-8').send(Readable.from(text))
}

const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

function* writeSitemapIndex(publicUrl: string, bounds: readonly string[]): Iterable<string> {
  yield `${head}<sitemapindex ${namespace}>\n`
  yield `<sitemap><loc>${publicUrl}/sitemaps/pages.xml</loc></sitemap>\n`
  for (const [index, upTo] of [...bounds, undefined].entries()) {
    const range = { ...(index > 0 && { after: bounds[index - 1] }), ...(upTo !== undefined && { upTo }) }
    const query = new URLSearchParams(range).toString().replaceAll('&', '&amp;')
    yield `<sitemap><loc>${publicUrl}/sitemaps/products.xml?${query}</loc></sitemap>\n`
  }
  yield '</sitemapindex>\n'
}

/** Reads the first piece, so that a failure still becomes an error response and not a truncated file. */
async function withFirstPieceRead(pieces: AsyncGenerator<string, void>): Promise<AsyncIterable<string>> {
  const { value: first = '' } = await pieces.next()
  return (async function* () {
    yield first
    yield* pieces
  })()
}

/** Written while it is read: no file of a large shop is ever held in memory as a whole. */
async function* urlSet(
  { publicUrl, pathOf, read }: SitemapSource,
  paths: readonly string[],
  range?: Range,
): AsyncGenerator<string, void> {
  const others = paths.map((path) => `<url><loc>${publicUrl}${path}</loc></url>\n`)
  let text = `${head}<urlset ${namespace}>\n${others.join('')}`
  for (
    let after = range?.after, left = mostInFile;
    after !== undefined && left > 0;
    left -= productsPerPiece
  ) {
    const products = await read({ after, upTo: range?.upTo })
    for (const { id, updatedAt } of products) {
      const changed = updatedAt.toISOString()
      text += `<url><loc>${publicUrl}${pathOf(id)}</loc><lastmod>${changed}</lastmod></url>\n`
    }
    yield text
    text = ''
    after = products.length === productsPerPiece ? products.at(-1)?.id : undefined
  }
  yield `${text}</urlset>\n`
}

/** Requests at the same moment, or within `ms` after it, share the result; a failure is not cached. */
function cacheFor<T>(ms: number, find: () => Promise<T>): () => Promise<T> {
  let cached: { found: Promise<T>; until: number } | undefined
  return () => {
    if (cached && cached.until > performance.now()) return cached.found
    const found = find()
    const entry = { found, until: performance.now() + ms }
    cached = entry
    found.catch(() => {
      if (cached === entry) cached = undefined
    })
    return found
  }
}
