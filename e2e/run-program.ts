import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { resolve } from 'node:path'

const project = resolve(import.meta.dirname, '..')

/** Much longer than any of them takes. Nothing else in this process could end one that hangs. */
const timeout = 120_000

/** Runs one of the project's programs to its end, with these environment variables besides those of the tests. */
export function runProgram(
  file: string,
  environment: NodeJS.ProcessEnv,
  ...options: string[]
): SpawnSyncReturns<string> {
  const env = { ...process.env, ...environment }
  return spawnSync(process.execPath, [file, ...options], { cwd: project, env, encoding: 'utf8', timeout })
}
