import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { Titles } from '#shop/contract/endpoint.ts'
import type { Problem } from '#shop/contract/problem.ts'
import { isRequired } from '#shop/contract/shapes.ts'
import { isDatabaseUnavailable } from './database.ts'
import { invalidInput, notFound, ShopError, unavailable } from './errors.ts'

/** The one place where something thrown becomes an answer. */
export function answerProblems(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOf(error)
    if (!refusal) request.log.error(error)
    const problem = refusal ?? new ShopError(500, 'internal', 'Something went wrong on our side.')
    sendProblem(reply, problem, titleOf(problem, request.routeOptions.config.titles))
  })
}

/** A call may have its own words for what its customers do wrong. */
function titleOf({ status, code, extras }: ShopError, titles: Titles = {}): string | undefined {
  if (status === 401 && code === 'not_signed_in') return titles.signedOut
  if (status !== 400) return undefined
  const isMissing = extras.errors?.some(({ message }) => message === isRequired)
  return (isMissing ? titles.missing : undefined) ?? titles.invalid
}

function refusalOf(error: FastifyError): ShopError | undefined {
  if (error instanceof ShopError) return error
  if (hasZodFastifySchemaValidationErrors(error)) return refusalOfInput(error)
  if (isDatabaseUnavailable(error)) {
    return unavailable('database_unavailable', 'The shop can not reach its database right now.')
  }
  const status = error.statusCode ?? 500
  if (status === 415) {
    return new ShopError(415, 'wrong_type', 'The body must be application/json.', {
      title: 'Unsupported media type',
    })
  }
  if (status === 413) return new ShopError(413, 'too_large', 'The body is too large.', { title: 'Too large' })
  if (status === 404) return notFound()
  if (status >= 400 && status < 500) return new ShopError(status, 'invalid_input', error.message)
  return undefined
}

function refusalOfInput(error: FastifyError): ShopError {
  // Malformed ids do not exist: an address that can not be is answered as one that is not.
  if (error.validationContext === 'params') return notFound()
  const errors = (error.validation ?? []).map((issue) => ({
    path: issue.instancePath.split('/').filter(Boolean).join('.'),
    message: issue.message ?? 'is not valid',
  }))
  return invalidInput(errors)
}

function sendProblem(reply: FastifyReply, error: ShopError, callsTitle?: string): void {
  const { errors, data, retryAfterSeconds } = error.extras
  const title = callsTitle ?? error.extras.title ?? 'Error'
  const problem: Problem = {
    type: 'about:blank',
    title,
    status: error.status,
    detail: error.message,
    code: error.code,
    ...(errors && { errors }),
    ...(data !== undefined && { data }),
  }
  if (retryAfterSeconds) reply.header('retry-after', String(retryAfterSeconds))
  reply
    .status(error.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    // As text, so that no response schema of the route is applied to it.
    .serializer((body) => String(body))
    .send(JSON.stringify(problem))
}

export function answerNotFound(_request: FastifyRequest, reply: FastifyReply): void {
  sendProblem(reply, notFound())
}
