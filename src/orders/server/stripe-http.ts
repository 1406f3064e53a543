import { Readable } from 'node:stream'
import type Stripe from 'stripe'

type HttpClient = InstanceType<typeof Stripe.HttpClient>
type Log = (line: string) => void
type Answer = Awaited<ReturnType<HttpClient['makeRequest']>>

/** Webhook events signed more than five minutes ago are refused; this warns well before that. */
const clockMayDifferMs = 60_000

/**
 * Makes the SDK's HTTP client check responses. JSON that is not an object (`"ok"`, `1`) would throw outside of any
 * promise that we hold, and end the process. The `Date` header is compared with our clock.
 *
 * @param answerMs for connecting and the whole response, however slowly its bytes come. The SDK's own timeout
 *   restarts with every byte, does not run while connecting, and misses what is no final response, such as a 101
 */
export function withCheckedResponses(client: HttpClient, answerMs: number, log: Log): HttpClient {
  const compareClocks = clockComparison(log)
  const makeRequest = client.makeRequest.bind(client)
  client.makeRequest = async (...request) => {
    const inTime = startDeadline(answerMs)
    const responding = makeRequest(...request)
    const answer = await inTime(responding).catch((error: unknown) => {
      responding.then(end, () => undefined)
      throw error
    })
    compareClocks(answer.getHeaders().date)
    const read = answer.toJSON.bind(answer)
    answer.toJSON = () => readObject(answer, inTime(read()))
    return answer
  }
  return client
}

/** Logs once when our clock starts to differ from the provider's, and once when it agrees again. */
function clockComparison(log: Log): (theirs: unknown) => void {
  let wasOff = false
  return (theirs) => {
    const aheadMs = typeof theirs === 'string' ? Date.now() - Date.parse(theirs) : NaN
    if (Number.isNaN(aheadMs)) return
    const isOff = Math.abs(aheadMs) > clockMayDifferMs
    if (isOff && !wasOff) {
      const minutes = Math.round(Math.abs(aheadMs) / 60_000)
      const where =
        aheadMs > 0
          ? 'ahead of the payment provider’s, whose webhooks may seem too old: orders can be a minute late'
          : 'behind the payment provider’s: if the database’s is too, new checkouts are refused from half an hour on'
      log(`This machine’s clock is ${minutes} min ${where}`)
    }
    if (wasOff && !isOff) log('This machine’s clock agrees with the payment provider’s again')
    wasOff = isOff
  }
}

/** Starts a deadline: work that is not done by then is rejected, whatever becomes of it. */
function startDeadline(ms: number): <T>(work: Promise<T>) => Promise<T> {
  const late = Promise.withResolvers<never>()
  // Prevents an unhandled rejection when nobody is waiting any more.
  late.promise.catch(() => undefined)
  setTimeout(() => late.reject(new Error('The answer took too long')), ms).unref()
  return (work) => Promise.race([work, late.promise])
}

async function readObject(answer: Answer, read: Promise<unknown>): Promise<object> {
  try {
    const body = await read
    if (typeof body === 'object' && body) return body
    throw new Error('The answer is not an object')
  } catch (error) {
    end(answer)
    throw error
  }
}

/** Drops the rest of the response. */
function end(answer: Answer): void {
  const raw: unknown = answer.getRawResponse()
  if (raw instanceof Readable) raw.destroy()
}
