import { z } from 'zod'
import { Product } from '#shop/catalogue/contract.ts'
import { endpoint } from '#shop/contract/endpoint.ts'
import { Limit, Page } from '#shop/contract/paging.ts'
import {
  dataReply,
  pageReply,
  Dollars,
  Id,
  requiredMessage,
  IdempotencyKeyHeader,
  IfMatchHeader,
  text,
  Timestamp,
} from '#shop/contract/shapes.ts'
import { orderStatuses } from './steps.ts'

export const maxQuantity = 99
export const maxLines = 50

const OrderLine = z.object({
  productId: Id,
  name: z.string(),
  image: z.string().nullable(),
  price: Dollars,
  quantity: z.number().int(),
})

const OrderStatus = z.enum(orderStatuses)

/** Who changed which status when, with the admin's name as it was then, whatever became of the account. */
export const StatusChange = z.object({
  from: OrderStatus,
  to: OrderStatus,
  by: z.object({ _id: Id, username: z.string() }),
  createdAt: Timestamp,
})
export type StatusChange = z.infer<typeof StatusChange>

/** A delivery address as the provider asked for it; fields that its country does not use are null. */
export const ShippingAddress = z.object({
  name: z.string().nullable(),
  line1: z.string().nullable(),
  line2: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  postalCode: z.string().nullable(),
  /** Two-letter code. */
  country: z.string().nullable(),
})
export type ShippingAddress = z.infer<typeof ShippingAddress>

/** Anybody with the link gets all but `email`, `userId` and `shippingAddress`; only admins get the history. */
export const Order = z.object({
  _id: Id,
  orderId: Id,
  email: z.string().nullable().optional(),
  userId: Id.nullable().optional(),
  /** Null when no address was asked for. */
  shippingAddress: ShippingAddress.nullable().optional(),
  status: OrderStatus,
  amount: Dollars,
  refunded: Dollars,
  currency: z.string(),
  lines: z.array(OrderLine),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** Oldest change first; only in the admin's view of one order. */
  history: z.array(StatusChange).optional(),
})
export type Order = z.infer<typeof Order>

/** Only id and quantity are trusted; a price, if given, is the one the customer saw. */
export const CartLine = z.object({
  _id: Id,
  quantity: z.number().int().min(1).max(maxQuantity),
  price: z.number().optional(),
})
export type CartLine = z.infer<typeof CartLine>

export const createCheckoutSession = endpoint({
  method: 'POST',
  path: '/api/orders/create-checkout-session',
  summary: 'Record a checkout and open a session at the payment provider',
  access: 'anyone',
  lane: 'payments',
  headers: IdempotencyKeyHeader,
  body: z.object({
    products: z.array(CartLine).min(1).max(1000),
    userId: z.unknown().optional(),
    /** Where the link back from the provider's payment page leads: a path of this shop. */
    returnTo: z.string().optional(),
  }),
  reply: z.object({ id: z.string(), url: z.string() }),
  status: 201,
  titles: { unavailable: 'Error creating checkout' },
})
export type CreateCheckoutSession = typeof createCheckoutSession

/** `data` of the problem `cart_changed`: the cart's products as the shop has them now. */
export const CurrentLines = z.object({
  products: z.array(Product.extend({ quantity: z.number().int() })),
})
export type CurrentLines = z.infer<typeof CurrentLines>

/** Anything but text becomes '', which is no session's id: 404, as for an invented one. */
const SessionId = z.preprocess(
  (value) => (typeof value === 'string' || value == null ? value : ''),
  z.string({ error: requiredMessage }),
)

export const confirmPayment = endpoint({
  method: 'POST',
  path: '/api/orders/confirm-payment',
  summary: 'The order of a paid session, made now if there is none yet; without its e-mail, user and address',
  access: 'anyone',
  lane: 'payments',
  evenWithoutRoom: true,
  body: z.object({ session_id: SessionId }),
  reply: dataReply(Order),
})
export type ConfirmPayment = typeof confirmPayment

