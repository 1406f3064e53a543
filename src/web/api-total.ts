import type { FetchBaseQueryMeta } from '@reduxjs/toolkit/query/react'

/** The number of rows on all pages of a list that is sent as an array; without the header, the rows that came. */
export function totalOf(meta: FetchBaseQueryMeta | undefined, came: readonly unknown[]): number {
  return Number(meta?.response?.headers.get('X-Total-Count') ?? came.length)
}
