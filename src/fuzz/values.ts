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
/** As many digits as the shop accepts; in cents, they may be more than the database's integers hold. */
const largeNumbers = ['21474836.48', '999999999']

export const anyHostile = (random: Random): unknown => random.pick(hostile)

/** Mostly a value that fits the schema, if possible one of the `known`; sometimes anything at all. */
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

/** Values that exist in the shop, by the name of the field that takes them. */
export type Known = Record<string, readonly unknown[]>

function objectFor({ properties = {}, required = [] }: Schema, random: Random, known: Known) {
  const made: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (random.chance(required.includes(name) ? 0.97 : 0.4))
      made[name] = valueFor(schema, name, random, known)
  }
  // Unknown fields must have no effect, above all those named like the shop's own columns.
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
