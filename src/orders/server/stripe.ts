import Stripe from 'stripe'
import { modeOf, type Config } from '#shop/platform/config.ts'
import { unavailable } from '#shop/platform/errors.ts'
import { withCheckedResponses } from './stripe-http.ts'
import * as mapping from './stripe-mapping.ts'
import type { ListedSession, ProviderSession, Refund, SessionRequest, Signal } from './stripe-mapping.ts'

export type PaymentProvider = {
  openSession(request: SessionRequest): Promise<{ id: string; url: string }>
  findSession(sessionId: string): Promise<ProviderSession | null>
  /** The session that a payment belongs to; refund events name only the payment. */
  findSessionOfPayment(paymentId: string): Promise<string | null>
  /** The session with its lines. */
  findListedSession(sessionId: string): Promise<ListedSession | null>
  /** All sessions, newest first, including those of other shops on the same account. */
  listSessions(): AsyncIterable<ListedSession>
  /** Sessions opened since then, newest first, each with the reference it was given. */
  listOpened(since: Date): AsyncIterable<{ id: string; url: string | null; checkoutId: string | null }>
  /** Refunds and failed refunds since then, newest first. */
  listRefunds(since: Date): AsyncIterable<Refund>
  /** Null when the signature is wrong; `signal` says what the event is about, null if it does not concern us. */
  readSignal(rawBody: Buffer, signature: string): { signal: Signal } | null
}

type Options = Pick<Config, 'publicUrl'> & {
  secretKey: string
  apiBase: string | undefined
  /** More than one while a secret is being replaced. */
  webhookSecrets: string[]
  log?: (line: string) => void
  /** Time limit for each try. */
  answerMs?: number
}

/** With two tries of this length, a request that waits for the provider has its answer within ten seconds. */
export const standardAnswerMs = 4000

export function stripeProvider(options: Options): PaymentProvider {
  const { answerMs = standardAnswerMs, log = () => undefined } = options
  const stripe = new Stripe(options.secretKey, {
    timeout: answerMs,
    maxNetworkRetries: 1,
    ...addressOf(options.apiBase),
    telemetry: false,
    httpClient: withCheckedResponses(Stripe.createNodeHttpClient(), answerMs, log),
  })
  const isLive = modeOf(options.secretKey) === 'live'
  const toProviderSession = (session: Stripe.Checkout.Session) =>
    orUnavailable(async () => mapping.sessionOf(session, isLive))
  const toListedSession = async (session: Stripe.Checkout.Session): Promise<ListedSession> => {
    const hasAllLines = session.line_items?.has_more === false
    const lines = hasAllLines
      ? session.line_items?.data
      : itemsOf(await orUnavailable(() => stripe.checkout.sessions.listLineItems(session.id, { limit: 100 })))
    return { ...(await toProviderSession(session)), lines: mapping.linesOf(lines ?? []) }
  }
  const retrieve = async (sessionId: string, expand: string[]) => {
    const session = await orUnavailable(() =>
      unlessMissing(stripe.checkout.sessions.retrieve(sessionId, { expand })),
    )
    // Another well-formed object must not pass for a session that is not paid.
    if (session && session.id !== sessionId) throw noAnswer()
    return session
  }
  return {
    async openSession(request) {
      const session = await orUnavailable(() =>
        stripe.checkout.sessions.create(mapping.sessionParameters(request, options.publicUrl), {
          // Our own key, not the SDK's random one: a retry after a lost response gets the same session.
          idempotencyKey: request.checkoutId,
        }),
      )
      if (session.client_reference_id !== request.checkoutId || !session.id || !session.url) throw noAnswer()
      return { id: session.id, url: session.url }
    },
    async findSession(sessionId) {
      const session = await retrieve(sessionId, ['payment_intent.latest_charge'])
      return session && toProviderSession(session)
    },
    async findListedSession(sessionId) {
      const session = await retrieve(sessionId, ['payment_intent.latest_charge', 'line_items'])
      return session && toListedSession(session)
    },
    async findSessionOfPayment(paymentId) {
      const list = await orUnavailable(() =>
        stripe.checkout.sessions.list({ payment_intent: paymentId, limit: 1 }),
      )
      return itemsOf(list)[0]?.id ?? null
    },
    async *listSessions() {
      const expand = ['data.payment_intent.latest_charge', 'data.line_items']
      // Small pages, because each session comes with the objects it refers to.
      const pages = listAll((page) => stripe.checkout.sessions.list({ ...page, limit: 25, expand }))
      for await (const session of pages) yield toListedSession(session)
    },
    async *listOpened(since) {
      const created = upFrom(since)
      for await (const session of listAll((page) => stripe.checkout.sessions.list({ ...page, created }))) {
        yield { id: session.id, url: session.url, checkoutId: session.client_reference_id }
      }
    },
    async *listRefunds(since) {
      const filter = { types: [...mapping.refundEvents], created: upFrom(since) }
      for await (const event of listAll((page) => stripe.events.list({ ...page, ...filter }))) {
        const refund = mapping.refundOf(event)
        if (refund) yield refund
      }
    },
    readSignal(rawBody, signature) {
      for (const secret of options.webhookSecrets) {
        try {
          return { signal: mapping.signalOf(stripe.webhooks.constructEvent(rawBody, signature, secret)) }
        } catch {
          // Not signed with this secret; the next may match.
        }
      }
      return null
    },
  }
}

