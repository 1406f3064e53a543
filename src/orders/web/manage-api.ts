import type { Query, Reply } from '#shop/contract/endpoint.ts'
import type {
  ClosePaymentBreak,
  DeleteOrder,
  ListOrders,
  ListPaymentBreaks,
  Order,
  PaymentBreak,
  UpdateOrderStatus,
} from '#shop/orders/contract.ts'
import type { OrderStatus } from '#shop/orders/steps.ts'
import { api, request, tagsOf } from '#shop/web/api.ts'
import { totalOf } from '#shop/web/api-total.ts'

type OrderList = { orders: Order[]; total: number }
type StatusEdit = { id: string; body: { status: OrderStatus }; seenAt: string }

/** Cache tags of whatever shows an order. */
export const tagsOfOrder = (_id: string) => tagsOf('Orders', [{ _id }])

export const breakList = [{ type: 'Orders' as const, id: 'BREAKS' }]

const manageOrdersApi = api.injectEndpoints({
  endpoints: (build) => ({
    listOrders: build.query<OrderList, Query<ListOrders>>({
      query: (query) => request<ListOrders>('GET', '/api/orders/', { query }),
      transformResponse: ({ data }: Reply<ListOrders>, meta) => ({
        orders: data,
        total: totalOf(meta, data),
      }),
      providesTags: (list) => tagsOf('Orders', list?.orders),
    }),
    listPaymentBreaks: build.query<{ breaks: PaymentBreak[]; total: number }, void>({
      query: () => request<ListPaymentBreaks>('GET', '/api/orders/breaks', { query: { limit: 20 } }),
      transformResponse: ({ data }: Reply<ListPaymentBreaks>, meta) => ({
        breaks: data,
        total: totalOf(meta, data),
      }),
      providesTags: breakList,
    }),
    closePaymentBreak: build.mutation<unknown, string>({
      query: (sessionId) =>
        request<ClosePaymentBreak>('POST', '/api/orders/breaks/:sessionId/close', { params: { sessionId } }),
      // After an error, the dialog refreshes the list once it is closed.
      invalidatesTags: (_closed, error) => (error ? [] : breakList),
    }),
    updateOrderStatus: build.mutation<unknown, StatusEdit>({
      query: ({ id, body, seenAt }) =>
        request<UpdateOrderStatus>('PATCH', '/api/orders/update-order-status/:id', {
          params: { id },
          body,
          headers: { 'If-Match': `"${seenAt}"` },
        }),
      // After an error, the dialog refreshes the list once it is closed.
      invalidatesTags: (_order, error, { id }) => (error ? [] : tagsOfOrder(id)),
    }),
    deleteOrder: build.mutation<unknown, string>({
      query: (id) => request<DeleteOrder>('DELETE', '/api/orders/delete-order/:id', { params: { id } }),
      invalidatesTags: (_order, _error, id) => [...tagsOfOrder(id), 'Stats'],
    }),
  }),
})

export const {
  useListOrdersQuery,
  useListPaymentBreaksQuery,
  useClosePaymentBreakMutation,
  useUpdateOrderStatusMutation,
  useDeleteOrderMutation,
} = manageOrdersApi
