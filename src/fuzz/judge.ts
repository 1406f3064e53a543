import type { Call } from './document.ts'
import type { FuzzRequest } from './request.ts'
import type { Role, World } from './world.ts'

export type Answer = { status: number; type: string; text: string }

/** The errors by which the shop may say that it cannot serve right now. */
const accepted503 = /"code":"(provider_unavailable|pictures_busy|passwords_busy|overloaded|try_again)"/
const internals = /node_modules|\.ts:\d|at async |select .* from |ERROR:|password_?hash|argon2/i
/** Where 401 also means that a password is wrong. */
const asksForPassword = ['/api/auth/login', '/api/auth/change-password']

/** What is wrong with this response to this request by this role; undefined when nothing is. */
export function faultOf(
  world: World,
  call: Call,
  role: Role,
  request: FuzzRequest,
  answer: Answer,
): string | undefined {
  const { status, type, text } = answer
  if (status >= 500 && !(status === 503 && accepted503.test(text)))
    return `answers ${status}: ${text.slice(0, 200)}`
  if (status >= 400 && internals.test(text)) return `tells of its inside: ${text.slice(0, 200)}`
  const expected = refusalFor(world, call, role, request)
  if (expected && !expected.includes(status)) return `answers ${status}, not ${expected.join(' or ')}`
  if (!expected && status === 401 && !asksForPassword.includes(call.path))
    return 'answers 401 to somebody who may'
  return call.faultOf(status, type, text)
}

/** The statuses of which one is required when the role may not make the call; 404 if the path names nothing. */
function refusalFor(
  { people }: World,
  { access }: Call,
  role: Role,
  request: FuzzRequest,
): number[] | undefined {
  const { named, init } = request
  if (access === 'signed') return init.headers['stripe-signature'] ? undefined : [400]
  if (access === 'anyone' || access === 'file' || role === 'admin') return undefined
  if (role === 'anonymous') return [401]
  if (access === 'admin') return [403]
  if (typeof access === 'string') return undefined
  const { id, email } = people[role].user
  const isOwn = access.is === 'id' ? named === id : named?.trim().toLowerCase() === email
  // A value that cannot be an id is not looked up, and a bad body may be refused before the owner is checked.
  return isOwn ? undefined : [403, 404, 400]
}