function addressOf(apiBase: string | undefined) {
  if (!apiBase) return {}
  const { hostname, port, protocol } = new URL(apiBase)
  const isPlain = protocol === 'http:'
  return {
    host: hostname,
    port: port || (isPlain ? 80 : 443),
    protocol: isPlain ? ('http' as const) : ('https' as const),
  }
}

const upFrom = (moment: Date) => ({ gte: Math.floor(moment.getTime() / 1000) })

type List<T> = { data: T[]; has_more: boolean }

/** All items of a list, fetched page by page. */
async function* listAll<T extends { id: string }>(
  ask: (page: { limit: number; starting_after?: string }) => Promise<List<T>>,
): AsyncGenerator<T> {
  let after: string | undefined
  do {
    const list = await orUnavailable(() => ask({ limit: 100, ...(after && { starting_after: after }) }))
    const items = itemsOf(list)
    yield* items
    after = list.has_more ? items.at(-1)?.id : undefined
  } while (after)
}

function itemsOf<T>(list: List<T>): T[] {
  if (!Array.isArray(list.data)) throw noAnswer()
  return list.data
}

function noAnswer(cause?: Error): Error {
  const problem = unavailable('provider_unavailable', 'The payment provider cannot be reached right now.')
  return Object.assign(problem, { cause })
}

/** Turns every failure of a request to the provider into a 503: its outcome is unknown, and it may be retried. */
async function orUnavailable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof Error ? noAnswer(withReason(error)) : error
  }
}

/** The SDK keeps the network's error as `detail`; here it becomes the cause, from which reasons are read. */
function withReason(error: Error): Error {
  const isConnection = error instanceof Stripe.errors.StripeConnectionError
  return isConnection ? Object.assign(error, { cause: error.detail }) : error
}

/** The SDK's own error, which `orUnavailable` keeps as the cause. */
const causeOf = (error: unknown) => (error instanceof Error ? error.cause : undefined)

/**
 * True when the provider will give the same answer under our idempotency key from now on: it has saved a failure,
 * or an older version of the shop sent other parameters under it.
 * See https://docs.stripe.com/api/idempotent_requests
 */
export function isSavedFailure(error: unknown): boolean {
  const cause = causeOf(error)
  if (!(cause instanceof Stripe.errors.StripeError)) return false
  // With 409, the same error type means that a request with this key is still in progress.
  const isAnother = cause instanceof Stripe.errors.StripeIdempotencyError && cause.statusCode === 400
  return isAnother || cause.headers?.['idempotent-replayed'] === 'true'
}

/** True when the provider answered 500. That may pass, or be a saved failure that is not marked as one. */
export function isProviderFailure(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof Stripe.errors.StripeAPIError && cause.statusCode === 500
}

/** True when the provider has refused this one request; it may well accept others. */
export function isRefusal(error: unknown): boolean {
  return causeOf(error) instanceof Stripe.errors.StripeInvalidRequestError
}

/** True when the provider's rate limit is reached; see https://docs.stripe.com/rate-limits */
export function isTooFast(error: unknown): boolean {
  return causeOf(error) instanceof Stripe.errors.StripeRateLimitError
}

/** Null when the provider itself says that there is no such object; a 404 from a proxy does not count. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    const isMissing =
      error instanceof Stripe.errors.StripeInvalidRequestError &&
      error.statusCode === 404 &&
      error.code === 'resource_missing'
    if (isMissing) return null
    throw error
  }
}
