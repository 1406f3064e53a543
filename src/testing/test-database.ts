import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { withConnection } from '#shop/platform/database.ts'
import { migrateDatabase } from '#shop/platform/migrations.ts'
import { startEmbeddedPostgres } from '#shop/platform/postgres/embedded-postgres.ts'

/**
 * The environment variable that tells test files which server the run has started. A file that is run alone starts
 * a server of its own.
 */
export const serverVariable = 'TEST_DATABASE_SERVER'
const template = 'haberdash_template'

type TestServer = { connection: pg.PoolConfig; stop(): Promise<void> }

/** A PostgreSQL server, at `TEST_DATABASE_URL` or embedded, with one migrated database to copy from. */
export async function startTestServer(): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL
  const server = url ? { connection: { connectionString: url }, stop: async () => {} } : await startEmbedded()
  await query(server.connection, `drop database if exists ${template}`)
  await query(server.connection, `create database ${template}`)
  await migrateDatabase(withDatabaseName(server.connection, template))
  return server
}

async function startEmbedded(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'haberdash-test-'))
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, log: () => {} })
  return {
    connection,
    async stop() {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Creates a database by copying the template, which is as fast as copying a folder. */
export async function createTestDatabase(): Promise<{ connection: pg.PoolConfig; drop(): Promise<void> }> {
  const shared = process.env[serverVariable]
  // The cast holds: the run that started this process wrote the variable.
  const connection = shared ? (JSON.parse(shared) as pg.PoolConfig) : undefined
  const server = connection ? { connection, stop: async () => {} } : await startTestServer()
  const name = `test_${process.pid}_${(copies += 1)}`
  await query(server.connection, `create database ${name} template ${template}`)
  return {
    connection: withDatabaseName(server.connection, name),
    async drop() {
      await query(server.connection, `drop database ${name} with (force)`)
      await server.stop()
    },
  }
}

let copies = 0

function withDatabaseName(connection: pg.PoolConfig, database: string): pg.PoolConfig {
  if (!connection.connectionString) return { ...connection, database }
  const url = new URL(connection.connectionString)
  url.pathname = `/${database}`
  return { connectionString: url.href }
}

async function query(connection: pg.PoolConfig, text: string): Promise<void> {
  await withConnection(connection, async (client) => {
    // The template cannot be copied twice at the same time, so copies take turns.
    await client.query('select pg_advisory_lock(42)')
    await client.query(text)
  })
}