export const getOrder = endpoint({
  method: 'GET',
  path: '/api/orders/order/:id',
  summary: 'One order, by its id or its payment id',
  access: 'anyone',
  // In a crowd, somebody who has paid wants to see what they have bought.
  lane: 'payments',
  params: z.object({ id: Id }),
  reply: dataReply(Order),
})
export type GetOrder = typeof getOrder

export const getShopConfig = endpoint({
  method: 'GET',
  path: '/api/config',
  summary: 'What the page needs to know about this shop',
  access: 'anyone',
  reply: dataReply(
    z.object({ paymentProvider: z.enum(['stripe', 'practice']), publishableKey: z.string().nullable() }),
  ),
})
export type GetShopConfig = typeof getShopConfig

export const listOrdersOfUser = endpoint({
  method: 'GET',
  path: '/api/orders/:email',
  summary:
    'Orders placed while logged in with this email, newest first, in pages; the total is in `X-Total-Count`',
  access: { own: 'email', is: 'email' },
  params: z.object({ email: text({ max: 254, min: 1 }) }),
  query: z.object({ page: Page, limit: Limit(100) }),
  reply: pageReply(Order),
})
export type ListOrdersOfUser = typeof listOrdersOfUser

/** `all` and an empty value both mean: no filter. */
const StatusFilter = z
  .enum(['', 'all', ...orderStatuses])
  .transform((value) => (value === '' || value === 'all' ? undefined : value))
  .optional()

export const listOrders = endpoint({
  method: 'GET',
  path: '/api/orders/',
  summary: 'All orders, newest first, in pages; the total is in `X-Total-Count`',
  access: 'admin',
  query: z.object({
    status: StatusFilter,
    /** The beginning of an order id or of the customer's e-mail. */
    search: text({ max: 255 }).optional(),
    page: Page,
    limit: Limit(100),
  }),
  reply: pageReply(Order),
})
export type ListOrders = typeof listOrders

export const updateOrderStatus = endpoint({
  method: 'PATCH',
  path: '/api/orders/update-order-status/:id',
  summary: 'Set the status of an order; any of the four may follow any other',
  access: 'admin',
  params: z.object({ id: Id }),
  headers: IfMatchHeader,
  body: z.object({ status: OrderStatus }),
  reply: dataReply(Order),
  isBodyLogged: true,
})
export type UpdateOrderStatus = typeof updateOrderStatus

export const deleteOrder = endpoint({
  method: 'DELETE',
  path: '/api/orders/delete-order/:id',
  summary: 'Take an order out of every list and total; the books keep it',
  access: 'admin',
  params: z.object({ id: Id }),
  reply: dataReply(z.object({ _id: Id, orderId: Id })),
})
export type DeleteOrder = typeof deleteOrder

/** A session that was paid, but not as it was recorded. */
export const PaymentBreak = z.object({
  sessionId: z.string(),
  checkoutId: z.string().nullable(),
  reason: z.string(),
  recorded: z.string(),
  reported: z.string(),
  createdAt: Timestamp,
})
export type PaymentBreak = z.infer<typeof PaymentBreak>

export const listPaymentBreaks = endpoint({
  method: 'GET',
  path: '/api/orders/breaks',
  summary: 'Payments that somebody has to look at, newest first; the total is in `X-Total-Count`',
  access: 'admin',
  query: z.object({ page: Page, limit: Limit(100) }),
  reply: pageReply(PaymentBreak),
})
export type ListPaymentBreaks = typeof listPaymentBreaks

export const closePaymentBreak = endpoint({
  method: 'POST',
  path: '/api/orders/breaks/:sessionId/close',
  summary: 'Take a payment that is settled off the list; the books keep it, and who said so',
  access: 'admin',
  params: z.object({ sessionId: Id }),
  reply: dataReply(z.object({ sessionId: Id, closedAt: Timestamp })),
})
export type ClosePaymentBreak = typeof closePaymentBreak
