import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import {
  jsonSchemaTransform,
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod'
import { z } from 'zod'
import { accountRoutes } from '#shop/accounts/server/routes.ts'
import { findViewer, sessionCookieName, tokenOf, waysToSignIn } from '#shop/accounts/server/session.ts'
import { categories } from '#shop/catalogue/choices.ts'
import { catalogueRoutes, listLimits } from '#shop/catalogue/server/routes.ts'
import { sitemapRoutes } from '#shop/catalogue/server/sitemap.ts'
import { manageOrderRoutes } from '#shop/orders/server/manage-routes.ts'
import { releaseCheckouts } from '#shop/orders/server/release-checkouts.ts'
import { orderRoutes } from '#shop/orders/server/routes.ts'
import type { PaymentProvider } from '#shop/orders/server/stripe.ts'
import { webhookRoute } from '#shop/orders/server/webhook.ts'
import { slotLimits } from '#shop/platform/http/admission.ts'
import { createByteCache } from '#shop/platform/http/byte-cache.ts'
import { answerAfterPropagation, watchChanges } from '#shop/platform/changes.ts'
import type { Config } from '#shop/platform/config.ts'
import type { Database } from '#shop/platform/database.ts'
import { databaseUnavailable, unavailable } from '#shop/platform/errors.ts'
import { withTimeout } from '#shop/platform/with-timeout.ts'
import { hasBody } from '#shop/platform/http/has-body.ts'
import { sendSecurityHeaders } from '#shop/platform/http/headers.ts'
import { compressAnswers } from '#shop/platform/http/compressed.ts'
import { serveFromCache, replyWithCached } from '#shop/platform/http/cached-answers.ts'
import { createLimiter, limitRequests, limits, type Limiter } from '#shop/platform/http/limits.ts'
import { logUnnamedProxy } from '#shop/platform/http/unnamed-proxy.ts'
import { pagePatienceMs, pageRoutes } from '#shop/platform/web/pages.ts'
import { acceptLastRequests } from '#shop/platform/http/last-requests.ts'
import { limitPipelines } from '#shop/platform/http/pipelines.ts'
import { readAgainWhenLost, type ReadAgain } from '#shop/platform/read-again.ts'
import { refuseChangesWithoutRoom } from '#shop/platform/room-on-disk.ts'
import { refusalResponses, requireAccess, type RouteAccess } from '#shop/platform/route.ts'
import { prepareServer, serverSettings, type ServerParts } from '#shop/platform/http/server.ts'
import { timeLimits } from '#shop/platform/http/time-limits.ts'
import { requireSameOrigin } from '#shop/platform/http/same-origin.ts'
import { createTurnQueue } from '#shop/platform/turns.ts'
import type { WebFiles } from '#shop/platform/web/web-files.ts'
import {
  isPrivatePage,
  pagePatterns,
  paths,
  relevantQueryParameters,
  initialTitles,
} from '#shop/web/paths.ts'
import { reviewRoutes } from '#shop/reviews/server/routes.ts'
import { statsRoutes } from '#shop/stats/server/routes.ts'
import { pictureRoutes, uploadRoutes } from '#shop/uploads/server/routes.ts'
import type { Storage } from '#shop/uploads/server/storage.ts'

export type Parts = {
  config: Config
  database: Database
  provider: PaymentProvider
  webFiles: WebFiles
  pictures: { storage: Storage; scenesFolder: string }
  log: (line: string) => void
} & typeof usualLimits &
  Pick<ServerParts, 'requestLog' | 'mostConnections'>

/** Every limit that a test may want to change. */
export const usualLimits = { limits, listLimits, pagePatienceMs, slotLimits, timeLimits }

/** The paths besides those of products that search engines shall find. */
const indexedPaths = [
  ...[paths.home, paths.shop, paths.pages, paths.contact, paths.search],
  ...categories.map(paths.category),
]

/** Builds the whole server, ready to listen. Whatever differs between a test and the service is in its parts. */
export async function buildApp(parts: Parts): Promise<FastifyInstance> {
  const { config, database, log } = parts
  const { db } = database
  const limiter = createLimiter({ isOn: config.hasRateLimits, limits: parts.limits })
  const listTurns = createTurnQueue(parts.listLimits)
  // Lists that wait for their turn keep others out only until somebody comes who has sent fewer requests.
  // The new request itself has not been counted yet.
  const makeRoom = ({ ip }: FastifyRequest) => listTurns.makeRoom(limiter.countOf('requests', ip) + 1)
  const server = { ...parts, makeRoom, trustProxy: config.trustProxy }
  const app = Fastify(serverSettings(server)).withTypeProvider<ZodTypeProvider>()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  sendSecurityHeaders(app, config, parts.webFiles.isForDevelopment)
  const readAgain = readAgainWhenLost(app, database.pool)
  prepareServer(app, server)
  logUnnamedProxy(app, log)
  await app.register(cookie)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Haberdash', version: '1' },
      components: { securitySchemes: waysToSignIn(config.publicUrl) },
    },
    transform: describe,
  })
  await app.register(async (files) => {
    // These libraries do not know our rule that every route says who may call it.
    files.addHook('onRoute', (routeOptions) => {
      routeOptions.config = { ...routeOptions.config, access: 'file' }
    })
    await files.register(async (documents) => {
      documents.addHook('onRequest', async ({ ip }) => limiter.take('documents', ip))
      await documents.register(swaggerUi, { routePrefix: '/api/docs', theme: { title: 'API · Haberdash' } })
    })
    await parts.webFiles.register(files)
  })
  guard(app, { ...parts, limiter, readAgain })
  // A separate database server has a disk of its own.
  if (!config.databaseUrl) refuseChangesWithoutRoom(app, config.dataDir, log)
  const changes = watchChanges(database, log)
  app.addHook('onClose', () => changes.stop())
  answerAfterPropagation(app, changes)
  serveFromCache(app, createByteCache(changes))
  compressAnswers(app)
  limitPipelines(app.server)

  const ending = new AbortController()
  app.addHook('preClose', async () => ending.abort())

  await app.register(async (routes) => {
    accountRoutes(routes, { db, limiter, publicUrl: config.publicUrl, beforeDeletion: releaseCheckouts })
    catalogueRoutes(routes, { db, limiter, listTurns })
    sitemapRoutes(routes, {
      db,
      limiter,
      publicUrl: config.publicUrl,
      paths: indexedPaths,
      pathOf: paths.product,
    })
    orderRoutes(routes, { ...parts, db, limiter })
    pictureRoutes(routes, parts.pictures)
    uploadRoutes(routes, { ...parts.pictures, limiter })
    manageOrderRoutes(routes, db)
    reviewRoutes(routes, { db, limiter })
    statsRoutes(routes, db)
    webhookRoute(routes, { db, provider: parts.provider, log })
    openApiRoute(routes)
    healthRoute(routes, database, ending.signal)
  })
  acceptLastRequests(app)
  pageRoutes(app, {
    files: parts.webFiles,
    patterns: pagePatterns,
    titles: initialTitles,
    queries: relevantQueryParameters,
    isPrivate: isPrivatePage,
    limiter,
    publicUrl: config.publicUrl,
    patienceMs: parts.pagePatienceMs,
  })
  return app
}

