import { matchPath, type Location } from 'react-router'
import { pagePatterns, paths } from '#shop/web/paths.ts'

/** What the way to /login remembers, in the state of the navigation. */
export type Origin = { from?: Location; registered?: string }

export function originOf(state: unknown): Origin {
  return typeof state === 'object' && state !== null ? state : {}
}

/**
 * Where the customer came from, or home. Only addresses of ours: `//elsewhere.example` looks like a path and leads
 * away, and after signing in is when people believe what they see.
 */
export function returnAddress({ from }: Origin): string {
  if (!from || typeof from.pathname !== 'string' || from.pathname.startsWith('//')) return paths.home
  const isOurs = pagePatterns.some((pattern) => matchPath(pattern, from.pathname))
  const isDoor = from.pathname === paths.login || from.pathname === paths.register
  return isOurs && !isDoor ? `${from.pathname}${from.search}${from.hash}` : paths.home
}
