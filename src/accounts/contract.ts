import { z } from 'zod'
import { endpoint } from '#shop/contract/endpoint.ts'
import { Limit, Page } from '#shop/contract/paging.ts'
import {
  dataReply,
  Email,
  Id,
  requiredMessage,
  pageReply,
  PictureAddress,
  text,
  Timestamp,
} from '#shop/contract/shapes.ts'

export const roles = ['user', 'admin'] as const
export const Role = z.enum(roles)
export type Role = z.infer<typeof Role>

export const User = z.object({
  _id: Id,
  username: z.string(),
  email: z.string(),
  role: Role,
  profileImage: z.string().nullable(),
  bio: z.string(),
  profession: z.string(),
  createdAt: Timestamp,
})
export type User = z.infer<typeof User>

/** Only what the admin's list needs. */
export const ListedUser = User.pick({ _id: true, username: true, email: true, role: true, createdAt: true })
export type ListedUser = z.infer<typeof ListedUser>

const leastPasswordLength = 8
const mostPasswordLength = 256
const mostPasswordBytes = 1024

/** Compared as typed. A lone surrogate is no character: encoding it would silently make another one of it. */
const TypedPassword = z
  .string({ error: ({ input }) => (input === undefined ? requiredMessage : 'must be text') })
  .min(1, { error: requiredMessage, abort: true })
  .max(mostPasswordBytes, `must have at most ${mostPasswordLength} characters`)
  .refine((value) => value.isWellFormed(), 'must not contain broken characters')
  .refine(
    (value) => new TextEncoder().encode(value).length <= mostPasswordBytes,
    `must have at most ${mostPasswordBytes} bytes`,
  )

const NewPassword = TypedPassword.refine(
  (value) => [...value].length >= leastPasswordLength,
  `must have at least ${leastPasswordLength} characters`,
)
  .refine(
    (value) => [...value].length <= mostPasswordLength,
    `must have at most ${mostPasswordLength} characters`,
  )
  .meta({ minLength: leastPasswordLength, maxLength: mostPasswordLength })

const Username = text({ max: 80, min: 1 })

export const register = endpoint({
  method: 'POST',
  path: '/api/auth/register',
  summary: 'Create an account; it does not log in',
  access: 'anyone',
  body: z.object({ username: Username, email: Email, password: NewPassword }),
  reply: dataReply(User),
  status: 201,
  titles: { invalid: 'Registration failed!' },
})
export type Register = typeof register

export const logIn = endpoint({
  method: 'POST',
  path: '/api/auth/login',
  summary: 'Log in: sets the session cookie; programs use the token as `Authorization: Bearer`',
  access: 'anyone',
  evenWithoutRoom: true,
  body: z.object({ email: Email, password: TypedPassword }),
  reply: z.object({ token: z.string(), user: User, message: z.string() }),
  titles: { invalid: 'Please Provide a valid email and password!' },
})
export type LogIn = typeof logIn

export const logOut = endpoint({
  method: 'POST',
  path: '/api/auth/logout',
  summary: 'End this session',
  access: 'user',
  evenWithoutRoom: true,
  reply: dataReply(z.null()),
})
export type LogOut = typeof logOut

export const getMe = endpoint({
  method: 'GET',
  path: '/api/auth/me',
  summary: 'The user of this session',
  access: 'user',
  reply: dataReply(User),
})
export type GetMe = typeof getMe

export const changePassword = endpoint({
  method: 'POST',
  path: '/api/auth/change-password',
  summary: 'Change your own password; ends every session of the account, and sets the cookie of a new one',
  access: 'user',
  body: z.object({ currentPassword: TypedPassword, newPassword: NewPassword }),
  reply: dataReply(z.null()),
})
export type ChangePassword = typeof changePassword

export const editProfile = endpoint({
  method: 'PATCH',
  path: '/api/auth/edit-profile/:id',
  summary: 'Change what others see of a user',
  access: { own: 'id', is: 'id' },
  params: z.object({ id: Id }),
  body: z.object({
    username: Username,
    profileImage: PictureAddress,
    bio: text({ max: 1000, min: 1, lines: true }),
    profession: text({ max: 120, min: 1 }),
    /** When given, it must equal the id in the path. */
    userId: z.unknown().optional(),
  }),
  reply: dataReply(User),
})
export type EditProfile = typeof editProfile

export const listUsers = endpoint({
  method: 'GET',
  path: '/api/auth/users',
  summary: 'Users, newest first, in pages; the total is in `X-Total-Count`',
  access: 'admin',
  query: z.object({
    /** Text to find in the username or the e-mail. */
    search: text({ max: 200 }).optional(),
    page: Page,
    limit: Limit(100),
  }),
  reply: pageReply(ListedUser),
})
export type ListUsers = typeof listUsers

export const changeRole = endpoint({
  method: 'PUT',
  path: '/api/auth/users/:userId',
  summary: 'Make a user an admin, or an admin a user; ends their sessions',
  access: 'admin',
  params: z.object({ userId: Id }),
  body: z.object({ role: Role }),
  reply: dataReply(ListedUser),
  isBodyLogged: true,
})
export type ChangeRole = typeof changeRole

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/api/auth/users/:userId',
  summary: 'Delete a user; orders and reviews stay, without their name',
  access: 'admin',
  params: z.object({ userId: Id }),
  reply: dataReply(z.object({ _id: Id })),
})
export type DeleteUser = typeof deleteUser
