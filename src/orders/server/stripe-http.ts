import { Readable } from 'node:stream'
import type Stripe from 'stripe'

type HttpClient = InstanceType<typeof Stripe.HttpClient>
type Answer = Awaited<ReturnType<HttpClient['makeRequest']>>

/** For the whole of an answer, however slowly its bytes come: the client's own time-out starts anew with each of them. */
const wholeAnswerMs = 4000

/**
 * The client's own connection, minding what answers are. One that is JSON but no object (`"ok"`, `1`) would throw
 * outside of any promise that we hold, and end the process.
 */
export function withSoundAnswers(client: HttpClient): HttpClient {
  const ask = client.makeRequest.bind(client)
  client.makeRequest = async (...request) => {
    const answer = await ask(...request)
    const read = answer.toJSON.bind(answer)
    answer.toJSON = () => readObject(answer, read)
    return answer
  }
  return client
}

async function readObject(answer: Answer, read: () => Promise<unknown>): Promise<object> {
  const raw: unknown = answer.getRawResponse()
  const giveUp = () => {
    if (raw instanceof Readable) raw.destroy()
    late.reject(new Error('The answer took too long'))
  }
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(giveUp, wholeAnswerMs)
  const reading = read()
  // The one that comes second is nobody's any more.
  reading.catch(() => undefined)
  late.promise.catch(() => undefined)
  try {
    const body = await Promise.race([reading, late.promise])
    if (typeof body === 'object' && body) return body
    throw new Error('The answer is no object')
  } finally {
    clearTimeout(timer)
  }
}
