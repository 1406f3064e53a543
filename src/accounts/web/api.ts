import type {
  ChangePassword,
  EditProfile,
  GetMe,
  LogIn,
  LogOut,
  Register,
  User,
} from '#shop/accounts/contract.ts'
import type { Body, Reply } from '#shop/contract/endpoint.ts'
import { api, request } from '#shop/web/api.ts'
import { withWait } from '#shop/web/api-problem.ts'
import { corrected, signedIn } from './session.ts'

type Edit = { id: string; profileData: Body<EditProfile> }

export const accountsApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Sent once per visit and before a checkout; requests that need a role or session notice a later change. */
    getMe: build.query<User, void>({
      query: () => request<GetMe>('GET', '/api/auth/me'),
      transformResponse: (reply: Reply<GetMe>) => reply.data,
      keepUnusedDataFor: 86_400,
      async onQueryStarted(_nothing, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined)
        if (answer) dispatch(corrected(answer.data))
      },
    }),
    register: build.mutation<Reply<Register>['data'], Body<Register>>({
      query: (body) => request<Register>('POST', '/api/auth/register', { body }),
      transformResponse: (reply: Reply<Register>) => reply.data,
      transformErrorResponse: withWait,
    }),
    /** The token in the response is for programs: the page relies on the cookie and does not keep the token. */
    logIn: build.mutation<User, Body<LogIn>>({
      query: (body) => request<LogIn>('POST', '/api/auth/login', { body }),
      transformResponse: (reply: Reply<LogIn>) => reply.user,
      transformErrorResponse: withWait,
      async onQueryStarted(_typed, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined)
        if (!answer?.data) return
        dispatch(signedIn(answer.data))
        void dispatch(accountsApi.util.upsertQueryData('getMe', undefined, answer.data))
      },
    }),
    logOut: build.mutation<unknown, void>({
      query: () => request<LogOut>('POST', '/api/auth/logout'),
    }),
    editProfile: build.mutation<User, Edit>({
      query: ({ id, profileData }) =>
        request<EditProfile>('PATCH', '/api/auth/edit-profile/:id', { params: { id }, body: profileData }),
      transformResponse: (reply: Reply<EditProfile>) => reply.data,
      // Reviews show the name and the picture of their author.
      invalidatesTags: (_user, error) => (error ? [] : ['Reviews', 'Users']),
      async onQueryStarted(_edit, { dispatch, queryFulfilled }) {
        const answer = await queryFulfilled.catch(() => undefined)
        if (answer) dispatch(corrected(answer.data))
      },
    }),
    changePassword: build.mutation<unknown, Body<ChangePassword>>({
      query: (body) => request<ChangePassword>('POST', '/api/auth/change-password', { body }),
      transformErrorResponse: withWait,
    }),
  }),
})

export const {
  useGetMeQuery,
  useRegisterMutation,
  useLogInMutation,
  useLogOutMutation,
  useEditProfileMutation,
  useChangePasswordMutation,
} = accountsApi
