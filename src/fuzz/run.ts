import { submitCard } from '#shop/testing/card-page.ts'
import { brokenInvariants } from '#shop/testing/invariants.ts'
import { randomFrom, type Random } from '#shop/testing/random.ts'
import type { TestApp } from '#shop/testing/test-app.ts'
import { readDocument, type Call } from './document.ts'
import { faultOf, type Answer } from './judge.ts'
import { requestFor, type FuzzRequest } from './request.ts'
import { fillWorld, keep, signInAgain, type Role, type World } from './world.ts'

type FuzzReport = {
  requests: number
  /** How many responses had each status. */
  statuses: Record<string, number>
  /** Calls that never succeeded; with more requests there are fewer. */
  neverSucceeded: string[]
  violations: string[]
  slowest: { ms: number; call: string }
  p99Ms: number
  /** Of the whole process: after the first tenth of the requests, and at the end. */
  rssMb: { early: number; late: number }
}

const roles: Role[] = ['anonymous', 'user', 'other', 'admin']
const lanes = 4
/** A request without a response by now will never get one. */
const longestMs = 25_000
/** A shop that leaks memory would exceed this after some thousands of requests. */
const mostGrowthMb = 400
const sayEveryMs = 60_000
const linesOfStory = 6

/**
 * Sends requests made from the shop's own document, as each role, valid and hostile. Several lanes run at once.
 * Each has its own people and order of requests, which the seed repeats; all of them use the same shop.
 */
export async function fuzz(
  shop: TestApp,
  options: { requests: number; seed: string; log?: (line: string) => void },
): Promise<FuzzReport> {
  const { requests, seed, log = () => {} } = options
  const calls = await readDocument(shop)
  const worlds = await Promise.all(Array.from({ length: lanes }, () => fillWorld(shop)))
  const report: FuzzReport = {
    requests: 0,
    statuses: {},
    neverSucceeded: [],
    violations: [],
    slowest: { ms: 0, call: '' },
    p99Ms: 0,
    rssMb: { early: rssMb(), late: 0 },
  }
  const times: number[] = []
  const done = new Set<Call>()
  const count = (call: Call, ms: number, status: number) => {
    report.requests += 1
    report.statuses[status] = (report.statuses[status] ?? 0) + 1
    times.push(ms)
    if (status >= 200 && status < 300) done.add(call)
    if (ms > report.slowest.ms)
      report.slowest = { ms: Math.round(ms), call: `${call.method} ${call.path} ${status}` }
    if (report.requests === Math.ceil(requests / 10)) report.rssMb.early = rssMb()
  }
  const timer = setInterval(() => {
    const { requests: asked, slowest, violations } = report
    log(
      `${asked} requests, slowest ${slowest.ms} ms (${slowest.call}), ${rssMb()} MB, ${violations.length} violations`,
    )
  }, sayEveryMs)
  await Promise.all(
    worlds.map(async (world, lane) => {
      const random = randomFrom(`${seed}/${lane}`)
      const story = startStory()
      while (report.requests + lanes <= requests) {
        const [call, role] = [random.pick(calls), random.pick(roles)]
        const request = await requestFor(world, call, role, random)
        const begun = performance.now()
        const answer = await send(shop.url + request.url, request.init)
        count(call, performance.now() - begun, answer.status)
        story.add(role, call, request, answer)
        const problem = faultOf(world, call, role, request, answer)
        if (problem) report.violations.push(`${problem}\n${story.of(role)}`)
        await follow(world, call, role, answer, random)
      }
    }),
  )
  clearInterval(timer)
  report.rssMb.late = rssMb()
  report.neverSucceeded = calls
    .filter((call) => !done.has(call))
    .map(({ method, path }) => `${method} ${path}`)
  if (report.rssMb.late > report.rssMb.early + mostGrowthMb)
    report.violations.push(`grows from ${report.rssMb.early} to ${report.rssMb.late} MB`)
  report.violations.push(...(await brokenInvariants(shop.database.db)))
  report.p99Ms = Math.round(times.sort((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0)
  return report
}

const rssMb = () => Math.round(process.memoryUsage().rss / 1e6)

/** A missing response is reported as status 0. */
async function send(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(longestMs) })
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, type, text: await response.text() }
  } catch (error) {
    return { status: 0, type: '', text: String(error instanceof Error ? (error.cause ?? error) : error) }
  }
}

/** The last requests of each role, in a form to read and to repeat them. */
function startStory() {
  const last = new Map<Role, string[]>()
  return {
    add(role: Role, call: Call, { url, init }: FuzzRequest, { status, text }: Answer) {
      const { authorization, ...headers } = init.headers
      const sent = `${call.method} ${url} ${JSON.stringify(headers)} ${init.body?.slice(0, 1500) ?? ''}`
      const line = `  ${role}${authorization ? '' : ' (signed out)'}: ${sent}\n    -> ${status} ${text.slice(0, 300)}`
      last.set(role, [...(last.get(role) ?? []).slice(1 - linesOfStory), line])
    },
    of: (role: Role) => (last.get(role) ?? []).join('\n'),
  }
}

/** Acts on a response: remembers new names, pays by card, or signs in again after a session has ended. */
async function follow(world: World, call: Call, role: Role, { status, text }: Answer, random: Random) {
  const { known, people } = world
  if (status !== 200 && status !== 201) return
  const name = (value: unknown, ...as: string[]) => as.forEach((each) => keep(known[each], value))
  switch (call.path) {
    case '/api/auth/logout':
    case '/api/auth/change-password':
      return role === 'anonymous' ? undefined : signInAgain(world, people[role])
    case '/api/products/create-product':
      return name((JSON.parse(text) as { data: { _id: string } }).data._id, '_id', 'productId', 'id')
    case '/api/orders/confirm-payment':
      return name((JSON.parse(text) as { data: { orderId: string } }).data.orderId, 'id', 'payment_intent')
    case '/api/orders/create-checkout-session': {
      const { id, url } = JSON.parse(text) as { id: string; url: string }
      name(id, 'session_id', 'id')
      if (random.chance(0.7)) await submitCard(url)
    }
  }
}
