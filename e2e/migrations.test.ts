import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { NodePgSession } from 'drizzle-orm/node-postgres'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { withConnection } from '#shop/platform/database.ts'
import { locks } from '#shop/platform/locks.ts'
import { migrateDatabase } from '#shop/platform/migrations.ts'
import { freePort } from '#shop/testing/free-port.ts'
import { until } from '#shop/testing/until.ts'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'
import { runProgram } from './run-program.ts'

const project = resolve(import.meta.dirname, '..')
let server: OwnPostgres
/** The database's contents after the first migration, after the second, and so on. */
let steps: string[][]
let finalContents: string[]
/** How many statements a first start sends to the database. */
let statementCount: number
before(async () => {
  server = await startOwnPostgres()
  const url = await makeDatabase('whole')
  statementCount = await migrateUntil(url, Infinity, () => undefined)
  finalContents = await contentsOf(url)
  steps = await contentsOfSteps()
  assert.deepEqual(steps.at(-1), finalContents)
})
after(() => server.stop())

const using = <T>(connectionString: string, act: (client: pg.Client) => Promise<T>): Promise<T> =>
  withConnection({ connectionString }, act)

async function makeDatabase(name: string): Promise<string> {
  await using(server.url, (client) => client.query(`create database ${name}`))
  return server.url.replace(/\w+$/, name)
}

/** Everything that migrations make, each object in PostgreSQL's own words. */
const objects = `
  with ours as (select oid from pg_namespace where nspname = 'public'),
  tables as (select oid, relkind, relname from pg_class where relnamespace in (select oid from ours))
  select format('%s %s', relkind, relname) as line from tables
  union all select format('column %s.%s %s %s %s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod),
    attnotnull, attgenerated, pg_get_expr(adbin, adrelid))
    from pg_attribute left join pg_attrdef on (adrelid, adnum) = (attrelid, attnum)
    where attnum > 0 and attrelid in (select oid from tables)
  union all select pg_get_indexdef(indexrelid) from pg_index where indrelid in (select oid from tables)
  union all select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace in (select oid from ours)
  union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all select pg_get_functiondef(oid) from pg_proc where prokind = 'f' and pronamespace in (select oid from ours)
  union all select format('%s %s', typname, enumlabel) from pg_type left join pg_enum on enumtypid = pg_type.oid
    where typnamespace in (select oid from ours) and typtype in ('e', 'd')
  order by 1`

/** The numbers of migrations are not compared: those of a failed start are not used again. */
const withoutNumber = "to_jsonb(t) - 'id'"

