import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  access,
  constants,
  glob,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { lockFile } from '#shop/platform/file-lock.ts'
import { StartError } from '#shop/platform/start-error.ts'
import type { BuiltPage } from './web-files.ts'

const project = resolve(import.meta.dirname, '../../..')
const dist = join(project, 'dist')
/** Where the build puts everything. */
export const builtPage: BuiltPage = {
  web: join(dist, 'web'),
  server: join(dist, 'server'),
  scripts: join(dist, 'scripts.json'),
}
const stampFile = join(dist, 'web.stamp')
const unfinishedPrefix = 'building-'

/**
 * Builds the page when it is missing or made from other sources, so that a start after an update serves the new
 * one. Of several starts at once, one builds it.
 *
 * @throws what `signal` aborts with
 */
export async function buildWeb(log: (line: string) => void, signal?: AbortSignal): Promise<void> {
  const stamp = await hashSources()
  if (await isBuiltFrom(stamp)) return
  await requireWritable(dist)
  log('Building the page…')
  const lock = await lockFile(join(dist, 'building.lock'), { patienceMs: Infinity, signal })
  try {
    if (!(await isBuiltFrom(stamp))) await build(stamp, signal)
  } finally {
    lock?.release()
  }
}

async function isBuiltFrom(stamp: string): Promise<boolean> {
  return (await readFile(stampFile, 'utf8').catch(() => undefined)) === stamp
}

async function build(stamp: string, signal: AbortSignal | undefined): Promise<void> {
  for (const name of await readdir(dist))
    if (name.startsWith(unfinishedPrefix)) await rm(join(dist, name), { recursive: true, force: true })
  // A killed start, and a build that it leaves running, only leave a folder that nobody reads.
  const folder = await mkdtemp(join(dist, unfinishedPrefix))
  // In a process of its own: a build takes hundreds of megabytes, which the shop would never give back.
  const vite = join(project, 'node_modules/vite/bin/vite.js')
  const settings = ['--configLoader', 'native', '--logLevel', 'error', '--emptyOutDir']
  for (const kind of [
    ['--outDir', join(folder, 'web')],
    ['--outDir', join(folder, 'server'), '--ssr'],
  ]) {
    const words = [vite, 'build', ...kind, ...settings]
    await promisify(execFile)(process.execPath, words, { cwd: project, signal })
  }
  // From here to the new stamp nothing counts as built, not even a page of the previous sources.
  await rm(stampFile, { force: true })
  for (const name of await readdir(folder)) {
    await rm(join(dist, name), { recursive: true, force: true })
    await rename(join(folder, name), join(dist, name))
  }
  await rm(folder, { recursive: true })
  await writeFile(stampFile, stamp)
}

/** Once its page is built, the shop may run as a user who may not write there. */
async function requireWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `the page cannot be built; start the shop once as a user who may write to ${folder}: ${reason}`,
    )
  }
}

/** Files that the page cannot import, which lint ensures: a change in them needs no new build. */
const notOfThePage =
  /\.test\.ts$|^src\/([^/]+\/server|platform|testing|faults|fuzz|safety)\/|^src\/[^/]+\.ts$/

async function hashSources(): Promise<string> {
  const patterns = [
    'src/**/*.{ts,tsx,css,svg,woff2}',
    'public/*',
    'index.html',
    'vite.{config,plugins}.ts',
    'package-lock.json',
  ]
  const found = await Array.fromAsync(glob(patterns, { cwd: project }))
  const files = found.filter((file) => !notOfThePage.test(file)).sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(await readFile(join(project, file)))
  return hash.digest('hex')
}
