import type { ChangeRole, DeleteUser, ListedUser, ListUsers, Role } from '#shop/accounts/contract.ts'
import type { Query, Reply } from '#shop/contract/endpoint.ts'
import { api, request, tagsOf } from '#shop/web/api.ts'
import { totalOf } from '#shop/web/api-total.ts'

export const userList = tagsOf('Users')

const usersApi = api.injectEndpoints({
  endpoints: (build) => ({
    listUsers: build.query<{ users: ListedUser[]; total: number }, Query<ListUsers>>({
      query: (query) => request<ListUsers>('GET', '/api/auth/users', { query }),
      transformResponse: ({ data }: Reply<ListUsers>, meta) => ({ users: data, total: totalOf(meta, data) }),
      providesTags: (list) => tagsOf('Users', list?.users),
    }),
    changeRole: build.mutation<unknown, { userId: string; role: Role }>({
      query: ({ userId, role }) =>
        request<ChangeRole>('PUT', '/api/auth/users/:userId', { params: { userId }, body: { role } }),
      // After a refusal, the dialog itself refreshes the list once it is closed.
      invalidatesTags: (_user, error) => (error ? [] : userList),
    }),
    deleteUser: build.mutation<unknown, string>({
      query: (userId) => request<DeleteUser>('DELETE', '/api/auth/users/:userId', { params: { userId } }),
      // Their reviews stay, without an author.
      invalidatesTags: [...userList, 'Reviews', 'Stats'],
    }),
  }),
})

export const { useListUsersQuery, useChangeRoleMutation, useDeleteUserMutation } = usersApi