/** These objects and every row; nothing for a database that is still empty. */
function contentsOf(url: string): Promise<string[]> {
  return using(url, async (client) => {
    // A migration whose connection was cut may still be committing: its session holds this lock until it is over.
    await client.query('select pg_advisory_lock($1)', [locks.migrations])
    const { rows: made } = await client.query<{ line: string }>(objects)
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'drizzle')`,
    )
    const select = ({ name }: { name: string }) =>
      `select concat('${name} ', ${name.startsWith('drizzle') ? withoutNumber : 'to_jsonb(t)'}) as line from ${name} as t`
    const { rows } = await client.query<{ line: string }>(
      `${[...tables.map(select), `select '' as line where false`].join(' union all ')} order by 1`,
    )
    return [...made, ...rows].map(({ line }) => line)
  })
}

async function contentsOfSteps(): Promise<string[][]> {
  const url = await makeDatabase('steps')
  const folder = { migrationsFolder: resolve(project, 'migrations') }
  return using(url, async (client) => {
    const dialect = new PgDialect()
    const session = new NodePgSession<Record<string, never>, Record<string, never>>(
      client,
      dialect,
      undefined,
    )
    const found = []
    for (const migration of readMigrationFiles(folder)) {
      await dialect.migrate([migration], session, folder)
      found.push(await contentsOf(url))
    }
    return found
  })
}

/** Asserts that each migration is there whole, with its row, or not at all. */
function assertNoPartialMigration(left: string[]): void {
  const done = left.filter((line) => line.startsWith('drizzle.__drizzle_migrations')).length
  assert.deepEqual(left, steps[done - 1] ?? [])
}

type Line = { socket: Socket; backend: number }

/** Migrates, and calls `cut` when the `at`th statement has been sent; returns how many statements were sent. */
async function migrateUntil(url: string, at: number, cut: (line: Line) => void): Promise<number> {
  let statements = 0
  const stream = () => {
    const socket = new Socket()
    const line = { socket, backend: 0 }
    socket.on('data', (bytes) => {
      const key = bytes.indexOf(backendKey)
      if (!line.backend && key >= 0) line.backend = bytes.readInt32BE(key + backendKey.length)
    })
    // Replaced only now, because connecting restores the original function.
    socket.once('connect', () => {
      const write = socket.write.bind(socket)
      socket.write = (bytes: string | Uint8Array) => {
        const isSent = write(bytes)
        if (queryMessageTypes.has(bytes[0]) && (statements += 1) === at) cut(line)
        return isSent
      }
    })
    return socket
  }
  const isDone = await migrateDatabase({ connectionString: url, stream }).then(
    () => true,
    () => false,
  )
  assert.equal(isDone, statements < at)
  return statements
}

/** In PostgreSQL's protocol: how a message with a query or a statement to prepare begins, and one with the pid. */
const queryMessageTypes = new Set<unknown>([...Buffer.from('QP')])
const backendKey = Buffer.from([0x4b, 0, 0, 0, 12])

async function statements(): Promise<number> {
  const folder = resolve(project, 'migrations')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'))
  const texts = await Promise.all(files.map((name) => readFile(resolve(folder, name), 'utf8')))
  return texts.join('\n--> statement-breakpoint\n').split('--> statement-breakpoint').length
}

test('a first start cut off midway leaves no migration half applied, and the next start completes the rest', async () => {
  assert.ok(statementCount > (await statements()), `${statementCount} questions`)
  // At each statement where the start begins and ends, and at some between them.
  const isTried = (at: number) => at <= 4 || at >= statementCount - 3 || at % 29 === 0
  for (let at = 1; at <= statementCount; at += 1) {
    if (!isTried(at)) continue
    const url = await makeDatabase(`killed_${at}`)
    await migrateUntil(url, at, ({ socket }) => socket.destroy())
    assertNoPartialMigration(await contentsOf(url))
    await migrateDatabase({ connectionString: url })
    assert.deepEqual(await contentsOf(url), finalContents)
  }
})

test('a killed database process leaves no migration half applied, and the next start completes the rest', async () => {
  for (let at = 1; at <= statementCount; at += Math.ceil(statementCount / 8)) {
    const url = await makeDatabase(`crashed_${at}`)
    const witness = new pg.Client(url)
    await witness.connect()
    const { promise: isDown, resolve: fell } = Promise.withResolvers<void>()
    witness.on('error', () => undefined).once('end', fell)
    await migrateUntil(url, at, ({ backend }) => {
      // The signal of process.kill(0) would end the tests themselves.
      assert.ok(backend)
      process.kill(backend, 'SIGKILL')
    })
    // The server notices a moment later and closes every connection.
    await isDown
    assertNoPartialMigration(await until(() => contentsOf(url).catch(() => undefined)))
    await migrateDatabase({ connectionString: url })
    assert.deepEqual(await contentsOf(url), finalContents)
  }
})

test('migrations are not bound by the database’s statement_timeout', async () => {
  const url = await makeDatabase('hurried')
  const migrating = await using(url, async (client) => {
    await client.query('alter database hurried set statement_timeout = 100')
    await client.query('select pg_advisory_lock($1)', [locks.migrations])
    const waiting = migrateDatabase({ connectionString: url })
    await client.query('select pg_sleep(0.5)')
    return { waiting }
  })
  await migrating.waiting
  assert.deepEqual(await contentsOf(url.concat('?options=-c%20statement_timeout%3D0')), finalContents)
})

test('each migration has a later timestamp than the one before it', () => {
  const migrations = readMigrationFiles({ migrationsFolder: resolve(project, 'migrations') })
  const times = migrations.map(({ folderMillis }) => folderMillis)
  assert.ok(times.every((time, index) => time > (times[index - 1] ?? 0)))
})

test('the migrations match the table definitions in the code: drizzle-kit finds no schema changes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'haberdash-e2e-'))
  await cp(resolve(project, 'migrations'), join(folder, 'migrations'), { recursive: true })
  for (const name of ['src', 'node_modules', 'drizzle.config.ts']) {
    await symlink(resolve(project, name), join(folder, name))
  }
  const program = resolve(project, 'node_modules/drizzle-kit/bin.cjs')
  const { stdout } = spawnSync(process.execPath, [program, 'generate'], { cwd: folder, encoding: 'utf8' })
  await rm(folder, { recursive: true })
  assert.match(stdout, /No schema changes/)
})

/** In a data folder of its own: a shop may be running in the project's. */
async function startOn(DATABASE_URL: string) {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'haberdash-e2e-'))
  const ended = runProgram('src/main.ts', { PRACTICE_PORT: `${await freePort()}`, DATA_DIR, DATABASE_URL })
  await rm(DATA_DIR, { recursive: true })
  return ended
}

test('a shop that is older than its database does not start, says why in one line, and changes nothing', async () => {
  const url = await makeDatabase('newer')
  await migrateDatabase({ connectionString: url })
  const later = `insert into drizzle.__drizzle_migrations (hash, created_at)
    select 'later', max(created_at) + 1 from drizzle.__drizzle_migrations`
  await using(url, (client) => client.query(later))
  const before = await contentsOf(url)
  const refused = await startOn(url)
  assert.equal(refused.status, 1)
  assert.match(
    refused.stderr,
    /^The shop cannot start: The database belongs to a newer version of the shop: .+\n$/,
  )
  assert.deepEqual(await contentsOf(url), before)
})

test('an unsuitable database stops the start with one line that says what is wrong with it', async () => {
  const url = await makeDatabase('theirs')
  await using(server.url, (client) => client.query('create role guest login'))
  await using(server.url, (client) =>
    client.query(`create database latin encoding 'LATIN1' locale 'C' template template0`),
  )
  const elsewhere = await makeDatabase('elsewhere')
  await using(elsewhere, (client) =>
    client.query('create schema extensions; create extension pg_trgm schema extensions'),
  )
  const shared = await makeDatabase('shared')
  await using(shared, (client) => client.query('create table users (name text)'))
  const asGuest = url.replace('owner@', 'guest@')
  const schemasOnly = await makeDatabase('schemas_only')
  await using(server.url, (client) => client.query('grant create on database schemas_only to guest'))
  const restored = await makeDatabase('restored')
  await migrateDatabase({ connectionString: restored })
  await using(server.url, (client) => client.query('alter database restored owner to guest'))
  const readOnly = `${url}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`
  for (const [address, reason] of [
    [asGuest, 'its user may not create schemas or tables'],
    [schemasOnly.replace('owner@', 'guest@'), 'its user may not create schemas or tables'],
    [
      restored.replace('owner@', 'guest@'),
      'its tables belong to another user than its own: after a restore, to the one who restored it',
    ],
    [readOnly, 'it can only be read'],
    [
      `${url}?options=${encodeURIComponent('-c search_path=pg_catalog')}`,
      'its search_path must begin with the schema public, and begins with pg_catalog',
    ],
    [
      `${url}?options=${encodeURIComponent('-c search_path=')}`,
      'its search_path must begin with the schema public, and begins with none',
    ],
    [elsewhere, 'its extension pg_trgm lies in a schema that is not in its search_path'],
    [
      shared,
      'give the shop a database of its own, in this one a name is taken (relation "users" already exists)',
    ],
    [url.replace('theirs', 'latin'), 'the database is encoded as LATIN1, and must be as UTF8'],
  ] as const) {
    const refused = await startOn(address)
    assert.equal(refused.status, 1)
    assert.equal(refused.stderr, `The shop cannot start: DATABASE_URL cannot be used: ${reason}\n`)
  }
})

test('a database that lacks a single constraint or trigger, as after an unfinished restore, is refused', async () => {
  const url = await makeDatabase('unfinished')
  await migrateDatabase({ connectionString: url })
  for (const lack of [
    'alter table orders drop constraint orders_session_id_unique',
    'alter table orders drop constraint orders_checkout_id_checkouts_id_fk',
    'alter table orders drop constraint orders_refunded',
    'alter table order_lines drop constraint order_lines_order_id_position_pk',
    'drop index product_blocks_in_order',
    'drop trigger order_totals_insert on orders',
    'alter table orders disable trigger order_totals_insert',
    'alter table orders disable trigger all',
  ]) {
    const name = `lacking_${lack.replace(/\W+/g, '_').slice(-40)}`
    await using(server.url, (client) => client.query(`create database ${name} template unfinished`))
    const copy = url.replace(/\w+$/, name)
    await using(copy, (client) => client.query(lack))
    await assert.rejects(
      migrateDatabase({ connectionString: copy }),
      /^StartError: The database is not whole: /,
      lack,
    )
  }
  await migrateDatabase({ connectionString: url })
})

test('npm run reconcile repairs nothing in a database that is not whole, or whose schema is not its own', async () => {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'practice-'))
  const PRACTICE_PORT = `${await freePort()}`
  const applied = 'drizzle.__drizzle_migrations'
  for (const [name, lack, reason] of [
    ['halved', 'alter table orders drop constraint orders_session_id_unique', 'is not whole: .+'],
    [
      'older',
      `delete from ${applied} where created_at = (select max(created_at) from ${applied})`,
      'belongs to an older version of the shop: .+',
    ],
    [
      'newer',
      `update ${applied} set created_at = created_at + 1`,
      'belongs to a newer version of the shop: .+',
    ],
  ] as const) {
    const DATABASE_URL = await makeDatabase(`unrepaired_${name}`)
    await migrateDatabase({ connectionString: DATABASE_URL })
    const repair = () => runProgram('src/reconcile.ts', { DATABASE_URL, DATA_DIR, PRACTICE_PORT }, '--repair')
    assert.match(repair().stdout, /^Nothing differs\.$/m, name)
    await using(DATABASE_URL, (client) => client.query(lack))
    const refused = repair()
    assert.match(refused.stderr, new RegExp(`^Nothing was compared: The database ${reason}\n$`), name)
    assert.deepEqual([refused.status, refused.stdout], [2, ''])
  }
  await rm(DATA_DIR, { recursive: true })
})

test('a database serves whose extension lies in a schema of its own, or whose user may add no more tables', async () => {
  await using(server.url, (client) => client.query('create role keeper login'))
  const kept = await makeDatabase('kept')
  await using(kept, (client) =>
    client.query('alter database kept owner to keeper; create schema extensions authorization keeper'),
  )
  const asKeeper = kept.replace('owner@', 'keeper@')
  await using(asKeeper, (client) => client.query('create extension pg_trgm schema extensions'))
  const DATABASE_URL = `${asKeeper}?options=${encodeURIComponent('-c search_path=public,extensions')}`
  const ADMIN_PASSWORD = 'plum-teapot-9'
  const addAdmin = (ADMIN_EMAIL: string) =>
    runProgram('src/admin.ts', { ADMIN_EMAIL, ADMIN_PASSWORD, DATABASE_URL })
  assert.match(addAdmin('first@shop.example').stdout, /^first@shop\.example is a new admin, /)
  await using(kept, (client) => client.query('alter schema public owner to owner'))
  assert.match(addAdmin('second@shop.example').stdout, /^second@shop\.example is a new admin, /)
})
