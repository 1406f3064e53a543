import type { z } from 'zod'

/**
 * Who may send the request: anyone; a signed-in user; the owner of what the path names (or an admin); an admin.
 * For the owner, `own` says which path parameter must be the user's id or e-mail.
 */
export type Access = 'anyone' | 'user' | 'admin' | { own: string; is: 'id' | 'email' }

/** Titles of a 401; of any 400; of a 400 because a required value is missing or empty; of a 503. */
export type Titles = { signedOut?: string; invalid?: string; missing?: string; unavailable?: string }

export type Endpoint = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** With `:name` for path parameters, as Fastify writes them. */
  path: string
  summary: string
  access: Access
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: z.ZodObject
  body?: z.ZodType
  reply: z.ZodType
  /** JSON by default. */
  replyType?: 'text/plain'
  /** 200 unless something is created. */
  status?: 200 | 201
  /** The handler may answer 200 instead of 201, when something was replaced and not created. */
  mayReplace?: true
  /** Each lane has its own slots, so that a crowd in one of them keeps nobody else waiting. */
  lane?: 'payments' | 'uploads'
  /** Served even while the disk is nearly full: records a payment, signs in or out, or checks the disk itself. */
  evenWithoutRoom?: true
  /** Its body is short and no secret: the log line about an admin's change contains it. */
  isBodyLogged?: true
  /** Titles of errors that customers read, where they are not the usual ones. */
  titles?: Titles
}

/** Keeps the literal types of method and path, so that the page's requests are checked against them. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition
}

type Input<T> = T extends z.ZodType ? z.input<T> : undefined
type Output<T> = T extends z.ZodType ? z.output<T> : undefined

/** What a handler receives after validation. */
export type Checked<E extends Endpoint> = {
  params: Output<E['params']>
  query: Output<E['query']>
  headers: Output<E['headers']>
  body: Output<E['body']>
}
/** What a handler returns: JSON as sent. */
export type Reply<E extends Endpoint> = z.input<E['reply']>

/** What a client sends. Query values travel as text, so numbers are as good as strings. */
export type Params<E extends Endpoint> = Input<E['params']>
export type Body<E extends Endpoint> = Input<E['body']>
export type Query<E extends Endpoint> = { [K in keyof Input<E['query']>]?: string | number }
