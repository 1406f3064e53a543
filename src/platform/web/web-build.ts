import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, constants, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '#shop/platform/start-error.ts'
import type { BuiltPage } from './web-files.ts'

const project = resolve(import.meta.dirname, '../../..')
/** Where the build puts everything. */
export const builtPage: BuiltPage = {
  web: join(project, 'dist/web'),
  server: join(project, 'dist/server'),
  scripts: join(project, 'dist/scripts.json'),
}
const stampFile = join(project, 'dist/web.stamp')

/** Builds the page when it is missing or made from other sources, so that a start after an update is right. */
export async function buildWeb(log: (line: string) => void): Promise<void> {
  const stamp = await hashSources()
  const built = await readFile(stampFile, 'utf8').catch(() => undefined)
  if (built === stamp) return
  await requireWritable(join(project, 'dist'))
  // What a build that is cut off leaves is no page, also of the sources that the one before was made from.
  await rm(stampFile, { force: true })
  log('Building the page…')
  // In a process of its own: what building takes, hundreds of megabytes, the shop would never give back.
  const vite = join(project, 'node_modules/vite/bin/vite.js')
  const settings = ['--configLoader', 'native', '--logLevel', 'error']
  for (const kind of [[], ['--ssr']]) {
    await promisify(execFile)(process.execPath, [vite, 'build', ...kind, ...settings], { cwd: project })
  }
  await writeFile(stampFile, stamp)
}

/** The shop may run as somebody who may not write there, once its page is built. */
async function requireWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartError(
      `the page cannot be built, start it once as somebody who may write ${folder}: ${reason}`,
    )
  }
}

/** What the page can not import, as lint sees to: a change there needs no other page. */
const notOfThePage =
  /\.test\.ts$|^src\/([^/]+\/server|platform|testing|faults|fuzz|safety)\/|^src\/[^/]+\.ts$/

async function hashSources(): Promise<string> {
  const patterns = [
    'src/**/*.{ts,tsx,css,svg,woff2}',
    'public/*',
    'index.html',
    'vite.config.ts',
    'package-lock.json',
  ]
  const found = await Array.fromAsync(glob(patterns, { cwd: project }))
  const files = found.filter((file) => !notOfThePage.test(file)).sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(await readFile(join(project, file)))
  return hash.digest('hex')
}
