import type pg from 'pg'
import { withConnection, onlyRow } from './database.ts'
import { innermostCause } from './errors.ts'
import { StartError } from './start-error.ts'

/**
 * Checks whether the server of `DATABASE_URL` can be used, before anything else is sent to it.
 *
 * @throws StartError naming the variable and what is wrong, never the address: there is a password in it
 */
export async function requireUsableServer(databaseUrl: string): Promise<void> {
  // A pooler connects at once, and answers when it has a connection to lend.
  const connection = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  }
  try {
    // Also reads the certificate files that the address names.
    const obstacle = await withConnection(
      connection,
      async (client) => (await findObstacle(client)) ?? findPooler(client, connection),
    )
    if (obstacle !== null) throw new Error(obstacle)
  } catch (error) {
    throw new StartError(`DATABASE_URL cannot be used: ${inOneLine(error)}`)
  }
}

async function findObstacle(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ obstacle: string | null }>(`
    select case
      when current_setting('server_version_num')::int < 150000
        then 'PostgreSQL ' || current_setting('server_version') || ' is too old, 15 is needed'
      when current_setting('server_encoding') <> 'UTF8'
        then 'the database is encoded as ' || current_setting('server_encoding') || ', and must be as UTF8'
      when current_setting('transaction_read_only')::boolean then 'it can only be read'
      when current_schema() is distinct from 'public'
        then 'its search_path must begin with the schema public, and begins with ' || coalesce(current_schema(), 'none')
      when exists (select from pg_namespace where nspname = 'drizzle' and not has_schema_privilege(oid, 'usage'))
        then 'its tables belong to another user than its own: after a restore, to the one who restored it'
      when not has_database_privilege(current_database(), 'create')
        -- A shop that has its tables can do without.
        or not has_schema_privilege(current_schema(), 'create') and to_regclass('drizzle.__drizzle_migrations') is null
        then 'its user may not create schemas or tables'
      when not exists (select from pg_available_extensions where name = 'pg_trgm')
        then 'its server lacks the extension pg_trgm'
      when exists (
        select from pg_extension where extname = 'pg_trgm'
          and extnamespace <> all (select to_regnamespace(name) from unnest(current_schemas(true)) as name)
      ) then 'its extension pg_trgm lies in a schema that is not in its search_path'
    end as obstacle`)
  return onlyRow(rows).obstacle
}

/**
 * Tells whether a pooler lends a session to others while its client is idle. Then settings and locks would be theirs
 * too, and changes would be notified to nobody.
 */
async function findPooler(client: pg.Client, connection: pg.ClientConfig): Promise<string | null> {
  return withConnection(connection, async (other) => {
    const before = [await findBackend(client), await findBackend(client)]
    await other.query('begin')
    const ofOther = await findBackend(other)
    const pids = new Set([...before, await findBackend(client)])
    const keepsSessions = pids.size === 1 && !pids.has(ofOther)
    return keepsSessions ? null : 'its pooler does not keep sessions whole, and must be set to session mode'
  })
}

async function findBackend(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return onlyRow(rows).pid
}

function inOneLine(error: unknown): string {
  const cause = innermostCause(error)
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ')
}
