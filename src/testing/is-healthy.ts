/** Whether a shop says of itself that it can serve. One that stands still, or is only just starting, is not waited for. */
export async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
  await response?.arrayBuffer().catch(() => undefined)
  return response?.ok ?? false
}
