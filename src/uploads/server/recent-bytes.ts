/** A cache of the most recently requested pictures, limited by their bytes. */
type RecentBytes = {
  get(name: string): Buffer | undefined
  add(name: string, bytes: Buffer): void
}

export function createRecentBytes(mostBytes: number): RecentBytes {
  const pictures = new Map<string, Buffer>()
  let total = 0
  const forget = (name: string) => {
    total -= pictures.get(name)?.length ?? 0
    pictures.delete(name)
  }
  return {
    get(name) {
      const found = pictures.get(name)
      if (!found) return undefined
      // A map keeps the order of insertion: this one is now the last to be evicted.
      pictures.delete(name)
      pictures.set(name, found)
      return found
    },
    add(name, bytes) {
      forget(name)
      pictures.set(name, bytes)
      total += bytes.length
      for (const oldest of pictures.keys()) {
        if (total <= mostBytes) break
        forget(oldest)
      }
    },
  }
}
