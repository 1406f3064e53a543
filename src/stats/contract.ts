import { z } from 'zod'
import { endpoint } from '#shop/contract/endpoint.ts'
import { dataReply, Id } from '#shop/contract/shapes.ts'

const Count = z.number().int()
/** Dollars. Not the catalogue's `Price`, whose maximum a sum may exceed. */
const Sum = z.number()

export const UserStats = z.object({
  /** Paid minus refunded. */
  totalPayments: Sum,
  totalReviews: Count,
  /** Different products; spelled as the page expects it. */
  totalPurchadedProducts: Count,
})
export type UserStats = z.infer<typeof UserStats>

export const AdminStats = z.object({
  /** Paid minus refunded. */
  totalEarnings: Sum,
  totalOrders: Count,
  totalUsers: Count,
  totalProducts: Count,
  totalReviews: Count,
  /** Month 1 to 12 of the current year (UTC); a refund counts in the month of its order. */
  monthlyEarnings: z.array(z.object({ month: z.number().int().min(1).max(12), earnings: Sum })),
})
export type AdminStats = z.infer<typeof AdminStats>

export const getUserStats = endpoint({
  method: 'GET',
  path: '/api/stats/user-stats/:userId',
  summary: 'What a user paid, reviewed and bought',
  access: { own: 'userId', is: 'id' },
  params: z.object({ userId: Id }),
  reply: dataReply(UserStats),
})
export type GetUserStats = typeof getUserStats

export const getAdminStats = endpoint({
  method: 'GET',
  path: '/api/stats/admin-stats',
  summary: 'What the shop earned, and how many orders, users, products and reviews there are',
  access: 'admin',
  reply: dataReply(AdminStats),
})
export type GetAdminStats = typeof getAdminStats

export const getTotalReviews = endpoint({
  method: 'GET',
  path: '/api/reviews/total-reviews',
  summary: 'How many reviews there are',
  access: 'anyone',
  reply: dataReply(z.object({ totalReviews: Count })),
})
