import { invalidRequest } from './api-error.ts'
import type { Params } from './params.ts'

type TextRule = { required?: boolean; max?: number }
type IntegerRule = { required?: boolean; min: number; max: number }

/**
 * Reads parameters by name and refuses wrong ones in Stripe's words. Call `done()` last: it refuses every
 * name that was not read, as Stripe does, so that a misspelt parameter fails here and not in production.
 */
export class Fields {
  readonly #params: Params
  readonly #path: string
  readonly #read = new Set<string>()

  constructor(params: Params, path = '') {
    this.#params = params
    this.#path = path
  }

  /** Some of Stripe's parameters may be a value or an object. */
  isText(name: string): boolean {
    return typeof this.#params.get(name) === 'string'
  }

  pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}[${name}]`
  }

  missing(name: string): Error {
    const path = this.pathOf(name)
    return invalidRequest(`Missing required param: ${path}.`, path, 'parameter_missing')
  }

  text(name: string, rule: TextRule & { required: true }): string
  text(name: string, rule?: TextRule): string | undefined
  text(name: string, { required = false, max = 5000 }: TextRule = {}): string | undefined {
    const value = this.#take(name)
    const path = this.pathOf(name)
    if (value === undefined) {
      if (required) throw this.missing(name)
      return undefined
    }
    if (typeof value !== 'string') throw invalidRequest('Invalid string', path)
    if (value === '') throw emptyValue(path)
    if (value.length > max) throw invalidRequest(`Invalid string: must be at most ${max} characters`, path)
    return value
  }

  integer(name: string, rule: IntegerRule & { required: true }): number
  integer(name: string, rule: IntegerRule): number | undefined
  integer(name: string, { required = false, min, max }: IntegerRule): number | undefined {
    const path = this.pathOf(name)
    const text = required ? this.text(name, { required }) : this.text(name)
    if (text === undefined) return undefined
    if (!/^-?\d{1,15}$/.test(text)) {
      throw invalidRequest(`Invalid integer: ${text.slice(0, 40)}`, path, 'parameter_invalid_integer')
    }
    const value = Number(text)
    if (value < min)
      throw invalidRequest(
        `This value must be greater than or equal to ${min}.`,
        path,
        'parameter_invalid_integer',
      )
    if (value > max)
      throw invalidRequest(
        `This value must be less than or equal to ${max}.`,
        path,
        'parameter_invalid_integer',
      )
    return value
  }

  choice<const T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name)
    const found = choices.find((choice) => choice === value)
    if (value !== undefined && found === undefined) {
      throw invalidRequest(`Invalid ${name}: must be one of ${choices.join(', ')}`, this.pathOf(name))
    }
    return found
  }

  /** Accepts http(s) URLs alone: a `javascript:` URL would run on the card page. */
  url(name: string, rule: { required: true }): string
  url(name: string): string | undefined
  url(name: string, rule?: { required: true }): string | undefined {
    const value = rule ? this.text(name, rule) : this.text(name)
    if (value === undefined || isWebAddress(value)) return value
    throw invalidRequest('Not a valid URL', this.pathOf(name), 'url_invalid')
  }

  fields(name: string): Fields | undefined {
    const value = this.#take(name)
    if (value === undefined) return undefined
    if (typeof value === 'string') throw invalidRequest('Invalid object', this.pathOf(name))
    return new Fields(value, this.pathOf(name))
  }

  list(name: string): Fields[] {
    const list = this.fields(name)
    if (list === undefined) return []
    return [...list.#params.keys()].flatMap((index) => list.fields(index) ?? [])
  }

  texts(name: string): string[] {
    const list = this.fields(name)
    if (list === undefined) return []
    return [...list.#params.keys()].map((index) => list.text(index, { required: true }))
  }

  metadata(): Record<string, string> {
    const path = this.pathOf('metadata')
    const fields = this.fields('metadata')
    // An empty value means "remove this key".
    const entries = fields ? [...fields.#params].filter(([, value]) => value !== '') : []
    if (entries.length > 50) throw invalidRequest('Metadata can have at most 50 keys.', path)
    const checked = entries.map(([name, value]): [string, string] => {
      if (typeof value !== 'string') throw invalidRequest('Metadata values must be strings.', path)
      if (name.length > 40) throw invalidRequest('Metadata keys must be at most 40 characters.', path)
      if (value.length > 500) throw invalidRequest('Metadata values must be at most 500 characters.', path)
      return [name, value]
    })
    return Object.fromEntries(checked)
  }

  /** Accepts parameters that Stripe knows but that have no effect here. */
  ignore(...names: string[]): void {
    for (const name of names) this.#read.add(name)
  }

  done(): void {
    const unknown = [...this.#params.keys()].find((name) => !this.#read.has(name))
    if (unknown === undefined) return
    const path = this.pathOf(unknown).slice(0, 100)
    throw invalidRequest(`Received unknown parameter: ${path}`, path, 'parameter_unknown')
  }

  #take(name: string): string | Params | undefined {
    this.#read.add(name)
    return this.#params.get(name)
  }
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
}

function emptyValue(path: string): Error {
  const message = `You passed an empty string for '${path}'. Remove it from your request or supply a non-empty value.`
  return invalidRequest(message, path, 'parameter_invalid_empty')
}
