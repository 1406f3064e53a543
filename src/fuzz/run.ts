import { randomFrom, type Random } from '#shop/faults/random.ts'
import { pay } from '#shop/testing/payments.ts'
import type { TestApp } from '#shop/testing/test-app.ts'
import { readDocument, type Call } from './document.ts'
import { anyHostile, valueFor } from './values.ts'
import { brokenInvariants, fillWorld, newVictim, signInAgain, type Role, type World } from './world.ts'

export type FuzzReport = {
  requests: number
  /** How often each status was answered. */
  statuses: Record<string, number>
  violations: string[]
  slowestMs: number
  p99Ms: number
  grownMb: number
}

const roles: Role[] = ['anonymous', 'user', 'other', 'admin']
/** With these a shop may answer that it can not right now. */
const excuses = /"code":"(provider_unavailable|pictures_busy|passwords_busy|overloaded|try_again)"/
const inside = /node_modules|\.ts:\d|at async |select .* from |ERROR:|password_?hash|argon2/i

/** Requests from the shop's own document, as each role, valid and hostile, one after the other; a seed repeats them. */
export async function fuzz(shop: TestApp, options: { requests: number; seed: string }): Promise<FuzzReport> {
  const random = randomFrom(options.seed)
  const world = await fillWorld(shop)
  const calls = await readDocument(shop)
  const statuses: Record<string, number> = {}
  const times: number[] = []
  const violations: string[] = []
  const before = process.memoryUsage().rss
  for (let index = 0; index < options.requests; index += 1) {
    const call = random.pick(calls)
    const role = random.pick(roles)
    const request = await requestFor(world, call, role, random)
    const begun = performance.now()
    const response = await fetch(shop.url + request.url, request.init)
    const text = await response.text()
    times.push(performance.now() - begun)
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    const type = response.headers.get('content-type') ?? ''
    const problem = faultOf(world, call, role, request, { status: response.status, type, text })
    if (problem) violations.push(`${index}: ${call.method} ${request.url} as ${role}: ${problem}`)
    await follow(world, call, role, response.status, text, random)
  }
  violations.push(...(await brokenInvariants(world)))
  times.sort((one, other) => one - other)
  return {
    requests: options.requests,
    statuses,
    violations,
    slowestMs: Math.round(times.at(-1) ?? 0),
    p99Ms: Math.round(times[Math.floor(times.length * 0.99)] ?? 0),
    grownMb: Math.round((process.memoryUsage().rss - before) / 1e6),
  }
}

type Made = { url: string; init: RequestInit; named: string | undefined; isStrange: boolean }

async function requestFor(world: World, call: Call, role: Role, random: Random): Promise<Made> {
  const { known, people } = world
  const headers: Record<string, string> = {}
  if (role !== 'anonymous') headers.authorization = people[role].headers.authorization
  let named: string | undefined
  let url = call.path
  const query = new URLSearchParams()
  for (const { in: place, name, schema, required } of call.parameters) {
    if (place !== 'path' && !required && random.chance(0.5)) continue
    let value = textOf(valueFor(schema, name, random, known))
    // Nobody deletes or demotes those who go on calling.
    if (place === 'path' && /^\/api\/auth\/users/.test(call.path)) value = await newVictim(world)
    if (place === 'path') {
      named = value
      url = url.replace(`{${name}}`, encodeURIComponent(value) || '%20')
    } else if (place === 'query') query.append(name, value)
    else if (/^[\x20-\x7e]+$/.test(value)) headers[name] = value.trim()
  }
  const init: RequestInit = { method: call.method, headers }
  const isStrange = random.chance(0.05)
  if (call.body) {
    headers['content-type'] = 'application/json'
    const body = isStrange ? anyHostile(random) : valueFor(call.body, '', random, known)
    init.body = isStrange && random.chance(0.3) ? '{"a":' : JSON.stringify(body)
  }
  const text = query.toString()
  return { url: text ? `${url}?${text}` : url, init, named, isStrange }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.toWellFormed().slice(0, 3000)
}

type Answer = { status: number; type: string; text: string }

function faultOf(world: World, call: Call, role: Role, request: Made, answer: Answer): string | undefined {
  const { status, type, text } = answer
  if (status >= 500 && !(status === 503 && excuses.test(text)))
    return `answers ${status}: ${text.slice(0, 200)}`
  if (status >= 400 && inside.test(text)) return `tells of its inside: ${text.slice(0, 200)}`
  const expected = refusalFor(world, call, role, request)
  if (expected && !expected.includes(status)) return `answers ${status}, not ${expected.join(' or ')}`
  const mayRefuse = call.path === '/api/auth/login' || call.path === '/api/auth/change-password'
  if (!expected && status === 401 && !mayRefuse) return 'answers 401 to somebody who may'
  return call.faultOf(status, type, text)
}

/** The statuses of which one must be answered, when who calls may not; an address that names nothing is 404. */
function refusalFor({ people }: World, { access }: Call, role: Role, { named }: Made): number[] | undefined {
  if (access === 'anyone' || role === 'admin') return undefined
  if (role === 'anonymous') return [401]
  if (access === 'admin') return [403]
  if (typeof access === 'string') return undefined
  const { id, email } = people[role].user
  const isOwn = access.is === 'id' ? named === id : named?.trim().toLowerCase() === email
  // What can not be an id at all is not looked up, and a body may be refused before its owner is asked for.
  return isOwn ? undefined : [403, 404, 400]
}

/** What follows from an answer: new things to name, a card that is charged, a session that is over. */
async function follow(world: World, call: Call, role: Role, status: number, text: string, random: Random) {
  const { known, people } = world
  if (call.path === '/api/auth/logout' && status === 200 && role !== 'anonymous') {
    await signInAgain(world, people[role])
  }
  if (status !== 201) return
  const body = JSON.parse(text) as { id?: string; url?: string; data?: { _id?: string } }
  if (call.path === '/api/orders/create-checkout-session' && body.url && body.id) {
    keep(known.session_id, body.id)
    if (random.chance(0.7)) await pay(body.url)
  } else if (call.path === '/api/products/create-product') {
    keep(known._id, body.data?._id)
    keep(known.productId, body.data?._id)
  }
}

/** The newest are the most interesting; the oldest go. */
function keep(list: unknown[] | undefined, value: unknown): void {
  if (!list || value === undefined) return
  list.push(value)
  if (list.length > 40) list.splice(0, 10)
}
