import { invalidRequest } from './api-error.ts'

/** Maps, not objects: a parameter called `__proto__` is then a name like any other. */
export type Params = Map<string, string | Params>

const nameShape = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
const maxPairs = 10_000
const maxDepth = 8

/** Decodes `line_items[0][price_data][currency]=usd`, as Stripe's clients write nested values. */
export function parseParams(text: string): Params {
  const root: Params = new Map()
  let pairs = 0
  for (const [name, value] of new URLSearchParams(text)) {
    if (++pairs > maxPairs) throw invalidRequest('Too many parameters.')
    setAtPath(root, pathOf(name), value)
  }
  return root
}

function pathOf(name: string): string[] {
  const [, first, rest] = nameShape.exec(name) ?? []
  if (first === undefined || rest === undefined)
    throw invalidRequest(`Invalid parameter name: ${name.slice(0, 100)}`)
  const path = [first, ...rest.matchAll(/\[([^[\]]*)\]/g).map(([, step = '']) => step)]
  if (path.length > maxDepth) throw invalidRequest(`Parameters are nested too deeply: ${name.slice(0, 100)}`)
  return path
}

function setAtPath(root: Params, path: string[], value: string): void {
  let node = root
  for (const step of path.slice(0, -1)) {
    const next = node.get(step) ?? new Map<string, string | Params>()
    if (typeof next === 'string') throw invalidRequest(`Parameter ${step} is both a value and an object.`)
    node.set(step, next)
    node = next
  }
  // `expand[]=a&expand[]=b`: empty brackets at the end append.
  const last = path.at(-1) || String(node.size)
  if (typeof node.get(last) === 'object')
    throw invalidRequest(`Parameter ${last} is both a value and an object.`)
  node.set(last, value)
}

/** Gives the same text for the same parameters in any order, to tell a repeated request from a different one. */
export function toCanonicalText(params: Params): string {
  const entries = [...params].map(([name, value]) => [
    name,
    typeof value === 'string' ? value : toCanonicalText(value),
  ])
  return JSON.stringify(entries.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)))
}
