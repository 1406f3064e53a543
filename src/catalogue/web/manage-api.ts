import type { CreateProduct, DatedProduct, DeleteProduct, UpdateProduct } from '#shop/catalogue/contract.ts'
import type { Body, Reply } from '#shop/contract/endpoint.ts'
import type { GetProduct } from '#shop/reviews/contract.ts'
import { api, request, tagsOf } from '#shop/web/api.ts'

/** What is sent again under the same key, after a lost answer say, is one product. */
type Creation = { body: Body<CreateProduct>; idempotencyKey: string }
/** Only what is still as it was at `seenAt`. */
type Update = { id: string; body: Body<UpdateProduct>; seenAt: string }

const manageProductsApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** With the moment of its last change. Not kept: what is edited must be what is there. */
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
      // In every list, not only where it stands now: it may belong to others, or elsewhere, since.
      invalidatesTags: (_product, _error, { id }) => tagsOf('Products', [{ _id: id }]),
    }),
    deleteProduct: build.mutation<unknown, string>({
      query: (id) => request<DeleteProduct>('DELETE', '/api/products/:id', { params: { id } }),
      // Also when it failed: somebody else may have been quicker, and the list then still shows it.
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
