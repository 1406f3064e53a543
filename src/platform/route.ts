import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access, Checked, Endpoint, Reply, Titles } from '#shop/contract/endpoint.ts'
import { Problem } from '#shop/contract/problem.ts'
import { normalizeEmail } from '#shop/contract/shapes.ts'
import { notAllowed, notSignedIn, ShopError } from './errors.ts'
import { replyWithCached } from '#shop/platform/http/cached-answers.ts'

/** Who is calling, as the session says; the role is read anew for every request. */
export type Viewer = { id: string; email: string; role: 'user' | 'admin'; tokenHash: string }

/** One line of the table of who may call what; `accessMap` of the server has one for every route. */
export type RouteAccess = { method: string; url: string; access: Access | 'signed' | 'file' }

declare module 'fastify' {
  interface FastifyInstance {
    accessMap: readonly RouteAccess[]
  }
  interface FastifyRequest {
    viewer: Viewer | null
  }
  interface FastifyContextConfig {
    /**
     * Every route says who may call it, or the server does not start. `signed` checks a signature itself; `file`
     * is the same for everybody, so no session is looked up.
     */
    access?: Access | 'signed' | 'file'
    titles?: Titles | undefined
  }
}

type Handler<E extends Endpoint> = (
  input: Checked<E>,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Reply<E>>

type InTurn = <T>(work: () => Promise<T>, request: FastifyRequest) => Promise<T>

const refusal = { content: { 'application/problem+json': { schema: Problem } } }
/** The one shape of every refusal, as a route documents it. */
export const refusalResponses = { '4xx': refusal, '5xx': refusal }

/** Registers one endpoint of the contract: its checks in their order, its documentation and its handler. */
export function route<E extends Endpoint>(
  app: FastifyInstance,
  endpoint: E,
  handler: Handler<E>,
  options: { bodyLimit?: number } = {},
): void {
  const status = endpoint.status ?? 200
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    config: {
      access: endpoint.access,
      titles: endpoint.titles,
      lane: endpoint.lane ?? 'calls',
      evenWithoutRoom: endpoint.evenWithoutRoom,
    },
    ...options,
    schema: {
      summary: endpoint.summary,
      ...(endpoint.access !== 'anyone' && { security: [{ session: [] }, { bearer: [] }] }),
      ...(endpoint.params && { params: endpoint.params }),
      ...(endpoint.query && { querystring: endpoint.query }),
      ...(endpoint.headers && { headers: endpoint.headers }),
      ...(endpoint.body && { body: endpoint.body }),
      response: {
        [status]: replyOf(endpoint),
        ...(endpoint.mayReplace && { 200: endpoint.reply }),
        ...refusalResponses,
      },
    },
    handler: async (request, reply) => {
      reply.status(status)
      // A proxy or a shared computer must not keep what one person may see for the next, nor an outdated state.
      reply.header('cache-control', 'no-store')
      const { params, query, headers, body } = request
      // The schemas that the types come from have just checked these values.
      const answer = await handler({ params, query, headers, body } as Checked<E>, request, reply)
      logAdminChange(endpoint, request)
      return answer
    },
  })
}

function logAdminChange({ access, method, isBodyLogged }: Endpoint, request: FastifyRequest): void {
  const isForAdmins = access === 'admin' || (typeof access === 'object' && !isOwn(access, request))
  if (!isForAdmins || method === 'GET') return
  const { params, body } = request
  logAdmin(request, 'changed', { admin: requireViewer(request).id, params, ...(isBodyLogged && { body }) })
}

/** Logs what an admin did. Other requests are logged only if they fail. */
export function logAdmin(
  { log, method, routeOptions }: FastifyRequest,
  did: 'signed in' | 'changed',
  details: { admin: string; params?: unknown; body?: unknown },
): void {
  log.child({}, { level: 'info' }).info({ method, route: routeOptions.url, ...details }, did)
}

/**
 * Registers an endpoint that answers everybody the same, so that its answers are cached as bytes until something
 * changes. Its handler may look at nothing but the checked input.
 *
 * @param inTurn runs the handler when its turn has come; only for answers that are not cached
 */
export function cachedRoute<E extends Endpoint>(
  app: FastifyInstance,
  endpoint: E,
  handler: (input: Checked<E>) => Promise<Reply<E>>,
  inTurn: InTurn = (work) => work(),
): void {
  if (endpoint.access !== 'anyone' || endpoint.method !== 'GET') {
    throw new Error(`${endpoint.path} is not the same for everybody`)
  }
  const { method, path, summary, access, params, query, reply: shape, titles } = endpoint
  app.route({
    method,
    url: path,
    config: { access, titles, lane: 'calls' },
    schema: {
      summary,
      ...(params && { params }),
      ...(query && { querystring: query }),
      response: { 200: shape, ...refusalResponses },
    },
    handler: async (request, reply) => {
      const input = { params: request.params, query: request.query }
      const key = `${path} ${JSON.stringify(input)}`
      const read = () =>
        app.byteCache.get(key, async () => {
          const checked = { ...input, headers: undefined, body: undefined } as Checked<E>
          const answer = await handler(checked)
          return { type: 'application/json; charset=utf-8', body: JSON.stringify(shape.parse(answer)) }
        })
      // Each request waits for a turn of its own, and shares work only then: otherwise it would wait, or be refused,
      // with whoever asked first.
      const isCachedOrRendering = () => app.byteCache.isCachedOrRendering(key)
      const inOwnTurn = () =>
        inTurn(read, request).catch((error: unknown) => {
          if (!isCachedOrRendering()) throw error
          return read()
        })
      const cached = await (isCachedOrRendering() ? read() : inOwnTurn())
      return replyWithCached(request, reply, cached)
    },
  })
}

function replyOf({ reply, replyType }: Endpoint) {
  return replyType ? { content: { [replyType]: { schema: reply } } } : reply
}

/**
 * Runs before the input is checked: a stranger learns neither what an endpoint expects nor what exists.
 *
 * @throws ShopError 401 or 403
 */
export function requireAccess(access: Access | undefined, request: FastifyRequest): void {
  const { viewer } = request
  if (access === 'anyone') return
  if (!viewer) throw notSignedIn()
  if (access === 'user' || viewer.role === 'admin') return
  if (access === undefined || access === 'admin') {
    const title = 'Access denied! You must be an admin'
    throw new ShopError(403, 'not_allowed', title, { title })
  }
  if (!isOwn(access, request)) throw notAllowed()
}

function isOwn({ own, is }: Exclude<Access, string>, { viewer, params }: FastifyRequest): boolean {
  // May not be checked yet, but a path parameter is always text.
  const named = (params as Record<string, string>)[own]
  return is === 'email' ? normalizeEmail(named ?? '') === viewer?.email : named === viewer?.id
}

/** The caller of a route that only the signed-in may call. */
export function requireViewer({ viewer }: FastifyRequest): Viewer {
  if (!viewer) throw notSignedIn()
  return viewer
}
