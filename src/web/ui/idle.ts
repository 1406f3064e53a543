/**
 * Calls `go` once the browser has nothing else to do.
 *
 * @returns a function that cancels the call
 */
export function whenIdle(go: () => void): () => void {
  // Not every browser has it.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(go, 200)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(go)
  return () => cancelIdleCallback(handle)
}
