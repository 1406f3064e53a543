/** The browser drops `sessionStorage` with its tab. */
type Storage = 'localStorage' | 'sessionStorage'

/** The value stored under this key; undefined if there is none, it is not readable, or there is no storage. */
export function readStored(key: string, storage: Storage = 'localStorage'): unknown {
  try {
    return JSON.parse(globalThis[storage].getItem(key) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/**
 * @param value undefined to remove the key
 * @returns whether it was written: the storage may be full, or blocked in a private window
 */
export function writeStored(key: string, value: unknown, storage: Storage = 'localStorage'): boolean {
  try {
    if (value === undefined) globalThis[storage].removeItem(key)
    else globalThis[storage].setItem(key, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}
