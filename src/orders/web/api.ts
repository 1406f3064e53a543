import type { Body, Reply } from '#shop/contract/endpoint.ts'
import type { ConfirmPayment, CreateCheckoutSession, GetOrder, GetShopConfig } from '#shop/orders/contract.ts'
import { problemOf, withWait } from '#shop/web/api-problem.ts'
import { api, dataOf, mayBeMissing, request, tagsOf } from '#shop/web/api.ts'

type Checkout = { body: Body<CreateCheckoutSession>; idempotencyKey: string }

const ordersApi = api.injectEndpoints({
  endpoints: (build) => ({
    createCheckoutSession: build.mutation<Reply<CreateCheckoutSession>, Checkout>({
      query: ({ body, idempotencyKey }) =>
        request<CreateCheckoutSession>('POST', '/api/orders/create-checkout-session', {
          body,
          headers: { 'Idempotency-Key': idempotencyKey },
        }),
      // The page behind the cart has outdated products: what is added from there would be refused again.
      invalidatesTags: (_session, error, { body }) =>
        problemOf(error)?.code === 'cart_changed' ? tagsOf('Products', body.products) : [],
    }),
    /** A query although it is a POST: repeating it is harmless, and a page sends it only once. */
    confirmPayment: build.query<Reply<ConfirmPayment>['data'], string>({
      query: (session) =>
        request<ConfirmPayment>('POST', '/api/orders/confirm-payment', { body: { session_id: session } }),
      transformResponse: dataOf<Reply<ConfirmPayment>['data']>,
      transformErrorResponse: withWait,
    }),
    /** Null when there is no such order. */
    getOrder: build.query<Reply<GetOrder>['data'] | null, string>({
      query: (id) => mayBeMissing(request<GetOrder>('GET', '/api/orders/order/:id', { params: { id } })),
      transformResponse: ({ data }: Partial<Reply<GetOrder>>) => data ?? null,
      // By the order's own id, never by one from a URL: `/orders/constructor` would name a built-in of JavaScript.
      providesTags: (order) => [{ type: 'Orders', id: order?._id }],
    }),
    getShopConfig: build.query<Reply<GetShopConfig>['data'], void>({
      query: () => request<GetShopConfig>('GET', '/api/config'),
      transformResponse: (reply: Reply<GetShopConfig>) => reply.data,
    }),
  }),
})

export const {
  useCreateCheckoutSessionMutation,
  useConfirmPaymentQuery,
  useGetOrderQuery,
  useGetShopConfigQuery,
} = ordersApi
