import type { ListProducts, ListTrending } from '#shop/catalogue/contract.ts'
import type { Query, Reply } from '#shop/contract/endpoint.ts'
import { api, dataOf, request } from '#shop/web/api.ts'

type Trending = Reply<ListTrending>['data']
export type ProductList = Reply<ListProducts>['data']

const tagsOf = (list: Trending | undefined) => [
  { type: 'Products' as const, id: 'LIST' },
  ...(list?.products ?? []).map(({ _id }) => ({ type: 'Products' as const, id: _id })),
]

export const catalogueApi = api.injectEndpoints({
  endpoints: (build) => ({
    listProducts: build.query<ProductList, Query<ListProducts>>({
      query: (query) => request<ListProducts>('GET', '/api/products/', { query }),
      transformResponse: dataOf<ProductList>,
      providesTags: tagsOf,
    }),
    listTrending: build.query<Trending, void>({
      query: () => request<ListTrending>('GET', '/api/products/trending', {}),
      transformResponse: dataOf<Trending>,
      providesTags: tagsOf,
    }),
  }),
})

export const { useListProductsQuery, useListTrendingQuery } = catalogueApi
