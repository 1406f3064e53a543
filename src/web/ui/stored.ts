/** Of these the browser lets go of the second one with its tab. */
type Storage = 'localStorage' | 'sessionStorage'

/** What the browser keeps under this key; undefined when there is nothing, nothing readable, or no storage. */
export function readStored(key: string, storage: Storage = 'localStorage'): unknown {
  try {
    return JSON.parse(globalThis[storage].getItem(key) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/**
 * @param value undefined for nothing more under this key
 * @returns whether the browser let us: its storage may be full, or blocked in a private window
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
