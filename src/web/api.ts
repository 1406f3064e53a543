import {
  buildCreateApi,
  coreModule,
  fetchBaseQuery,
  reactHooksModule,
  type BaseQueryFn,
  type FetchArgs,
  type FetchBaseQueryError,
  type FetchBaseQueryMeta,
} from '@reduxjs/toolkit/query/react'
import type { Body, Endpoint, Params, Query } from '#shop/contract/endpoint.ts'

type HttpBaseQuery = BaseQueryFn<FetchArgs, unknown, FetchBaseQueryError, object, FetchBaseQueryMeta>
/** Replaces the network when the server renders a page: the extra argument of that store's thunks. */
export type InProcessBaseQuery = (request: FetchArgs) => ReturnType<HttpBaseQuery>

const networkQuery: HttpBaseQuery = fetchBaseQuery({
  baseUrl: '/',
  credentials: 'same-origin',
  timeout: 20_000,
})

/** The server runs no effects: there, queries start during a rendering, and the page is rendered again. */
const createApi = buildCreateApi(
  coreModule(),
  reactHooksModule({ unstable__sideEffectsInRender: typeof window === 'undefined' }),
)

/** The one empty api; each domain's `web/api` adds its endpoints. Unused data is kept for 60 seconds. */
export const api = createApi({
  baseQuery: (request: FetchArgs, call, extraOptions: object) =>
    // Only `makeStore` sets it.
    call.extra ? (call.extra as InProcessBaseQuery)(request) : networkQuery(request, call, extraOptions),
  tagTypes: ['Products', 'Orders', 'Users', 'Reviews', 'Stats'],
  keepUnusedDataFor: 60,
  // Queries may have failed while the connection was lost.
  refetchOnReconnect: true,
  endpoints: () => ({}),
})

/** For what may be gone: a 404 then counts as a response without `data`, is cached and not requested again. */
export function mayBeMissing(fetchArgs: FetchArgs): FetchArgs {
  return { ...fetchArgs, validateStatus: ({ ok, status }) => ok || status === 404 }
}

/** The `data` of a response. Without any, the response is like none: the screens say that loading failed. */
export const dataOf = <T>(reply: { data: T }): T => (reply.data ?? undefined) as T

type Tagged = 'Products' | 'Orders' | 'Users'

/** The tags of a list and of each of these rows, so that a change of a row refetches every list that shows it. */
export const tagsOf = <T extends Tagged>(type: T, rows: readonly { _id: string }[] = []) =>
  ['LIST', ...rows.map(({ _id }) => _id)].map((id) => ({ type, id }))

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