/** Checks before the body is read who the caller is, where the request comes from, and whether it is allowed. */
function guard(
  app: FastifyInstance,
  { config, database, limiter, readAgain }: Parts & { limiter: Limiter; readAgain: ReadAgain },
): void {
  const cookieName = sessionCookieName(config.publicUrl)
  app.decorateRequest('viewer', null)
  const recognize = async (request: FastifyRequest) => {
    const token = tokenOf(request, cookieName)
    request.viewer = token ? await readAgain(() => findViewer(database.db, token)) : null
  }
  const accessMap: RouteAccess[] = []
  app.decorate('accessMap', accessMap)
  app.addHook('onRoute', ({ config: routeConfig, method, url }) => {
    const access = routeConfig?.access
    if (!access) throw new Error(`${String(method)} ${url} does not say who may call it`)
    for (const each of [method].flat()) accessMap.push({ method: each, url, access })
  })
  app.addHook('onRequest', async (request) => {
    const { access } = request.routeOptions.config
    if (access === 'signed' || access === 'file') return
    limitRequests(limiter, request, request.ip)
    if (request.is404) return
    requireSameOrigin(request, config)
    await recognize(request)
    if (request.viewer) limitRequests(limiter, request, request.viewer.id)
    requireAccess(access, request)
  })
  app.addHook('preValidation', async (request) => {
    const { access } = request.routeOptions.config
    if (!request.viewer || access === 'signed' || access === 'file' || !hasBody(request.headers)) return
    // The body may have taken long. A caller who has been signed out or has another role by now is refused.
    await recognize(request)
    requireAccess(access, request)
  })
}

/** Groups the documented calls by their subject: `/api/orders/…` under "orders". */
const describe: typeof jsonSchemaTransform = (call) => {
  const { schema, url } = jsonSchemaTransform(call)
  const [, about = 'shop'] = /^\/api\/(\w+)\//.exec(url) ?? []
  return { schema: { ...schema, tags: [about] }, url }
}

function openApiRoute(app: FastifyInstance): void {
  let document: string | undefined
  app.get(
    '/api/openapi.json',
    { config: { access: 'file' }, schema: { hide: true } },
    // Serialized only once, and compressed once for as long as it is cached: each takes milliseconds, and no rate
    // limit applies to this route.
    async (request, reply) => {
      const cached = await app.byteCache.get('openapi', async () => ({
        type: 'application/json; charset=utf-8',
        body: (document ??= JSON.stringify(app.swagger())),
      }))
      return replyWithCached(request, reply, cached)
    },
  )
}

/** Health checks usually wait a few seconds. A database under load is slow by tenths of a second. */
const healthPatienceMs = 2000

function healthRoute(app: FastifyInstance, { pool }: Database, ending: AbortSignal): void {
  const schema = {
    summary:
      'Whether the shop can serve: 503 while its database does not answer, and when it is about to end',
    response: { 200: z.object({ status: z.literal('ok') }), ...refusalResponses },
  }
  app.get('/health', { config: { access: 'file' }, schema }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    if (ending.aborted) throw unavailable('ending', 'The shop is about to end.')
    const query = pool.query<{ isReadOnly: boolean }>(
      `select current_setting('transaction_read_only')::boolean as "isReadOnly"`,
    )
    const { rows } = await withTimeout(healthPatienceMs, query, databaseUnavailable)
    if (rows[0]?.isReadOnly)
      throw unavailable('database_read_only', 'The database takes no changes right now.')
    return { status: 'ok' as const }
  })
}
