import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { serverVariable, startTestServer } from '#shop/testing/test-database.ts'

/**
 * `node scripts/mutate-guards.ts`: takes each guard out of a copy of the shop, one at a time, and runs the test that
 * should notice. Ends with 1 when one is not missed. Takes minutes, so it is no part of `npm test`.
 */
type Guard = { file: string; is: string; becomes: string; test: string; name: string }
const access = { test: 'safety/access.test.ts', name: 'is true of every call' }
const foreign = { test: 'safety/rules.test.ts', name: 'is refused by every call' }
const accounts = (name: string) => ({ test: 'accounts/server/accounts.test.ts', name })
const guards: Guard[] = [
  {
    file: 'platform/same-origin.ts',
    is: 'if (isOwn) return',
    becomes: 'if (isOwn || !isOwn) return',
    ...foreign,
  },
  {
    file: 'platform/json-bodies.ts',
    is: 'app.removeAllContentTypeParsers()',
    becomes: "app.removeContentTypeParser('application/json')",
    ...foreign,
  },
  { file: 'app.ts', is: 'requireAccess(access, request.viewer)', becomes: '', ...access },
  { file: 'platform/route.ts', is: 'if (!own) throw notAllowed()', becomes: '', ...access },
  {
    file: 'platform/route.ts',
    is: "viewer.role !== 'admin') {",
    becomes: "viewer.role === 'x') {",
    ...access,
  },
  { file: 'accounts/server/session.ts', is: 'gt(sessions.lastSeenAt, idleSince),', becomes: '', ...access },
  {
    file: 'accounts/server/session.ts',
    is: 'gt(sessions.createdAt, bornBefore),',
    becomes: '',
    ...accounts('a session ends after'),
  },
  {
    file: 'accounts/server/session.ts',
    is: 'if (oldToken) await endSession(tx, hashOf(oldToken))',
    becomes: '',
    ...accounts('puts a new session'),
  },
  { file: 'accounts/server/manage-users.ts', is: 'await endSessionsOf(tx, userId)', becomes: '', ...access },
  {
    file: 'accounts/server/manage-users.ts',
    is: 'if (admins.length > 1 || admins[0]?.id !== userId) return',
    becomes: 'return',
    ...accounts('the last admin stays'),
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
    ...accounts('is for oneself and for admins'),
  },
  {
    file: 'accounts/server/routes.ts',
    is: 'httpOnly: true',
    becomes: 'httpOnly: false',
    ...accounts('answers exactly token'),
  },
  {
    file: 'reviews/server/routes.ts',
    is: 'if (userId !== id) throw notAllowed()',
    becomes: '',
    test: 'reviews/server/reviews.test.ts',
    name: 'refuses strangers',
  },
  {
    file: 'orders/server/routes.ts',
    is: 'data: isTheirs ? order',
    becomes: 'data: isTheirs || !isTheirs ? order',
    test: 'safety/rules.test.ts',
    name: 'nobody is told',
  },
  {
    file: 'orders/server/routes.ts',
    is: 'return url.origin === home.origin ?',
    becomes: 'return url.origin ?',
    test: 'orders/server/orders.test.ts',
    name: 'the link back',
  },
  {
    file: 'contract/shapes.ts',
    is: "return username === '' && password === ''",
    becomes: 'return true',
    test: 'safety/faults.test.ts',
    name: 'addresses that are no picture',
  },
]

const project = resolve(import.meta.dirname, '..')
const copy = await mkdtemp(join(tmpdir(), 'haberdash-guards-'))
for (const part of ['src', 'practice', 'migrations', 'docs', 'package.json']) {
  await cp(join(project, part), join(copy, part), { recursive: true })
}
await symlink(join(project, 'node_modules'), join(copy, 'node_modules'))
const server = await startTestServer()
const env = { ...process.env, [serverVariable]: JSON.stringify(server.connection) }

const isGreen = (test: string, name: string) => {
  const options = ['--test', '--test-reporter=dot', `--test-name-pattern=${name}`, join(copy, 'src', test)]
  return spawnSync(process.execPath, options, { cwd: copy, env, timeout: 180_000 }).status === 0
}

// What fails with every guard in its place would say nothing.
const tests = new Map(guards.map(({ test, name }) => [`${test} ${name}`, { test, name }]))
for (const [what, { test, name }] of tests) {
  if (!isGreen(test, name)) throw new Error(`With every guard in its place this fails: ${what}`)
}

let missed = 0
for (const { file, is, becomes, test, name } of guards) {
  const path = join(copy, 'src', file)
  const source = await readFile(path, 'utf8')
  if (!source.includes(is)) throw new Error(`${file} has no '${is}'`)
  await writeFile(path, source.replace(is, becomes))
  const isMissed = isGreen(test, name)
  await writeFile(path, source)
  if (isMissed) missed += 1
  console.log(`${isMissed ? 'NOT NOTICED' : 'noticed    '} ${file}: ${is}`)
}
await server.stop()
await rm(copy, { recursive: true })
console.log(`${guards.length - missed} of ${guards.length} noticed`)
process.exitCode = missed > 0 ? 1 : 0
