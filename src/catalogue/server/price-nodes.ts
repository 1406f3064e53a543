/** Neighboring nodes of one level: node `n` of level `l` has the prices from `n * 100 ** l` on, in cents. */
type Nodes = { level: number; first: number; last: number }

/**
 * Levels go by cent, dollar, hundred dollars and ten thousand dollars; the last level has one node for all prices.
 */
export const topLevel = 4
const everyPrice = 100 ** topLevel
/** Every price lies in this range. */
export const allPrices = { minCents: 0, maxCents: everyPrice - 1 } as const

/**
 * The fewest nodes that cover exactly the prices of a range, both ends included: a few hundred at most, whatever
 * the range and however many products lie in it.
 */
export function nodesOfPrices(minCents = 0, maxCents = everyPrice - 1): Nodes[] {
  const nodes: Nodes[] = []
  let from = Math.min(minCents, everyPrice)
  let end = Math.min(maxCents + 1, everyPrice)
  const take = (level: number, first: number, last: number) => {
    if (first <= last) nodes.push({ level, first, last })
  }
  for (let level = 0; level < topLevel; level += 1) {
    const [nextFrom, nextEnd] = [Math.ceil(from / 100), Math.floor(end / 100)]
    if (nextFrom >= nextEnd) {
      take(level, from, end - 1)
      return nodes
    }
    take(level, from, nextFrom * 100 - 1)
    take(level, nextEnd * 100, end - 1)
    ;[from, end] = [nextFrom, nextEnd]
  }
  take(topLevel, from, end - 1)
  return nodes
}
