/** A cache of the most recently requested pictures, limited by their bytes. */
type RecentBytes = {
  get(name: string): Buffer | undefined
  keep(name: string, bytes: Buffer): void
}

export function createRecentBytes(mostBytes: number): RecentBytes {
  const kept = new Map<string, Buffer>()
  let total = 0
  const forget = (name: string) => {
    total -= kept.get(name)?.length ?? 0
    kept.delete(name)
  }
  return {
    get(name) {
      const found = kept.get(name)
      if (!found) return undefined
      // A map keeps the order of insertion: this one is now the last to be evicted.
      kept.delete(name)
      kept.set(name, found)
      return found
    },
    keep(name, bytes) {
      forget(name)
      kept.set(name, bytes)
      total += bytes.length
      for (const oldest of kept.keys()) {
        if (total <= mostBytes) break
        forget(oldest)
      }
    },
  }
}
