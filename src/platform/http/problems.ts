import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { Titles } from '#shop/contract/endpoint.ts'
import type { Problem } from '#shop/contract/problem.ts'
import { requiredMessage } from '#shop/contract/shapes.ts'
import '#shop/contract/validation-messages.ts'
import { isDatabaseUnavailable } from '#shop/platform/database-errors.ts'
import {
  databaseUnavailable,
  faultOf,
  invalidInput,
  notFound,
  reasonOf,
  ShopError,
  wrongType,
} from '#shop/platform/errors.ts'

/** The one place where a thrown error becomes a response. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalOf(error)
  const problem = refusal ?? new ShopError(500, 'internal', 'Something went wrong on our side.')
  logProblem(request, problem, error)
  sendProblem(reply, problem, titleOf(problem, request.routeOptions.config.titles))
}

/** Logs under the id of the response. The line has the route, not the URL, which may contain an e-mail address. */
function logProblem(request: FastifyRequest, { status, code }: ShopError, error?: Error): void {
  const { method, routeOptions, viewer } = request
  const line = { status, code, method, route: routeOptions.url, ...(viewer && { user: viewer.id }) }
  // A shutdown is what the operator wants, not a fault of ours.
  if (status < 500 || code === 'ending') request.server.refusals.log(line, request.id)
  else if (status < 501) request.log.error({ ...line, ...faultOf(error) }, 'failed')
  else request.server.refusals.logUnavailable({ ...line, reason: reasonOf(error) }, request.id)
}

/** An endpoint may have its own words for what its customers do wrong. */
function titleOf({ status, code, extras }: ShopError, titles: Titles = {}): string | undefined {
  if (status === 401 && code === 'not_signed_in') return titles.signedOut
  if (status === 503) return titles.unavailable
  if (status !== 400) return undefined
  const isMissing = extras.errors?.some(({ message }) => message === requiredMessage)
  return (isMissing ? titles.missing : undefined) ?? titles.invalid
}

function refusalOf(error: FastifyError): ShopError | undefined {
  if (error instanceof ShopError) return error
  if (hasZodFastifySchemaValidationErrors(error)) return refusalOfInput(error)
  const status = error.statusCode ?? 500
  if (status === 415) return wrongType('The body must be application/json.')
  if (status === 413) return new ShopError(413, 'too_large', 'The body is too large.', { title: 'Too large' })
  // The library for files answers 403 to a path that leads out of its folder: there is nothing there either.
  if (status === 404 || status === 403) return notFound()
  if (status === 400) return invalidInput([{ path: '', message: error.message }])
  if (status > 400 && status < 500) {
    return new ShopError(status, 'invalid_input', error.message, { title: 'Invalid input' })
  }
  // Checked last: a client's broken connection has the same code as the database's, but also the status 400.
  return isDatabaseUnavailable(error) ? databaseUnavailable() : undefined
}

/**
 * Nobody reads more. A body of three kilobytes can be wrong in two thousand ways: to name all takes tens of ms.
 */
const mostNamed = 20

function refusalOfInput(error: FastifyError): ShopError {
  // A malformed id does not exist: an impossible address is answered like an unknown one.
  if (error.validationContext === 'params') return notFound()
  const errors = (error.validation ?? []).slice(0, mostNamed).map((issue) => ({
    path: issue.instancePath.split('/').filter(Boolean).join('.'),
    message: issue.message ?? 'is not valid',
  }))
  return invalidInput(errors)
}

/** Names the field in the message, as in 'New password is required', since clients show it to people as it is. */
function named({ path, message }: { path: string; message: string }) {
  if (message !== requiredMessage) return { path, message }
  // An entry of a list, whose own name is only a number, is named after its list: 'Products 0 is required'.
  const ownName = path === '' ? 'body' : (/[^.]*[^.\d][^.]*(\.\d+)?$/.exec(path)?.[0] ?? path)
  const name = ownName
    .replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/[_.]/g, ' ')
    .trim()
  return { path, message: `${name.charAt(0).toUpperCase()}${name.slice(1)} ${requiredMessage}` }
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
  // See https://www.rfc-editor.org/rfc/rfc9110#field.www-authenticate; no browser asks for a password then.
  if (error.status === 401) reply.header('www-authenticate', 'Bearer')
  // Belongs to a response that failed before any of it was sent.
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
