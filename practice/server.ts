import Fastify from 'fastify'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { addApi } from './api.ts'
import { addCardPages, sendPage } from './card-routes.ts'
import { unknownPage } from './pages.ts'
import { expireDueSessions } from './provider.ts'
import type { Provider } from './provider.ts'
import { Store } from './store.ts'
import { Webhooks, usualRetryDelaysMs } from './webhooks.ts'

const maxBodyBytes = 512 * 1024
const expiryCheckMs = 1000

export type PracticeOptions = {
  /** 0 takes any free port. */
  port: number
  /** The provider's own store; no other process may use it meanwhile. */
  folder: string
  /** Without it events are kept for `/v1/events` and sent nowhere. */
  webhookUrl?: string | undefined
  webhookSecret: string
  retryDelaysMs?: number[]
  now?: () => number
}

export type Practice = { url: string; port: number; close: () => Promise<void> }

/** Starts the provider. Rejects when the port is taken, before it touches the store, which may be in use. */
export async function startPractice(options: PracticeOptions): Promise<Practice> {
  const { folder, webhookUrl, webhookSecret: secret, now = Date.now } = options
  const store = new Store(folder, now)
  const provider: Provider = { store, now, publicUrl: '', deliver: undefined }
  const webhooks =
    webhookUrl === undefined
      ? undefined
      : new Webhooks(store, {
          url: webhookUrl,
          secret,
          now,
          retryDelaysMs: options.retryDelaysMs ?? usualRetryDelaysMs,
        })
  if (webhooks) provider.deliver = (eventId) => webhooks.deliver(eventId)

  const opening = Promise.withResolvers<void>()
  const app = buildServer(provider, opening.promise)
  // On this machine alone: whoever reaches the provider can pay without real money.
  await app.listen({ port: options.port, host: '127.0.0.1' })
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : options.port
  provider.publicUrl = `http://localhost:${port}`
  try {
    await store.open()
  } catch (error) {
    opening.reject(error)
    await app.close()
    throw error
  }
  opening.resolve()
  webhooks?.resume()
  const expiry = setInterval(() => expireDueSessions(provider), expiryCheckMs)

  const close = async () => {
    clearInterval(expiry)
    await app.close()
    await webhooks?.close()
    await store.close()
  }
  return { url: provider.publicUrl, port, close }
}

function buildServer(provider: Provider, opened: Promise<void>): FastifyInstance {
  const app = Fastify({
    bodyLimit: maxBodyBytes,
    requestTimeout: 20_000,
    connectionTimeout: 30_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2000 },
    // Fastify's default is 100 characters, but the shop may ask for session ids of up to 255.
    routerOptions: { maxParamLength: 255 },
    // A malformed URL gets the same page as an unknown one.
    frameworkErrors: (_error, _request, reply: FastifyReply) => void sendPage(reply.code(404), unknownPage()),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  })
  opened.catch(() => undefined)
  app.addHook('onRequest', () => opened)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      done(null, body)
    },
  )
  // The pid lets the shop tell its own provider from another process on the port.
  app.get('/health', () => ({ status: 'ok', pid: process.pid }))
  app.register(async (api) => addApi(api, provider), { prefix: '/v1' })
  app.register(async (pages) => addCardPages(pages, provider))
  return app
}
