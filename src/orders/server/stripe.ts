import Stripe from 'stripe'
import { modeOf, type Config } from '#shop/platform/config.ts'
import { unavailable } from '#shop/platform/errors.ts'
import { withSoundAnswers } from './stripe-http.ts'
import * as words from './stripe-words.ts'
import type { ListedSession, ProviderSession, Refund, SessionRequest, Signal } from './stripe-words.ts'

export type PaymentProvider = {
  openSession(request: SessionRequest): Promise<{ id: string; url: string }>
  findSession(sessionId: string): Promise<ProviderSession | null>
  /** The session that a payment belongs to: what a refund names is the payment. */
  findSessionOfPayment(paymentId: string): Promise<string | null>
  /** With its lines. */
  findListedSession(sessionId: string): Promise<ListedSession | null>
  /** All of them, newest first; other shops of the same account included. */
  listSessions(): AsyncIterable<ListedSession>
  /** Those that were opened since then, newest first, with the reference that they were given. */
  listOpened(since: Date): AsyncIterable<{ id: string; url: string | null; checkoutId: string | null }>
  /** What was given back since then, and what of that failed, newest first. */
  listRefunds(since: Date): AsyncIterable<Refund>
  /** Null when the signature is not the provider's; otherwise what the event is about, if it concerns us. */
  readSignal(rawBody: Buffer, signature: string): { signal: Signal } | null
}

type Options = Pick<Config, 'publicUrl'> & {
  secretKey: string
  apiBase: string | undefined
  /** More than one while a secret is being exchanged for another. */
  webhookSecrets: string[]
  log?: (line: string) => void
  /** For each try. */
  answerMs?: number
}

/** Two tries of so long: whoever waits for an answer has one within ten seconds. */
export const standardAnswerMs = 4000

export function stripeProvider(options: Options): PaymentProvider {
  const { answerMs = standardAnswerMs, log = () => undefined } = options
  const stripe = new Stripe(options.secretKey, {
    timeout: answerMs,
    maxNetworkRetries: 1,
    ...addressOf(options.apiBase),
    telemetry: false,
    httpClient: withSoundAnswers(Stripe.createNodeHttpClient(), answerMs, log),
  })
  const isLive = modeOf(options.secretKey) === 'live'
  const understood = (session: Stripe.Checkout.Session) =>
    asking(async () => words.sessionOf(session, isLive))
  const listed = async (session: Stripe.Checkout.Session): Promise<ListedSession> => {
    const hasAllLines = session.line_items?.has_more === false
    const lines = hasAllLines
      ? session.line_items?.data
      : itemsOf(await asking(() => stripe.checkout.sessions.listLineItems(session.id, { limit: 100 })))
    return { ...(await understood(session)), lines: words.linesOf(lines ?? []) }
  }
  const retrieve = async (sessionId: string, expand: string[]) => {
    const session = await asking(() =>
      unlessMissing(stripe.checkout.sessions.retrieve(sessionId, { expand })),
    )
    // Anything else that is well-formed must not pass for a session that is not paid.
    if (session && session.id !== sessionId) throw noAnswer()
    return session
  }
  return {
    async openSession(request) {
      const session = await asking(() =>
        stripe.checkout.sessions.create(words.sessionParameters(request, options.publicUrl), {
          // Ours, not the SDK's random one: a repeated request after a lost answer is the same session.
          idempotencyKey: request.checkoutId,
        }),
      )
      if (session.client_reference_id !== request.checkoutId || !session.id || !session.url) throw noAnswer()
      return { id: session.id, url: session.url }
    },
    async findSession(sessionId) {
      const session = await retrieve(sessionId, ['payment_intent.latest_charge'])
      return session && understood(session)
    },
    async findListedSession(sessionId) {
      const session = await retrieve(sessionId, ['payment_intent.latest_charge', 'line_items'])
      return session && listed(session)
    },
    async findSessionOfPayment(paymentId) {
      const list = await asking(() => stripe.checkout.sessions.list({ payment_intent: paymentId, limit: 1 }))
      return itemsOf(list)[0]?.id ?? null
    },
    async *listSessions() {
      const expand = ['data.payment_intent.latest_charge', 'data.line_items']
      // Of so few at once, since all that they name is told with them.
      const pages = pagesOf((page) => stripe.checkout.sessions.list({ ...page, limit: 25, expand }))
      for await (const session of pages) yield listed(session)
    },
    async *listOpened(since) {
      const created = upFrom(since)
      for await (const session of pagesOf((page) => stripe.checkout.sessions.list({ ...page, created }))) {
        yield { id: session.id, url: session.url, checkoutId: session.client_reference_id }
      }
    },
    async *listRefunds(since) {
      const asked = { types: [...words.refundEvents], created: upFrom(since) }
      for await (const event of pagesOf((page) => stripe.events.list({ ...page, ...asked }))) {
        const refund = words.refundOf(event)
        if (refund) yield refund
      }
    },
    readSignal(rawBody, signature) {
      for (const secret of options.webhookSecrets) {
        try {
          return { signal: words.signalOf(stripe.webhooks.constructEvent(rawBody, signature, secret)) }
        } catch {
          // Not signed with this secret: perhaps with the next.
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

/** Everything of a list, a page at a time. */
async function* pagesOf<T extends { id: string }>(
  ask: (page: { limit: number; starting_after?: string }) => Promise<List<T>>,
): AsyncGenerator<T> {
  let after: string | undefined
  do {
    const list = await asking(() => ask({ limit: 100, ...(after && { starting_after: after }) }))
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

/** Whatever the provider does instead of answering, nothing is known of the outcome: 503, and ask again. */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof Error ? noAnswer(error) : error
  }
}

/** What the provider's own client said. */
const causeOf = (error: unknown) => (error instanceof Error ? error.cause : undefined)

/**
 * True when the provider will say nothing else under our idempotency key from now on: it has saved a failure, or what an
 * older version of the shop asked was not the same.
 * See https://docs.stripe.com/api/idempotent_requests
 */
export function isSavedFailure(error: unknown): boolean {
  const cause = causeOf(error)
  if (!(cause instanceof Stripe.errors.StripeError)) return false
  // 409 says the same of a request that is still under way.
  const isAnother = cause instanceof Stripe.errors.StripeIdempotencyError && cause.statusCode === 400
  return isAnother || cause.headers?.['idempotent-replayed'] === 'true'
}

/** True when it has failed at what it was asked: that may pass, or be what it has saved without saying so. */
export function isOwnFailure(error: unknown): boolean {
  const cause = causeOf(error)
  return cause instanceof Stripe.errors.StripeAPIError && cause.statusCode === 500
}

/** True when the provider has refused this one question, and may well answer others. */
export function isRefusal(error: unknown): boolean {
  return causeOf(error) instanceof Stripe.errors.StripeInvalidRequestError
}

/** True when the provider wants to be asked more slowly; see https://docs.stripe.com/rate-limits */
export function isTooFast(error: unknown): boolean {
  return causeOf(error) instanceof Stripe.errors.StripeRateLimitError
}

/** Somebody between us and the provider may answer 404 too; only the provider's own word counts. */
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
