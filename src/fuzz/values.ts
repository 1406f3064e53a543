import { hostileNumbers, hostileValues } from '#shop/safety/hostile.ts'
import type { Random } from '#shop/testing/random.ts'
import type { Schema } from './document.ts'

const words = [
  'linen',
  'Navy Shirt',
  'größer',
  '黒',
  'a',
  'formal dress',
  'all',
  'red',
  "O'Neill",
  '👔',
  ' x ',
]
const hostile = Object.values(hostileValues)
/** As many digits as are taken, which may be more than the database's whole numbers have. */
const largeNumbers = ['21474836.48', '999999999']

export const anyHostile = (random: Random): unknown => random.pick(hostile)

/** Often a value as the schema wants it, of `known` names where there are some; sometimes anything at all. */
export function valueFor(schema: Schema, name: string, random: Random, known: Known): unknown {
  if (random.chance(0.04)) return anyHostile(random)
  const choices = known[name]
  if (choices?.length && random.chance(0.85)) return random.pick(choices)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.anyOf) return valueFor(random.pick(schema.anyOf), name, random, known)
  const types = [schema.type ?? 'string'].flat()
  switch (random.pick(types)) {
    case 'object':
      return objectFor(schema, random, known)
    case 'array': {
      const length = random.int(schema.minItems ?? 0, random.chance(0.05) ? 60 : 3)
      return Array.from({ length }, () => valueFor(schema.items ?? {}, name, random, known))
    }
    case 'integer':
      if (random.chance(0.1)) return random.pick([...hostileNumbers, ...largeNumbers])
      return random.int(Math.max(schema.minimum ?? -2, -2), Math.min(schema.maximum ?? 120, 120))
    case 'number':
      return random.int(Math.max(1, schema.minimum ?? 1), 9999) / 100
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    default:
      return textFor(schema, random)
  }
}

/** Lists of what the shop has, by the name of the field that takes it. */
export type Known = Record<string, readonly unknown[]>

function objectFor({ properties = {}, required = [] }: Schema, random: Random, known: Known) {
  const made: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (random.chance(required.includes(name) ? 0.97 : 0.4))
      made[name] = valueFor(schema, name, random, known)
  }
  // What nobody asked for must be without effect: other names of the shop's own columns above all.
  if (random.chance(0.1))
    made[random.pick(['role', '_id', 'rating', 'passwordHash', 'createdAt', 'x'])] = anyHostile(random)
  return made
}

function textFor({ pattern, minLength = 0 }: Schema, random: Random): string {
  if (pattern?.includes('\\d')) {
    return random.chance(0.2) ? random.pick([...hostileNumbers, ...largeNumbers]) : `${random.int(0, 30)}`
  }
  const text = random.pick(words)
  return text.padEnd(minLength, 'x')
}
