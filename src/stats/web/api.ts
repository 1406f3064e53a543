import type { AdminStats, GetAdminStats, GetUserStats, UserStats } from '#shop/stats/contract.ts'
import { api, dataOf, request } from '#shop/web/api.ts'

const statsApi = api.injectEndpoints({
  endpoints: (build) => ({
    getUserStats: build.query<UserStats, string>({
      query: (userId) =>
        request<GetUserStats>('GET', '/api/stats/user-stats/:userId', { params: { userId } }),
      transformResponse: dataOf<UserStats>,
      providesTags: ['Stats'],
    }),
    getAdminStats: build.query<AdminStats, void>({
      query: () => request<GetAdminStats>('GET', '/api/stats/admin-stats'),
      transformResponse: dataOf<AdminStats>,
      providesTags: ['Stats'],
    }),
  }),
})

export const { useGetUserStatsQuery, useGetAdminStatsQuery } = statsApi
