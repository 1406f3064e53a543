/** A line that keeps somebody out, what replaces it when it is taken out, and the test that must then fail. */
type Guard = { file: string; original: string; replacement: string; test: string; name: string }
const access = { test: 'safety/access.test.ts', name: 'holds for every call' }
const foreign = { test: 'safety/rules.test.ts', name: 'refuses each changing call' }
const accounts = (name: string) => ({ test: 'accounts/server/accounts.test.ts', name })
export const guards: readonly Guard[] = [
  {
    file: 'platform/http/same-origin.ts',
    original: 'if (isOwn) return',
    replacement: 'if (isOwn || !isOwn) return',
    ...foreign,
  },
  {
    file: 'platform/http/json-bodies.ts',
    original: 'app.removeAllContentTypeParsers()',
    replacement: "app.removeContentTypeParser('application/json')",
    ...foreign,
  },
  {
    file: 'app.ts',
    original: 'request.viewer.id)\n    requireAccess(access, request)',
    replacement: 'request.viewer.id)',
    ...access,
  },
  {
    file: 'app.ts',
    original: 'await recognize(request)\n    requireAccess(access, request)',
    replacement: '',
    test: access.test,
    name: 'refuses a request whose session ends',
  },
  {
    file: 'platform/route.ts',
    original: 'if (!isOwn(access, request)) throw notAllowed()',
    replacement: '',
    ...access,
  },
  {
    file: 'platform/route.ts',
    original: "if (access === 'user' || viewer.role === 'admin') return",
    replacement: 'return',
    ...access,
  },
  {
    file: 'accounts/server/session.ts',
    original: 'gt(sessions.lastSeenAt, idleSince),',
    replacement: '',
    ...access,
  },
  {
    file: 'accounts/server/session.ts',
    original: 'gt(sessions.createdAt, oldestCreatedAt),',
    replacement: '',
    ...accounts('a session expires after'),
  },
  {
    file: 'accounts/server/session.ts',
    original: 'if (oldToken) await endSession(tx, hashOf(oldToken))',
    replacement: '',
    ...accounts('ends the session that the browser had'),
  },
  {
    file: 'accounts/server/manage-users.ts',
    original: 'await endSessionsOf(tx, userId)',
    replacement: '',
    ...access,
  },
  {
    file: 'accounts/server/manage-users.ts',
    original: 'if (admins.length > 1 || admins[0]?.id !== userId) return',
    replacement: 'return',
    ...accounts('the last admin cannot be removed'),
  },
  {
    file: 'accounts/server/manage-users.ts',
    original: 'if (rows.length === 0) throw notSignedIn()',
    replacement: '',
    ...accounts('an admin who is demoted or deleted while'),
  },
  {
    file: 'accounts/server/routes.ts',
    original: 'await endSession(db, requireViewer(request).tokenHash)',
    replacement: '',
    ...access,
  },
  {
    file: 'accounts/server/routes.ts',
    original: 'if (body.userId !== undefined && body.userId !== params.id) throw notAllowed()',
    replacement: '',
    ...accounts('is allowed only for the user themselves and for admins'),
  },
  {
    file: 'accounts/server/routes.ts',
    original: 'httpOnly: true',
    replacement: 'httpOnly: false',
    ...accounts('returns token, user and message'),
  },
  {
    file: 'reviews/server/routes.ts',
    original: 'if (userId !== id) throw notAllowed()',
    replacement: '',
    test: 'reviews/server/reviews.test.ts',
    name: 'refuses visitors',
  },
  {
    file: 'orders/server/routes.ts',
    original: 'data: isTheirs ? order',
    replacement: 'data: isTheirs || !isTheirs ? order',
    test: 'safety/rules.test.ts',
    name: 'no response reveals',
  },
  {
    file: 'orders/server/routes.ts',
    original: 'url.protocol === home.protocol && url.host === home.host',
    replacement: 'url.origin === home.origin',
    test: 'orders/server/orders.test.ts',
    name: 'a return path becomes',
  },
  {
    file: 'contract/shapes.ts',
    original: "return username === '' && password === ''",
    replacement: 'return true',
    test: 'safety/faults.test.ts',
    name: 'invalid picture addresses are refused',
  },
]
