import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, afterEach, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import pg from 'pg'
import { until } from '#shop/testing/until.ts'
import { isAlive, lockDataDir } from '#shop/platform/data-dir-lock.ts'
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { runGuarded } from './guarded-process.ts'
import { findPostgresBinaries, restoreLinks } from './postgres-binaries.ts'
import { StartError } from '#shop/platform/start-error.ts'

const moduleUrl = new URL('./embedded-postgres.ts', import.meta.url).href
const shopProgram = `
  import { startEmbeddedPostgres } from ${JSON.stringify(moduleUrl)}
  try {
    const { connection } = await startEmbeddedPostgres({ dataDir: process.argv[1], log: () => undefined })
    console.log(JSON.stringify(connection))
  } catch (error) {
    console.log(error.message)
    process.exit(error.exitCode ?? 99)
  }
`

const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'
const folders: string[] = []
const servers: EmbeddedPostgres[] = []
const shops: ChildProcess[] = []
/** One cluster, made once; tests that need a database but no first start begin with a copy. */
let finished: string | undefined

async function makeFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'haberdash-postgres-'))
  folders.push(folder)
  return folder
}

async function makeDataDir(): Promise<string> {
  const dataDir = join(await makeFolder(), 'data')
  if (finished === undefined) {
    const first = join(await mkdtemp(join(tmpdir(), 'haberdash-postgres-')), 'data')
    const server = await startEmbeddedPostgres({ dataDir: first, log: () => undefined })
    await server.stop()
    finished = first
  }
  await cp(finished, dataDir, { recursive: true })
  return dataDir
}

async function start(dataDir: string, lines: string[] = []): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: (line) => lines.push(line) })
  servers.push(server)
  return server
}

type Shop = {
  pid: number
  firstLine: Promise<string>
  exitCode: Promise<number | null>
  kill(): Promise<unknown>
}

const shopCommand = (dataDir: string) =>
  [process.execPath, '--input-type=module', '-e', shopProgram, dataDir] as const

function startShop(dataDir: string, user: { uid?: number; gid?: number } = {}): Shop {
  const [command, ...args] = shopCommand(dataDir)
  const shop = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...user })
  shops.push(shop)
  assert.ok(shop.pid)
  const lines = createInterface({ input: shop.stdout })
  const exitCode = new Promise<number | null>((resolve) => shop.once('exit', (code) => resolve(code)))
  return {
    pid: shop.pid,
    firstLine: new Promise((resolve) =>
      lines.once('line', resolve).once('close', () => resolve('(nothing)')),
    ),
    exitCode,
    kill() {
      shop.kill('SIGKILL')
      return exitCode
    },
  }
}

/** Each of the two ends when the other does. A stopped guardian cannot react before both are killed. */
function killBoth(guardian: number, server: number): void {
  process.kill(guardian, 'SIGSTOP')
  process.kill(server, 'SIGKILL')
  process.kill(guardian, 'SIGKILL')
}

/** Whether it was still there. */
function endProcess(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

function canRead(user: { uid: number; gid: number }): boolean {
  return spawnSync(process.execPath, ['-e', `import(${JSON.stringify(moduleUrl)})`], user).status === 0
}

async function query(connection: pg.ClientConfig, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 30_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const result = await client.query<Record<string, unknown>>(statement)
    return result.rows.map((row) => Object.values(row)[0])
  } finally {
    await client.end().catch(() => undefined)
  }
}

function answers(connection: pg.ClientConfig): Promise<boolean> {
  return query(connection, 'select 1').then(
    () => true,
    () => false,
  )
}

async function readServerPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
}

async function findParent(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1])
}

/** The shop whose guardian's child is the server among these processes. */
async function findShopOf(processes: number[]): Promise<number> {
  const parents = await Promise.all(processes.map(findParent))
  const guardian = parents.find((pid) => !processes.includes(pid))
  assert.ok(guardian)
  return findParent(await findParent(guardian))
}

