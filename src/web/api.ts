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

type Ask = BaseQueryFn<FetchArgs, unknown, FetchBaseQueryError, object, FetchBaseQueryMeta>
/** What stands in for the network where the page is rendered: the extra argument of that store's thunks. */
export type AskShop = (question: FetchArgs) => ReturnType<Ask>

const askByNetwork: Ask = fetchBaseQuery({ baseUrl: '/', credentials: 'same-origin', timeout: 20_000 })

/** On the server nothing happens after a rendering: there a page asks while it is rendered, and is rendered again. */
const createApi = buildCreateApi(
  coreModule(),
  reactHooksModule({ unstable__sideEffectsInRender: typeof window === 'undefined' }),
)

/** The one empty api; each domain's `web/api` adds its endpoints. Unused data is kept for 60 seconds. */
export const api = createApi({
  baseQuery: (question: FetchArgs, call, more: object) =>
    // Only `makeStore` sets it.
    call.extra ? (call.extra as AskShop)(question) : askByNetwork(question, call, more),
  tagTypes: ['Products', 'Orders', 'Users', 'Reviews', 'Stats'],
  keepUnusedDataFor: 60,
  // What could not be asked while the line was cut is asked then.
  refetchOnReconnect: true,
  endpoints: () => ({}),
})

/** For what may be gone: then 404 is an answer like any other, kept and not asked for again, without `data`. */
export function mayBeMissing(question: FetchArgs): FetchArgs {
  return { ...question, validateStatus: ({ ok, status }) => ok || status === 404 }
}

/** What was asked for. An answer that has none is like no answer: the screens say that it failed. */
export const dataOf = <T>(reply: { data: T }): T => (reply.data ?? undefined) as T

type Tagged = 'Products' | 'Orders' | 'Users'

/** A list and each of these rows: what a list shows, and where a row that has changed is shown. */
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
