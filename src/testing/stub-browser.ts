export type StubBrowser = {
  /** What `localStorage` holds. */
  stored: Map<string, string>
  /** Writing throws. */
  isFull: boolean
  /** Reading throws as well. */
  isBlocked: boolean
  /** Dispatches an event on `window`. */
  fire(type: string, properties: object): void
}

/** Stands in for what the page's modules use of a browser: `localStorage` and the events of `window`. */
export function stubBrowser(): StubBrowser {
  const events = new EventTarget()
  const stored = new Map<string, string>()
  const browser: StubBrowser = {
    stored,
    isFull: false,
    isBlocked: false,
    fire: (type, properties) => void events.dispatchEvent(Object.assign(new Event(type), properties)),
  }
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (browser.isFull) throw new Error('QuotaExceededError')
      stored.set(key, value)
    },
    removeItem: (key: string) => void stored.delete(key),
  }
  Object.defineProperty(globalThis, 'window', { value: events, configurable: true })
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get: () => {
      if (browser.isBlocked) throw new Error('SecurityError')
      return storage
    },
  })
  return browser
}
