/** A line that keeps somebody out, what replaces it when it is taken out, and the test that must then fail. */
type Guard = { file: string; is: string; becomes: string; test: string; name: string }
const access = { test: 'safety/access.test.ts', name: 'holds for every call' }
const foreign = { test: 'safety/rules.test.ts', name: 'refuses each changing call' }
const accounts = (name: string) => ({ test: 'accounts/server/accounts.test.ts', name })
export const guards: readonly Guard[] = [
  {
    file: 'platform/http/same-origin.ts',
    is: 'if (isOwn) return',
    becomes: 'if (isOwn || !isOwn) return',
    ...foreign,
  },
  {
    file: 'platform/http/json-bodies.ts',
    is: 'app.removeAllContentTypeParsers()',
    becomes: "app.removeContentTypeParser('application/json')",
    ...foreign,
  },
  {
    file: 'app.ts',
    is: 'request.viewer.id)\n    requireAccess(access, request)',
    becomes: 'request.viewer.id)',
    ...access,
  },
  {
    file: 'app.ts',
    is: 'await recognize(request)\n    requireAccess(access, request)',
    becomes: '',
    test: access.test,
    name: 'refuses a request whose session ends',
  },
  { file: 'platform/route.ts', is: 'if (!own) throw notAllowed()', becomes: '', ...access },
  {
    file: 'platform/route.ts',
    is: "if (access === 'user' || viewer.role === 'admin') return",
    becomes: 'return',
    ...access,
  },
  { file: 'accounts/server/session.ts', is: 'gt(sessions.lastSeenAt, idleSince),', becomes: '', ...access },
  {
    file: 'accounts/server/session.ts',
    is: 'gt(sessions.createdAt, bornBefore),',
    becomes: '',
    ...accounts('a session expires after'),
  },
  {
    file: 'accounts/server/session.ts',
    is: 'if (oldToken) await endSession(tx, hashOf(oldToken))',
    becomes: '',
    ...accounts('ends the session that the browser had'),
  },
  { file: 'accounts/server/manage-users.ts', is: 'await endSessionsOf(tx, userId)', becomes: '', ...access },
  {
    file: 'accounts/server/manage-users.ts',
    is: 'if (admins.length > 1 || admins[0]?.id !== userId) return',
    becomes: 'return',
    ...accounts('the last admin cannot be removed'),
  },
  {
    file: 'accounts/server/routes.ts',
    is: 'await endSession(db, requireViewer(request).tokenHash)',
    becomes: '',
    ...access,
  },
  {
    file: 'accounts/server/routes.ts',
    is: 'if (body.userId !== undefined && body.userId !== params.id) throw notAllowed()',
    becomes: '',
    ...accounts('is allowed only for the user themselves and for admins'),
  },
  {
    file: 'accounts/server/routes.ts',
    is: 'httpOnly: true',
    becomes: 'httpOnly: false',
    ...accounts('returns token, user and message'),
  },
  {
    file: 'reviews/server/routes.ts',
    is: 'if (userId !== id) throw notAllowed()',
    becomes: '',
    test: 'reviews/server/reviews.test.ts',
    name: 'refuses visitors',
  },
  {
    file: 'orders/server/routes.ts',
    is: 'data: isTheirs ? order',
    becomes: 'data: isTheirs || !isTheirs ? order',
    test: 'safety/rules.test.ts',
    name: 'no response reveals',
  },
  {
    file: 'orders/server/routes.ts',
    is: 'return url.origin === home.origin ?',
    becomes: 'return url.origin ?',
    test: 'orders/server/orders.test.ts',
    name: 'a return path becomes',
  },
  {
    file: 'contract/shapes.ts',
    is: "return username === '' && password === ''",
    becomes: 'return true',
    test: 'safety/faults.test.ts',
    name: 'invalid picture addresses are refused',
  },
]
