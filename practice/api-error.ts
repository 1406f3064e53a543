/** An error response as Stripe sends it. The SDK picks its error class by `status` and `type`. */
export class ApiError extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | undefined
  readonly param: string | undefined

  constructor(status: number, type: string, message: string, code?: string, param?: string) {
    super(message)
    this.status = status
    this.type = type
    this.code = code
    this.param = param
  }

  toBody(): object {
    // `JSON.stringify` omits undefined fields, as Stripe omits those that do not apply.
    return { error: { code: this.code, message: this.message, param: this.param, type: this.type } }
  }
}

export function invalidRequest(message: string, param?: string, code?: string): ApiError {
  return new ApiError(400, 'invalid_request_error', message, code, param)
}

export function noSuch(kind: string, id: string, param: string): ApiError {
  const shown = id.slice(0, 100)
  return new ApiError(404, 'invalid_request_error', `No such ${kind}: '${shown}'`, 'resource_missing', param)
}
