import { spawnSync } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { findPostgresBinaries } from '#shop/platform/postgres/postgres-binaries.ts'

/** The programs of the PostgreSQL in PATH, else of the newest one installed outside it, else the shop's own. */
export async function findInstalledPostgres(): Promise<{ initdb: string; postgres: string }> {
  const found = spawnSync('sh', ['-c', 'command -v initdb && command -v postgres'], { encoding: 'utf8' })
  const [initdb, postgres] = found.stdout.trim().split('\n')
  if (initdb && postgres) return { initdb, postgres }
  // Debian has a folder for each version, and none of them is in PATH.
  const others = await Array.fromAsync(glob('/usr/{lib/postgresql/*,local/pgsql}/bin/postgres'))
  const newest = others.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
  return newest ? { initdb: join(newest, '../initdb'), postgres: newest } : findPostgresBinaries()
}
