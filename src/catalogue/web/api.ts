import type { ListProducts, ListTrending } from '#shop/catalogue/contract.ts'
import type { Query, Reply } from '#shop/contract/endpoint.ts'
import { api, dataOf, request, tagsOf } from '#shop/web/api.ts'

type Trending = Reply<ListTrending>['data']
export type ProductList = Reply<ListProducts>['data']

const shownIn = (list: Trending | undefined) => tagsOf('Products', list?.products)

export const catalogueApi = api.injectEndpoints({
  endpoints: (build) => ({
    listProducts: build.query<ProductList, Query<ListProducts>>({
      query: (query) => request<ListProducts>('GET', '/api/products/', { query }),
      transformResponse: dataOf<ProductList>,
      providesTags: shownIn,
    }),
    listTrending: build.query<Trending, void>({
      query: () => request<ListTrending>('GET', '/api/products/trending', {}),
      transformResponse: dataOf<Trending>,
      providesTags: shownIn,
    }),
  }),
})

export const { useListProductsQuery, useListTrendingQuery } = catalogueApi
