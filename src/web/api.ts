import { createApi, fetchBaseQuery, type FetchArgs } from '@reduxjs/toolkit/query/react'
import type { Body, Endpoint, Params, Query } from '#shop/contract/endpoint.ts'

/** The one empty api; each domain's `web/api` adds its endpoints. Unused data is kept for 60 seconds. */
export const api = createApi({
  baseQuery: fetchBaseQuery({ baseUrl: '/', credentials: 'same-origin', timeout: 20_000 }),
  tagTypes: ['Products', 'Orders', 'Users', 'Reviews', 'Stats', 'Session'],
  keepUnusedDataFor: 60,
  endpoints: () => ({}),
})

type Call<E extends Endpoint> = {
  params?: Params<E>
  query?: Query<E>
  body?: Body<E>
  headers?: Record<string, string>
}

/**
 * The request of one endpoint. Method and path are checked against the contract's type; the contract itself is
 * imported as a type only, so that no schema is loaded into the page.
 */
export function request<E extends Endpoint>(
  method: E['method'],
  path: E['path'],
  call: Call<E> = {},
): FetchArgs {
  const params: Record<string, unknown> = call.params ?? {}
  const url = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const query = Object.entries(call.query ?? {}).filter(([, value]) => value !== undefined && value !== '')
  return {
    url,
    method,
    params: query.length > 0 ? Object.fromEntries(query) : undefined,
    body: call.body,
    headers: call.headers,
  }
}
