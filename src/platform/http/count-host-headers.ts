/**
 * How many `Host` headers a request has: Node believes the first of several, and a proxy in front of us may have
 * believed another.
 */
export function countHostHeaders({ rawHeaders }: { rawHeaders: readonly string[] }): number {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts
}
