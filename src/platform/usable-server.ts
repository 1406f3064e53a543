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
  const connection = { connectionString: databaseUrl, connectionTimeoutMillis: 10_000 }
  try {
    // Also reads the certificate files that the address names.
    const obstacle = await withConnection(connection, findObstacle)
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

function inOneLine(error: unknown): string {
  const cause = innermostCause(error)
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ')
}
