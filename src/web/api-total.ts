import type { FetchBaseQueryMeta } from '@reduxjs/toolkit/query/react'

/** How many there are on all pages of a list that answers an array; without a word of more, those that came. */
export function totalOf(meta: FetchBaseQueryMeta | undefined, came: readonly unknown[]): number {
  return Number(meta?.response?.headers.get('X-Total-Count') ?? came.length)
}