/** A server's child processes of one kind, such as `checkpointer`. */
async function findChildren(server: number, kind: string): Promise<number[]> {
  const children = await readFile(`/proc/${server}/task/${server}/children`, 'utf8').catch(() => '')
  const found: number[] = []
  for (const pid of children.split(' ').filter(Boolean)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.includes(`postgres: ${kind}`)) found.push(Number(pid))
  }
  return found
}

async function findSession(pid: number): Promise<number> {
  const fields = await readFile(`/proc/${pid}/stat`, 'utf8')
  return Number(fields.slice(fields.lastIndexOf(')')).split(' ')[4])
}

async function listServerProcesses(dataDir: string): Promise<number[]> {
  const found: number[] = []
  for (const name of await readdir('/proc')) {
    const workingDir = /^\d+$/.test(name) ? await readlink(`/proc/${name}/cwd`).catch(() => '') : ''
    if (workingDir.startsWith(dataDir)) found.push(Number(name))
  }
  return found
}

async function refusal(promise: Promise<unknown>): Promise<StartError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof StartError, `expected a StartError, got ${String(error)}`)
  assert.doesNotMatch(error.message, /\n/)
  return error
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  for (const shop of shops.splice(0)) shop.kill('SIGKILL')
  for (const folder of folders.splice(0)) {
    if (isLinux)
      await until(
        async () => (await listServerProcesses(folder)).length === 0,
        'every process of the test is gone',
      )
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

after(async () => {
  if (finished) await rm(dirname(finished), { recursive: true, force: true })
})

describe('starting', () => {
  test('makes a private, durable UTF-8 database without TCP on the first start, and keeps its rows', async () => {
    const dataDir = join(await makeFolder(), 'it\'s, a "shop"', 'data')
    const lines: string[] = []
    const first = await start(dataDir, lines)
    assert.equal(first.connection.database, 'haberdash')
    assert.equal(first.connection.user, 'haberdash')
    for (const folder of [dataDir, dirname(dataDir), join(dataDir, 'postgres')])
      assert.equal((await stat(folder)).mode & 0o777, 0o700)
    assert.equal((await stat(join(dataDir, 'postgres.log'))).mode & 0o777, 0o600)
    assert.equal((await stat(first.connection.host)).mode & 0o777, 0o700)
    const settings =
      "select current_setting('listen_addresses') || current_setting('fsync') || current_setting('server_encoding')"
    assert.deepEqual(await query(first.connection, settings), ['onUTF8'])
    assert.deepEqual(await query(first.connection, "select upper('schön')"), ['SCHÖN'])
    await query(first.connection, 'create table answers as select 42 as answer')
    await first.stop()
    assert.equal(await answers(first.connection), false)
    assert.deepEqual(lines, [])

    const second = await start(dataDir)
    assert.deepEqual(await query(second.connection, 'select answer from answers'), [42])
    assert.doesNotMatch(await readFile(join(dataDir, 'postgres.log'), 'utf8'), /automatic recovery/)
  })

  test('ignores PG* variables meant for other servers, but keeps them while DATABASE_URL is set', async () => {
    const dataDir = await makeDataDir()
    const others = { PGOPTIONS: '-c foo=bar', PGSSLMODE: 'require', PGREPLICATION: 'database', PGPORT: '1' }
    Object.assign(process.env, others)
    const server = await start(dataDir)
    assert.deepEqual(await query(server.connection, 'select 1'), [1])
    Object.assign(process.env, others)
    const found = await findRunningPostgres(dataDir)
    assert.deepEqual(found && (await query(found, 'select 1')), [1])
    // When the shop is being moved to such a server, its settings stay.
    Object.assign(process.env, { DATABASE_URL: 'postgres://elsewhere', PGSSLMODE: 'require' })
    const alsoFound = await findRunningPostgres(dataDir)
    assert.deepEqual(alsoFound && (await query(alsoFound, 'select 1')), [1])
    assert.equal(process.env.PGSSLMODE, 'require')
    delete process.env.DATABASE_URL
    delete process.env.PGSSLMODE
  })

  test('keeps failed statements out of the log', async () => {
    const dataDir = await makeDataDir()
    const server = await start(dataDir)
    await assert.rejects(query(server.connection, 'select secret_of_a_customer'))
    await server.stop()
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8')
    assert.match(log, /ready to accept connections/)
    assert.doesNotMatch(log, /secret_of_a_customer/)
  })

  test('works below a path that is too long for a socket, with a socket folder closed to others', async () => {
    const dataDir = join(
      await makeFolder(),
      ...Array.from({ length: 12 }, () => 'a-rather-long-name'),
      'data',
    )
    const { connection, stop } = await start(dataDir)
    assert.ok(Buffer.byteLength(connection.host) < 90)
    assert.equal((await stat(connection.host)).mode & 0o777, 0o700)
    assert.equal(await answers(connection), true)
    folders.push(connection.host)
    await stop()
    await chmod(connection.host, 0o755)
    assert.match(
      (await refusal(start(dataDir))).message,
      /must be a folder that only the shop's user can enter/,
    )
  })

  test('starts over after a first start that was killed half-way', async () => {
    const dataDir = join(await makeFolder(), 'data')
    await mkdir(join(dataDir, 'postgres.new-1234/base'), { recursive: true })
    await writeFile(join(dataDir, 'postgres.new-1234/PG_VERSION'), '18\n')
    const shop = startShop(dataDir)
    // On a fast disk it may be over before it is seen at work. What follows holds then, too.
    await until(async () => {
      const names = await readdir(dataDir)
      return names.some((name) => name.startsWith('postgres') && !/\.new-1234$|\.log$/.test(name))
    }, 'initdb is at work')
    await shop.kill()
    const { connection } = await start(dataDir)
    assert.equal(await answers(connection), true)
    await until(async () => {
      const names = await readdir(dataDir)
      return !names.some((name) => name.startsWith('postgres.new-'))
    }, 'leftovers are gone')
  })

  test('refuses a folder of another PostgreSQL version and leaves it alone', async () => {
    const dataDir = join(await makeFolder(), 'data')
    await mkdir(join(dataDir, 'postgres'), { recursive: true })
    await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')
    const error = await refusal(start(dataDir))
    assert.match(
      error.message,
      /made by PostgreSQL 17 and this shop brings 18: .*DATABASE_URL.* npm run move/,
    )
    assert.equal(error.exitCode, 1)
    assert.deepEqual(await readdir(join(dataDir, 'postgres')), ['PG_VERSION'])
  })

  test('refuses a folder with wrong permissions or missing database files, and says why', async () => {
    const dataDir = await makeDataDir()
    await chmod(join(dataDir, 'postgres'), 0o777)
    assert.match((await refusal(start(dataDir))).message, /invalid permissions.*; nobody but its user/)
    await chmod(join(dataDir, 'postgres'), 0o700)
    await rm(join(dataDir, 'postgres/global/pg_control'))
    assert.match((await refusal(start(dataDir))).message, /The database does not start: .*pg_control/)
    await rm(join(dataDir, 'postgres/PG_VERSION'))
    assert.match((await refusal(start(dataDir))).message, /not a complete database/)
  })

  test('ignores stale pid files whose pid now belongs to another process, and does not end that process', async () => {
    const dataDir = await makeDataDir()
    const pidFile = `${process.ppid}\n${join(dataDir, 'postgres')}\n1700000000\n5432\n${dataDir}/socket\n\n\nready\n`
    await writeFile(join(dataDir, 'postgres/postmaster.pid'), pidFile)
    await writeFile(join(dataDir, 'socket/.s.PGSQL.5432.lock'), pidFile)
    await writeFile(join(dataDir, 'shop.pid'), `${process.ppid}\n`)
    const { connection } = await start(dataDir)
    assert.equal(await answers(connection), true)
    assert.equal(isAlive(process.ppid), true)
  })

  test('starts when postmaster.pid is empty or holds no valid pid', async () => {
    const dataDir = await makeDataDir()
    for (const left of ['', 'no number\n', '0\n']) {
      await writeFile(join(dataDir, 'postgres/postmaster.pid'), left)
      const server = await start(dataDir)
      assert.equal(await answers(server.connection), true, JSON.stringify(left))
      await server.stop()
    }
  })
})

describe('the data directory lock', () => {
  test('refuses a start while the lock file has foreign content, and says to delete it', async () => {
    const dataDir = await makeDataDir()
    const lock = join(dataDir, 'shop.lock')
    await writeFile(lock, 'something else\n'.repeat(100))
    assert.match((await refusal(start(dataDir))).message, /shop\.lock cannot be locked: .*delete it$/)
    await rm(lock)
    const { connection } = await start(dataDir)
    assert.equal(await answers(connection), true)
  })

  test('refuses a start when the lock file cannot be opened, and does not blame another shop', async () => {
    const dataDir = await makeFolder()
    await mkdir(join(dataDir, 'shop.lock'))
    assert.match((await refusal(start(dataDir))).message, /shop\.lock cannot be locked: unable to open/)
  })

  test('waits a moment for a holder that is just ending', async () => {
    const dataDir = await makeFolder()
    const ending = await lockDataDir(dataDir)
    const next = lockDataDir(dataDir)
    ending.release()
    const lock = await next
    lock.release()
  })

  test('refuses a second start, from the same process and from another, while the first keeps running', async () => {
    const dataDir = await makeDataDir()
    const { connection } = await start(dataDir)
    const error = await refusal(start(dataDir))
    assert.equal(
      error.message,
      `Data directory is in use by process ${process.pid}: set DATA_DIR to another folder`,
    )
    assert.equal(error.exitCode, 75)
    const other = startShop(dataDir)
    assert.equal(
      await other.firstLine,
      `Data directory is in use by process ${process.pid}: set DATA_DIR to another folder`,
    )
    assert.equal(await other.exitCode, 75)
    await rm(join(dataDir, 'shop.pid'))
    assert.match(
      (await refusal(start(dataDir))).message,
      /^Data directory is in use by process \(unknown\): /,
    )
    assert.equal(await answers(connection), true)
  })

  test('is held by a process that has kept no reference to it', async () => {
    const dataDir = await makeFolder()
    await lockDataDir(dataDir).then(() => undefined)
    // Until the next turn the call itself may still refer to it.
    await setImmediate()
    setFlagsFromString('--expose-gc')
    // The cast holds: the flag has made such a function.
    const collectGarbage = runInNewContext('gc') as () => void
    collectGarbage()
    const other = startShop(dataDir)
    assert.match(await other.firstLine, /^Data directory is in use by process /)
  })

  test('lets exactly one of several simultaneous starts succeed', async () => {
    const dataDir = await makeDataDir()
    const racing = [startShop(dataDir), startShop(dataDir), startShop(dataDir)]
    const lines = await Promise.all(racing.map((shop) => shop.firstLine))
    const winner = racing[lines.findIndex((line) => line.startsWith('{'))]
    assert.ok(winner)
    const refused = `Data directory is in use by process ${winner.pid}: set DATA_DIR to another folder`
    assert.equal(lines.filter((line) => line === refused).length, 2, lines.join('\n'))
  })
})

describe('when a process dies', { skip: !isLinux && 'looks into /proc' }, () => {
  test('the database of a killed shop ends, and the next start has the acknowledged rows', async () => {
    const dataDir = await makeDataDir()
    const shop = startShop(dataDir)
    const connection = JSON.parse(await shop.firstLine) as pg.ClientConfig
    await query(connection, 'create table answers as select 42 as answer')
    const database = await readServerPid(dataDir)
    await shop.kill()
    const next = await start(dataDir)
    await until(async () => !isAlive(database), 'the database is gone')
    assert.deepEqual(await query(next.connection, 'select answer from answers'), [42])
  })

  test('guardian and database of a killed shop end without another start', async () => {
    const dataDir = await makeDataDir()
    const shop = startShop(dataDir)
    await shop.firstLine
    const guardian = await findParent(await readServerPid(dataDir))
    await shop.kill()
    const isGone = async () => !isAlive(guardian) && (await listServerProcesses(dataDir)).length === 0
    await until(isGone, 'guardian and database are gone')
  })

  test('the database ends when shop and guardian are killed together', async () => {
    const dataDir = await makeDataDir()
    const shop = startShop(dataDir)
    await shop.firstLine
    const guardian = await findParent(await readServerPid(dataDir))
    const killed = shop.kill()
    process.kill(guardian, 'SIGKILL')
    await killed
    await until(async () => (await listServerProcesses(dataDir)).length === 0, 'the database is gone')
  })

  test('a start succeeds after shop, guardian and server were killed while a backend was working', async () => {
    const dataDir = await makeDataDir()
    const shop = startShop(dataDir)
    const connection = JSON.parse(await shop.firstLine) as pg.ClientConfig
    await query(connection, 'create table answers as select 42 as answer')
    const work = assert.rejects(query(connection, 'select count(*) from generate_series(1, 1e12)'))
    const active =
      "select pid from pg_stat_activity where state = 'active' and query like '%1e12%' and pid <> pg_backend_pid()"
    const backend = await until(async () => (await query(connection, active))[0], 'the backend is at work')
    const server = await readServerPid(dataDir)
    killBoth(await findParent(server), server)
    await shop.kill()
    const starting = start(dataDir)
    const log = () => readFile(join(dataDir, 'postgres.log'), 'utf8')
    await until(async () => /get lock|shared memory block/.test(await log()), 'the start has met it')
    process.kill(Number(backend), 'SIGKILL')
    const next = await starting
    await work
    assert.deepEqual(await query(next.connection, 'select answer from answers'), [42])
  })

  test('a start waits for the server of a killed shop in another container', async (t) => {
    const container = [
      '--user',
      '--map-root-user',
      '--pid',
      '--ipc',
      '--mount-proc',
      '--fork',
      '--kill-child',
    ]
    if (spawnSync('unshare', [...container, 'true']).status !== 0) return t.skip('no containers here')
    const dataDir = await makeDataDir()
    // The container goes on when its shop is killed.
    const inside = ['sh', '-c', '"$@"; sleep 60', 'sh', ...shopCommand(dataDir)]
    const other = spawn('unshare', [...container, ...inside], { stdio: ['ignore', 'pipe', 'ignore'] })
    t.after(() => other.kill('SIGKILL'))
    const [line] = (await once(createInterface({ input: other.stdout }), 'line')) as [string]
    await query(JSON.parse(line) as pg.ClientConfig, 'create table answers as select 42 as answer')
    const servers = await listServerProcesses(dataDir)
    for (const pid of servers) process.kill(pid, 'SIGSTOP')
    process.kill(await findShopOf(servers), 'SIGKILL')
    const starting = start(dataDir)
    const log = () => readFile(join(dataDir, 'postgres.log'), 'utf8')
    await until(async () => (await log()).includes('failed to get lock'), 'the start has met it')
    other.kill('SIGKILL')
    assert.deepEqual(await query((await starting).connection, 'select answer from answers'), [42])
  })

  test('the next start ends a server whose guardian does not react', async (t) => {
    const dataDir = await makeDataDir()
    const shop = startShop(dataDir)
    await shop.firstLine
    const database = await readServerPid(dataDir)
    const guardian = await findParent(database)
    // A stopped guardian does not see that the shop is gone.
    process.kill(guardian, 'SIGSTOP')
    t.after(() => process.kill(guardian, 'SIGKILL'))
    await shop.kill()
    const next = await start(dataDir)
    assert.equal((await listServerProcesses(dataDir)).includes(database), false)
    assert.equal(await answers(next.connection), true)
  })

  for (const victim of ['server', 'guardian', 'server and guardian'] as const) {
    test(`the database comes back by itself after a kill of its ${victim}`, async () => {
      const dataDir = await makeDataDir()
      const lines: string[] = []
      const { connection } = await start(dataDir, lines)
      await query(connection, 'create table answers as select 42 as answer')
      const before = await readServerPid(dataDir)
      const guardian = await findParent(before)
      const busy = query(connection, 'select pg_sleep(60)').catch(() => undefined)
      if (victim === 'server and guardian') killBoth(guardian, before)
      else process.kill(victim === 'server' ? before : guardian, 'SIGKILL')
      await until(async () => lines.includes('The database is running again'), 'it runs again')
      await busy
      assert.notEqual(await readServerPid(dataDir), before)
      assert.deepEqual(await query(connection, 'select answer from answers'), [42])
      assert.match(
        lines.join('\n'),
        /^The database stopped \(.+\) and is being started again\nThe database is running again$/,
      )
    })
  }

  test('the database comes back even when its recovery process is killed', async () => {
    const dataDir = await makeDataDir()
    const lines: string[] = []
    const { connection } = await start(dataDir, lines)
    await query(connection, 'create table numbers (i int)')
    let crashes = 0
    const crash = async () => {
      await query(connection, 'insert into numbers select generate_series(1, 300000)')
      const [checkpointer] = await findChildren(await readServerPid(dataDir), 'checkpointer')
      assert.ok(checkpointer)
      process.kill(checkpointer, 'SIGKILL')
      crashes += 1
    }
    const isKilled = async () => {
      // A recovery takes some tenths of a second. One that ended unseen is followed by another.
      const recoveries = lines.filter((line) => line === 'The database is running again').length
      if (recoveries === crashes) await crash()
      const server = await readServerPid(dataDir).catch(() => 0)
      const [recovering] = await findChildren(server, 'startup')
      return recovering !== undefined && endProcess(recovering)
    }
    await until(isKilled, 'somebody recovers it', 60_000, 0)
    await until(() => answers(connection), 'it answers')
    assert.deepEqual(await query(connection, 'select count(*)::int from numbers'), [crashes * 300_000])
    assert.match(lines[0] ?? '', /^The database stopped \(.*was terminated by signal 9/)
  })

  test('the reason why a restart fails is logged once, however often the restart is tried', async () => {
    const dataDir = await makeDataDir()
    const lines: string[] = []
    const { connection } = await start(dataDir, lines)
    const control = join(dataDir, 'postgres/global/pg_control')
    await rename(control, `${control}.away`)
    process.kill(await readServerPid(dataDir), 'SIGKILL')
    const timesTried = async () =>
      (await readFile(join(dataDir, 'postgres.log'), 'utf8')).split('could not find the database system')
        .length - 1
    await until(async () => (await timesTried()) >= 3, 'it was tried')
    await rename(`${control}.away`, control)
    await until(() => answers(connection), 'it answers')
    await until(async () => lines.at(-1) === 'The database is running again', 'it has said so')
    assert.equal(lines.length, 3, lines.join('\n'))
  })

  test('the database can be stopped while it is being restarted', async () => {
    const dataDir = await makeDataDir()
    const lines: string[] = []
    const server = await start(dataDir, lines)
    process.kill(await readServerPid(dataDir), 'SIGKILL')
    await until(async () => lines.length > 0, 'the end was noticed')
    await server.stop()
    await until(async () => (await listServerProcesses(dataDir)).length === 0, 'nothing is left')
    await (await start(dataDir)).stop()
  })
})

describe('the database guardian', { skip: !isLinux && 'looks into /proc' }, () => {
  test('runs with the server in a session of its own, out of reach of Ctrl-C in the shop’s terminal', async () => {
    const dataDir = await makeDataDir()
    await start(dataDir)
    const server = await readServerPid(dataDir)
    assert.equal(await findSession(server), await findSession(await findParent(server)))
    assert.notEqual(await findSession(server), await findSession(process.pid))
  })

  test('reports the PANIC as the reason, not the signal that followed it', async () => {
    const logFile = join(await makeFolder(), 'postgres.log')
    const script =
      'echo "PANIC:  could not fdatasync file" >&2; echo "LOG:  checkpointer (PID 1) was terminated by signal 6" >&2; exit 1'
    const { reason } = await runGuarded({ command: ['sh', '-c', script], logFile }).ended
    assert.equal(reason, 'could not fdatasync file')
  })

  test('keeps the log within bounds', async () => {
    const logFile = join(await makeFolder(), 'postgres.log')
    const chatter =
      'for i in 1 2 3 4 5 6 7 8; do head -c 400000 /dev/zero | tr "\\0" x >&2; echo >&2; done; echo "error: enough" >&2; exit 3'
    const ending = await runGuarded({ command: ['sh', '-c', chatter], logFile }).ended
    assert.deepEqual(ending, { isSuccess: false, reason: 'enough' })
    assert.ok((await stat(logFile)).size < 1_500_000)
    assert.ok((await stat(`${logFile}.1`)).size < 1_500_000)
  })
})

describe(
  'running as different users',
  { skip: !(isRoot && isLinux) && 'only root can become others' },
  () => {
    test('works as root with data in a home that only root can enter', async () => {
      const home = await makeFolder(homedir())
      await chmod(home, 0o700)
      const { connection } = await start(join(home, 'data'))
      assert.equal(await answers(connection), true)
    })

    test('works as a normal user and then as root on the same folder, without changing its owner', async (t) => {
      const folder = await makeFolder()
      const user = { uid: 65534, gid: 65534 }
      if (!canRead(user)) return t.skip('this checkout is closed to other users')
      await chown(folder, user.uid, user.gid)
      const shop = startShop(join(folder, 'data'), user)
      assert.match(await shop.firstLine, /^\{/)
      await shop.kill()
      const { connection } = await start(join(folder, 'data'))
      assert.equal(await answers(connection), true)
      assert.equal((await stat(join(folder, 'data/postgres'))).uid, user.uid)
    })
  },
)

test('a user without a name who may not take another cannot create a database, and learns the remedy', async (t) => {
  const namespace = ['--user', '--map-user=54321', '--keep-caps']
  const forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --inh-caps -all "$@"'
  const asNumber = (...command: string[]) =>
    spawnSync('unshare', [...namespace, 'sh', '-c', forbid, 'sh', ...command], { encoding: 'utf8' })
  if (asNumber('true').status !== 0) return t.skip('no user namespaces here')
  const { stdout, status } = asNumber(...shopCommand(join(await makeFolder(), 'data')))
  assert.match(
    stdout,
    /^The database can be created only by a user that \/etc\/passwd names .* DATABASE_URL\n$/,
  )
  assert.equal(status, 1)
})

describe('the PostgreSQL programs from npm', () => {
  test('get the symbolic links that npm does not pack, even from two starts at once', async () => {
    const { postgres } = await findPostgresBinaries()
    const original = join(dirname(postgres), '../..')
    const list = await readFile(join(original, 'native/pg-symlinks.json'), 'utf8')
    const copy = await makeFolder()
    await mkdir(join(copy, 'native/lib'), { recursive: true })
    await writeFile(join(copy, 'native/pg-symlinks.json'), list)
    await Promise.all([restoreLinks(copy), restoreLinks(copy)])
    const links = JSON.parse(list) as { target: string }[]
    for (const { target } of links) {
      assert.equal(await readlink(join(copy, target)), await readlink(join(original, target)))
    }
    const [first] = links
    assert.ok(first)
    await unlink(join(copy, first.target))
    await restoreLinks(copy)
    assert.equal(await readlink(join(copy, first.target)), await readlink(join(original, first.target)))
  })

  test('lead to a one-line error that suggests DATABASE_URL when they are missing', async () => {
    const error = await refusal(findPostgresBinaries('plan9-mips'))
    assert.match(error.message, /plan9-mips.*DATABASE_URL/)
  })
})
