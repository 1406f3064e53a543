import { Readable } from 'node:stream'
import type Stripe from 'stripe'

type HttpClient = InstanceType<typeof Stripe.HttpClient>
type Log = (line: string) => void
type Answer = Awaited<ReturnType<HttpClient['makeRequest']>>

/** A signal that was signed longer ago than five minutes is refused; this is well before. */
const clockMayDifferMs = 60_000

/**
 * The client's own connection, minding what answers are. One that is JSON but no object (`"ok"`, `1`) would throw
 * outside of any promise that we hold, and end the process. The time that they say is compared with ours.
 *
 * @param answerMs for the connection and the whole of an answer, however slowly its bytes come: the client's own
 * time-out starts anew with each of them, does not run while it connects, and knows nothing of answers that are none
 */
export function withSoundAnswers(client: HttpClient, answerMs: number, log: Log): HttpClient {
  const compareClocks = clockComparison(log)
  const ask = client.makeRequest.bind(client)
  client.makeRequest = async (...request) => {
    const inTime = startDeadline(answerMs)
    const asked = ask(...request)
    const answer = await inTime(asked).catch((error: unknown) => {
      asked.then(end, () => undefined)
      throw error
    })
    compareClocks(answer.getHeaders().date)
    const read = answer.toJSON.bind(answer)
    answer.toJSON = () => readObject(answer, inTime(read()))
    return answer
  }
  return client
}

/** Says it once when our clock is no longer the provider's, and once when it is again. */
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
          ? 'ahead of the payment provider’s, whose signals may seem too old: orders can be a minute late'
          : 'behind the payment provider’s, which refuses every new checkout from half an hour on'
      log(`This machine’s clock is ${minutes} min ${where}`)
    }
    if (wasOff && !isOff) log('This machine’s clock is the payment provider’s again')
    wasOff = isOff
  }
}

/** What is not done when the time is over fails, whatever becomes of it. */
function startDeadline(ms: number): <T>(work: Promise<T>) => Promise<T> {
  const late = Promise.withResolvers<never>()
  // Nobody may be waiting for it any more.
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

/** Nobody waits for the rest of it. */
function end(answer: Answer): void {
  const raw: unknown = answer.getRawResponse()
  if (raw instanceof Readable) raw.destroy()
}
