import { practiceStripe } from '#shop/testing/payments.ts'
import type { Random } from '#shop/testing/random.ts'
import { webhookSecret } from '#shop/testing/test-app.ts'
import type { Call } from './document.ts'
import { anyHostile, valueFor } from './values.ts'
import { newVictim, type Role, type World } from './world.ts'

export type FuzzRequest = {
  url: string
  init: Omit<RequestInit, 'headers' | 'body'> & { headers: Record<string, string>; body?: string }
  /** The value of the path's parameter. */
  named: string | undefined
}

/** Bodies that are no JSON, or that hide something in it. */
const brokenBodies = [
  '{"a":',
  '{"__proto__":{"role":"admin"}}',
  '{"constructor":{"prototype":{"role":"admin"}}}',
  '{"a":1}{"a":2}',
  `${'['.repeat(9000)}${']'.repeat(9000)}`,
  '{"price":1e309}',
  '{"price":NaN}',
  '[1,2,3]',
  'null',
  '',
] as const

/** Headers that some servers trust. */
const oddHeaders = [
  { 'x-http-method-override': 'DELETE' },
  { 'x-method-override': 'PUT' },
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
  { 'x-original-url': '/api/auth/users', 'x-rewrite-url': '/api/auth/users' },
  { accept: 'application/xml' },
  { 'accept-encoding': 'zstd;q=1, br;q=2, *;q=-1' },
  { range: 'bytes=0-99999999999999999999' },
  { cookie: 'sid=; sid=%00; __Host-sid=x; =; a=%zz' },
  { 'content-type': 'application/json; charset=utf-7' },
] as const

/** Makes one request for this call by this role: mostly as documented, sometimes with anything at all. */
export async function requestFor(world: World, call: Call, role: Role, random: Random): Promise<FuzzRequest> {
  const { known, people } = world
  const headers: Record<string, string> = {}
  if (role !== 'anonymous') headers.authorization = people[role].headers.authorization
  let named: string | undefined
  let url = call.path
  const query = new URLSearchParams()
  for (const { in: place, name, schema, required } of call.parameters) {
    if (place !== 'path' && !required && random.chance(0.5)) continue
    let value = textOf(valueFor(schema, name, random, known))
    // A new victim each time, so that nobody deletes or demotes the people who make the requests.
    if (place === 'path' && /^\/api\/auth\/users/.test(call.path)) value = await newVictim(world)
    if (place === 'path') {
      named = value
      url = url.replace(`{${name}}`, encodeURIComponent(value) || '%20')
    } else if (place === 'query') {
      query.append(name, value)
      if (random.chance(0.03)) query.append(name, textOf(anyHostile(random)))
    } else if (/^[\x20-\x7e]+$/.test(value)) headers[name] = value.trim()
  }
  const init: FuzzRequest['init'] = { method: call.method, headers }
  if (call.body) {
    headers['content-type'] = 'application/json'
    init.body = bodyFor(call.body, random, known)
    if (call.access === 'signed' && random.chance(0.7))
      headers['stripe-signature'] = signatureOf(world, init.body)
  }
  if (random.chance(0.03)) Object.assign(headers, random.pick(oddHeaders))
  const text = query.toString()
  return { url: text ? `${url}?${text}` : url, init, named }
}

function bodyFor(schema: NonNullable<Call['body']>, random: Random, known: World['known']): string {
  if (random.chance(0.02)) return random.pick(brokenBodies)
  const value = random.chance(0.04) ? anyHostile(random) : valueFor(schema, '', random, known)
  return JSON.stringify(value)
}

/** Signed with the provider's secret, so that the shop does not refuse the body unread. */
function signatureOf({ shop }: World, payload: string): string {
  return practiceStripe(shop).webhooks.generateTestHeaderString({ payload, secret: webhookSecret })
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.toWellFormed().slice(0, 3000)
}
