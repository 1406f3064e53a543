import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { Titles } from '#shop/contract/endpoint.ts'
import type { Problem } from '#shop/contract/problem.ts'
import { isRequired } from '#shop/contract/shapes.ts'
import '#shop/contract/wording.ts'
import { isDatabaseUnavailable } from '#shop/platform/database-errors.ts'
import { databaseUnavailable, invalidInput, notFound, reasonOf, ShopError } from '#shop/platform/errors.ts'

/** The one place where something thrown becomes an answer. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error)
  const problem = refusal ?? new ShopError(500, 'internal', 'Something went wrong on our side.')
  logProblem(request, problem, error)
  sendProblem(reply, problem, titleOf(problem, request.routeOptions.config.titles))
}

/** Under the id that the answer carries. It names the route, not the address, which may hold an e-mail. */
function logProblem(request: FastifyRequest, { status, code }: ShopError, error?: Error): void {
  const line = { status, code, method: request.method, route: request.routeOptions.url }
  // That it ends is as its operator wants it: none of our faults.
  if (status < 500 || code === 'ending') request.server.refusals.tell(line, request.id)
  else if (status < 501) request.log.error({ ...line, ...faultOf(error) }, 'failed')
  else request.server.refusals.tellUnavailable({ ...line, reason: reasonOf(error) }, request.id)
}

function faultOf(error: Error | undefined) {
  const frames = error?.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return { reason: reasonOf(error), stack: frames?.join('\n') }
}

/** A call may have its own words for what its customers do wrong. */
function titleOf({ status, code, extras }: ShopError, titles: Titles = {}): string | undefined {
  if (status === 401 && code === 'not_signed_in') return titles.signedOut
  if (status === 503) return titles.unavailable
  if (status !== 400) return undefined
  const isMissing = extras.errors?.some(({ message }) => message === isRequired)
  return (isMissing ? titles.missing : undefined) ?? titles.invalid
}

function refusalOf(error: FastifyError): ShopError | undefined {
  if (error instanceof ShopError) return error
  if (hasZodFastifySchemaValidationErrors(error)) return refusalOfInput(error)
  const status = error.statusCode ?? 500
  if (status === 415) {
    return new ShopError(415, 'wrong_type', 'The body must be application/json.', {
      title: 'Unsupported media type',
    })
  }
  if (status === 413) return new ShopError(413, 'too_large', 'The body is too large.', { title: 'Too large' })
  // 403 is what the library for files says of a way out of its folder: there is nothing there either.
  if (status === 404 || status === 403) return notFound()
  if (status === 400) return invalidInput([{ path: '', message: error.message }])
  if (status > 400 && status < 500) {
    return new ShopError(status, 'invalid_input', error.message, { title: 'Invalid input' })
  }
  // Asked last: a caller's connection that breaks off has the same code as the database's, and the status 400 too.
  return isDatabaseUnavailable(error) ? databaseUnavailable() : undefined
}

/** Nobody reads more. A body of three kilobytes can be wrong in two thousand ways, and to name all takes tens of milliseconds. */
const mostNamed = 20

function refusalOfInput(error: FastifyError): ShopError {
  // Malformed ids do not exist: an address that can not be is answered as one that is not.
  if (error.validationContext === 'params') return notFound()
  const errors = (error.validation ?? []).slice(0, mostNamed).map((issue) => ({
    path: issue.instancePath.split('/').filter(Boolean).join('.'),
    message: issue.message ?? 'is not valid',
  }))
  return invalidInput(errors)
}

/** 'New password is required': by its own name, for programs show it to people as it is. */
function named({ path, message }: { path: string; message: string }) {
  if (message !== isRequired) return { path, message }
  // An entry of a list, which has a number alone, is named after its list: 'Products 0 is required'.
  const own = path === '' ? 'body' : (/[^.]*[^.\d][^.]*(\.\d+)?$/.exec(path)?.[0] ?? path)
  const name = own
    .replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/[_.]/g, ' ')
    .trim()
  return { path, message: `${name.charAt(0).toUpperCase()}${name.slice(1)} ${isRequired}` }
}

export function problemOf({ status, code, message, extras }: ShopError, callsTitle?: string): Problem {
  const { errors, data } = extras
  return {
    type: 'about:blank',
    title: callsTitle ?? extras.title ?? 'Error',
    status,
    detail: message,
    code,
    ...(errors && { errors: errors.map(named) }),
    ...(data !== undefined && { data }),
  }
}

function sendProblem(reply: FastifyReply, error: ShopError, callsTitle?: string): void {
  const { retryAfterSeconds } = error.extras
  if (retryAfterSeconds) reply.header('retry-after', String(retryAfterSeconds))
  // https://www.rfc-editor.org/rfc/rfc9110#field.www-authenticate; no browser asks for a password because of it.
  if (error.status === 401) reply.header('www-authenticate', 'Bearer')
  // Of the text that failed before anything of it was sent.
  reply.removeHeader('content-encoding')
  reply
    .status(error.status)
    .headers({ 'cache-control': 'no-store', 'x-request-id': reply.request.id })
    .type('application/problem+json')
    // As text, so that no response schema of the route is applied to it.
    .serializer((body) => String(body))
    .send(JSON.stringify(problemOf(error, callsTitle)))
}

export function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const problem = notFound()
  logProblem(request, problem)
  sendProblem(reply, problem)
}
