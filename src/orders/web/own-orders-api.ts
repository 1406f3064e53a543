import type { Reply } from '#shop/contract/endpoint.ts'
import type { ListOrdersOfUser, Order } from '#shop/orders/contract.ts'
import { api, request } from '#shop/web/api.ts'
import { totalOf } from '#shop/web/api-total.ts'

type Page = { email: string; page: number; limit: number }

const ownOrdersApi = api.injectEndpoints({
  endpoints: (build) => ({
    listOwnOrders: build.query<{ orders: Order[]; total: number }, Page>({
      query: ordersOf,
      transformResponse: ({ data }: Reply<ListOrdersOfUser>, meta) => ({
        orders: data,
        total: totalOf(meta, data),
      }),
      providesTags: [{ type: 'Orders', id: 'LIST' }],
    }),
    /** All orders, page by page: without one of them, their sum would be wrong. */
    listOwnPayments: build.query<Order[], string>({
      async queryFn(email, _api, _options, baseQuery) {
        for (let tries = 3; ; tries -= 1) {
          const payments = new Map<string, Order>()
          const totals = new Set<number>()
          let isLast = false
          for (let page = 1; !isLast; page += 1) {
            const answer = await baseQuery(ordersOf({ email, page, limit: maxPageSize }))
            if (answer.error) return { error: answer.error }
            // The contract's type: `baseQuery` only knows that there is an answer.
            const { data } = answer.data as Reply<ListOrdersOfUser>
            for (const order of data) payments.set(order._id, order)
            totals.add(totalOf(answer.meta, data))
            isLast = data.length < maxPageSize
          }
          // A new or deleted order moves others to other pages: then start again.
          if (totals.size === 1 || tries === 1) return { data: [...payments.values()] }
        }
      },
      providesTags: [{ type: 'Orders', id: 'LIST' }],
    }),
  }),
})

const maxPageSize = 100

function ordersOf({ email, page, limit }: Page) {
  return request<ListOrdersOfUser>('GET', '/api/orders/:email', { params: { email }, query: { page, limit } })
}

export const { useListOwnOrdersQuery, useListOwnPaymentsQuery } = ownOrdersApi
