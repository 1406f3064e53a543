import { createHash } from 'node:crypto'

/** Random decisions that a seed repeats. Each named stream is independent: using one does not change another. */
export type Random = {
  next(): number
  /** A whole number, both ends included. */
  int(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** Picks one name; the weights say how likely each is. */
  weighted<T extends string>(weights: Partial<Record<T, number>>): T
  stream(name: string): Random
}

export function randomFrom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  // mulberry32: small, and good enough for this.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (from) => {
      const picked = from[int(0, from.length - 1)]
      if (picked === undefined) throw new Error('there is nothing to pick from')
      return picked
    },
    weighted<T extends string>(weights: Partial<Record<T, number>>): T {
      // The cast holds: the keys of an object literal are exactly those of its type.
      const all = Object.entries(weights) as [T, number][]
      let left = next() * all.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of all) {
        left -= weight
        if (left < 0) return name
      }
      throw new Error('the weights are no numbers')
    },
    stream: (name) => randomFrom(`${seed}/${name}`),
  }
}
