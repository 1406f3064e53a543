import type { CreateProduct, DatedProduct, DeleteProduct, UpdateProduct } from '#shop/catalogue/contract.ts'
import type { Body, Reply } from '#shop/contract/endpoint.ts'
import type { GetProduct } from '#shop/reviews/contract.ts'
import { api, request, tagsOf } from '#shop/web/api.ts'

/** Requests with the same key, such as a retry after a lost response, create a single product. */
type Creation = { body: Body<CreateProduct>; idempotencyKey: string }
/** Changes the product only if it is still as it was at `seenAt`. */
type Update = { id: string; body: Body<UpdateProduct>; seenAt: string }

const manageProductsApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** With the moment of its last change. Not cached: an edit must begin with the current product. */
    getEditedProduct: build.query<DatedProduct, string>({
      query: (id) => request<GetProduct>('GET', '/api/products/:id', { params: { id } }),
      transformResponse: (reply: Reply<GetProduct>) => reply.data.product,
      keepUnusedDataFor: 0,
    }),
    createProduct: build.mutation<unknown, Creation>({
      query: ({ body, idempotencyKey }) =>
        request<CreateProduct>('POST', '/api/products/create-product', {
          body,
          headers: { 'Idempotency-Key': idempotencyKey },
        }),
      invalidatesTags: [...tagsOf('Products'), 'Stats'],
    }),
    updateProduct: build.mutation<DatedProduct, Update>({
      query: ({ id, body, seenAt }) =>
        request<UpdateProduct>('PATCH', '/api/products/update-product/:id', {
          params: { id },
          body,
          headers: { 'If-Match': `"${seenAt}"` },
        }),
      transformResponse: (reply: Reply<UpdateProduct>) => reply.data,
      // All lists, not only those that show it now: it may belong in others now, or elsewhere in these.
      invalidatesTags: (_product, _error, { id }) => tagsOf('Products', [{ _id: id }]),
    }),
    deleteProduct: build.mutation<unknown, string>({
      query: (id) => request<DeleteProduct>('DELETE', '/api/products/:id', { params: { id } }),
      // Also on failure: somebody else may have deleted it first, and the list still shows it.
      invalidatesTags: (_product, _error, _id) => [...tagsOf('Products', [{ _id }]), 'Stats'],
    }),
  }),
})

export const {
  useGetEditedProductQuery,
  useCreateProductMutation,
  useUpdateProductMutation,
  useDeleteProductMutation,
} = manageProductsApi
