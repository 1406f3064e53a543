import type { FastifyInstance, FastifyReply } from 'fastify'
import * as contract from '#shop/accounts/contract.ts'
import { invalidInput, notAllowed, notFound } from '#shop/platform/errors.ts'
import { logAdmin, requireViewer, route } from '#shop/platform/route.ts'
import { changePassword } from './change-password.ts'
import { requireUncommon } from './common-passwords.ts'
import { listUsers } from './list-users.ts'
import { logIn, type LogInParts } from './log-in.ts'
import { changeRole, deleteUser, type BeforeDeletion } from './manage-users.ts'
import { hashPassword } from './passwords.ts'
import { endSession, sessionCookieName, sessionLimits } from './session.ts'
import { findUser, insertUser, listedUser, updateProfile, userReply } from './store.ts'

type Parts = LogInParts & { publicUrl: string; beforeDeletion: BeforeDeletion }

export function accountRoutes(app: FastifyInstance, parts: Parts): void {
  const { db, limiter } = parts
  const cookie = sessionCookie(parts.publicUrl)

  route(app, contract.register, async ({ body }, request) => {
    limiter.check('registrations', request.ip)
    const { username, email, password } = body
    requireUncommon(password, 'password')
    limiter.count('registrations', request.ip)
    const passwordHash = await hashPassword(password, limiter.countOf('registrations', request.ip))
    const user = await insertUser(db, { username, email, passwordHash })
    if (!user) throw invalidInput([{ path: 'email', message: 'cannot be used' }])
    return { data: userReply(user), message: 'Registration successful!' }
  })

  route(app, contract.logIn, async ({ body }, request, reply) => {
    const attempt = { ...body, address: request.ip }
    const { token, user } = await logIn(parts, attempt, request.cookies[cookie.name])
    cookie.set(reply, token)
    if (user.role === 'admin') logAdmin(request, 'signed in', { admin: user._id })
    return { token, user, message: 'Login successful!' }
  })

  route(app, contract.logOut, async (_input, request, reply) => {
    await endSession(db, requireViewer(request).tokenHash)
    cookie.clear(reply)
    return { data: null, message: 'Logout successful!' }
  })

  route(app, contract.getMe, async (_input, request) => {
    const user = await findUser(db, requireViewer(request).id)
    if (!user) throw notFound()
    return { data: userReply(user) }
  })

  route(app, contract.changePassword, async ({ body }, request, reply) => {
    const token = await changePassword(parts, requireViewer(request), body, request.ip)
    cookie.set(reply, token)
    return { data: null, message: 'Password changed successfully!' }
  })

  route(app, contract.editProfile, async ({ params, body }, request) => {
    if (body.userId !== undefined && body.userId !== params.id) throw notAllowed()
    const editor = requireViewer(request).id
    limiter.take('profileEdits', editor)
    const user = await updateProfile(db, params.id, body)
    if (!user) throw notFound()
    return { data: userReply(user), message: 'Profile Update Successfully' }
  })

  route(app, contract.listUsers, async ({ query }, _request, reply) => {
    const { users, total } = await listUsers(db, query)
    reply.header('x-total-count', total)
    return { data: users }
  })

  route(app, contract.changeRole, async ({ params, body }, request) => {
    const user = await changeRole(db, requireViewer(request), { userId: params.userId, role: body.role })
    return { data: listedUser(user), message: 'User role updated successfully!' }
  })

  route(app, contract.deleteUser, async ({ params }, request) => {
    await deleteUser(db, requireViewer(request), params.userId, parts.beforeDeletion)
    return { data: { _id: params.userId }, message: 'User deleted successfully!' }
  })
}

function sessionCookie(publicUrl: string) {
  const name = sessionCookieName(publicUrl)
  const secure = publicUrl.startsWith('https:')
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  const maxAge = sessionLimits.absoluteDays * 86_400
  return {
    name,
    set: (reply: FastifyReply, token: string) => reply.setCookie(name, token, { ...options, maxAge }),
    clear: (reply: FastifyReply) => reply.clearCookie(name, options),
  }
}
