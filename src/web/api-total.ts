import type { FetchBaseQueryMeta } from '@reduxjs/toolkit/query/react'

/** How many there are on all pages of a list that answers an array. */
export function totalOf(meta: FetchBaseQueryMeta | undefined): number {
  return Number(meta?.response?.headers.get('X-Total-Count') ?? 0)
}
