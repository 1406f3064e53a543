/** Whether a shop reports that it can serve; false, too, when it does not respond within two seconds. */
export async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
  await response?.arrayBuffer().catch(() => undefined)
  return response?.ok ?? false
}
