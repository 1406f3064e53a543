import { matchPath, type Location } from 'react-router'
import { pagePatterns, paths } from '#shop/web/paths.ts'

/** What the navigation state carries to /login. */
export type Origin = { from?: Location; registered?: string }

export function originOf(state: unknown): Origin {
  return typeof state === 'object' && state !== null ? state : {}
}

/**
 * Where the customer came from, or home. Only pages of the shop: `//elsewhere.example` looks like a path and leads
 * to another site, which people would trust right after signing in.
 */
export function returnAddress({ from }: Origin): string {
  if (!from || typeof from.pathname !== 'string' || from.pathname.startsWith('//')) return paths.home
  const isOurs = pagePatterns.some((pattern) => matchPath(pattern, from.pathname))
  const isSignInPage = from.pathname === paths.login || from.pathname === paths.register
  return isOurs && !isSignInPage ? `${from.pathname}${from.search}${from.hash}` : paths.home
}
