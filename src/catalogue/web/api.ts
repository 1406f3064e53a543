import type { ListProducts } from '#shop/catalogue/contract.ts'
import type { Query, Reply } from '#shop/contract/endpoint.ts'
import { api, request } from '#shop/web/api.ts'

export type ProductList = Reply<ListProducts>['data']

export const catalogueApi = api.injectEndpoints({
  endpoints: (build) => ({
    listProducts: build.query<ProductList, Query<ListProducts>>({
      query: (query) => request<ListProducts>('GET', '/api/products/', { query }),
      transformResponse: (reply: Reply<ListProducts>) => reply.data,
      providesTags: (list) => [
        { type: 'Products', id: 'LIST' },
        ...(list?.products ?? []).map(({ _id }) => ({ type: 'Products' as const, id: _id })),
      ],
    }),
  }),
})

export const { useListProductsQuery } = catalogueApi
