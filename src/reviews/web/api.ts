import type { DatedProduct } from '#shop/catalogue/contract.ts'
import type { Body, Reply } from '#shop/contract/endpoint.ts'
import type {
  Distribution,
  GetProduct,
  ListReviewsOfUser,
  OwnReview,
  PostReview,
} from '#shop/reviews/contract.ts'
import { api, mayBeMissing, request } from '#shop/web/api.ts'
import { withWait } from '#shop/web/api-problem.ts'
import { totalOf } from '#shop/web/api-total.ts'

type ReviewPage = { userId: string; page: number; limit: number }
export type ProductWithReviews = Reply<GetProduct>['data']

export const reviewsApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Null when there is no such product. */
    getProduct: build.query<ProductWithReviews | null, string>({
      query: (id) => mayBeMissing(request<GetProduct>('GET', '/api/products/:id', { params: { id } })),
      transformResponse: ({ data }: { data?: Answered }) => (data ? fillMissingFields(data) : null),
      // By the product's own id, never by one from a URL: `/shop/constructor` would name a built-in of JavaScript.
      providesTags: (found) => [
        { type: 'Products', id: found?.product._id },
        { type: 'Reviews', id: found?.product._id },
      ],
    }),
    postReview: build.mutation<unknown, Body<PostReview>>({
      query: (body) => request<PostReview>('POST', '/api/reviews/post-review', { body }),
      transformErrorResponse: withWait,
      // The product's rating has changed too, wherever it is shown.
      invalidatesTags: (_review, error, { productId }) =>
        error ? [] : [{ type: 'Products', id: productId }, { type: 'Reviews', id: 'LIST' }, 'Stats'],
    }),
    listOwnReviews: build.query<{ reviews: OwnReview[]; total: number }, ReviewPage>({
      query: ({ userId, ...query }) =>
        request<ListReviewsOfUser>('GET', '/api/reviews/:userId', { params: { userId }, query }),
      transformResponse: ({ data }: Reply<ListReviewsOfUser>, meta) => ({
        reviews: data,
        total: totalOf(meta, data),
      }),
      providesTags: [{ type: 'Reviews', id: 'LIST' }],
    }),
  }),
})

/** During an upgrade a process of an older version may answer, without these fields. */
type Answered = Omit<ProductWithReviews, 'product' | 'distribution'> & {
  product: Omit<DatedProduct, 'views'> & { views?: string[] }
  distribution?: Distribution
}

function fillMissingFields({ product, reviews, distribution }: Answered): ProductWithReviews {
  const counted = { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 }
  for (const { rating } of reviews) counted[rating as keyof Distribution] += 1
  return {
    product: { ...product, views: product.views ?? [] },
    reviews,
    distribution: distribution ?? counted,
  }
}

export const { useGetProductQuery, usePostReviewMutation, useListOwnReviewsQuery } = reviewsApi
