import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test, type TestContext } from 'node:test'
import { isAlive } from '#shop/platform/data-dir-lock.ts'
import { until } from '#shop/testing/until.ts'
import type * as WebBuild from './web-build.ts'
import { builtWebFiles } from './web-files.ts'

/** Stand-ins for the program that builds the page. */
const begins = `const { appendFileSync, cpSync, mkdirSync, renameSync, writeFileSync } = require('node:fs')
const to = process.argv[process.argv.indexOf('--outDir') + 1]
mkdirSync(to)
`
const writes = `${begins}cpSync('index.html', to + '/index.html')
appendFileSync('builds', '.')`
const killedBuildProgram = `${begins}process.kill(process.pid, 'SIGKILL')`
const neverEnds = `${begins}writeFileSync('begun.part', String(process.pid))
renameSync('begun.part', 'begun')
setInterval(() => {}, 1000)`

test('the page renderer loads from a folder with spaces and percent signs in its name', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), '50% off %41 '))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'server.js'), 'export const render = () => undefined')
  assert.equal(
    typeof (await builtWebFiles({ web: folder, server: folder, scripts: folder }).renderer()),
    'function',
  )
})

async function startProject(t: TestContext) {
  const project = await mkdtemp(join(tmpdir(), 'haberdash-build-'))
  t.after(() => rm(project, { recursive: true }))
  await cp(join(import.meta.dirname, '..'), join(project, 'src/platform'), { recursive: true })
  await writeFile(join(project, 'package.json'), '{ "type": "module", "imports": { "#shop/*": "./src/*" } }')
  const vite = join(project, 'node_modules/vite/bin/vite.js')
  await mkdir(dirname(vite), { recursive: true })
  const { buildWeb } = (await import(
    pathToFileURL(join(project, 'src/platform/web/web-build.ts')).href
  )) as typeof WebBuild
  const prepare = async (page: string, program: string) => {
    await writeFile(join(project, 'index.html'), page)
    await writeFile(vite, program)
  }
  return {
    project,
    prepare,
    start: (signal?: AbortSignal) => buildWeb(() => {}, signal),
    page: () => readFile(join(project, 'dist/web/index.html'), 'utf8'),
    async build(page: string, program: string) {
      await prepare(page, program)
      await buildWeb(() => {})
    },
  }
}

test('a failed build keeps the previous page, and the next build replaces it without leftovers', async (t) => {
  const { project, build, page } = await startProject(t)
  await build('one', writes)
  await assert.rejects(build('two', killedBuildProgram))
  assert.equal(await page(), 'one')
  await build('two', writes)
  assert.equal(await page(), 'two')
  const left = await readdir(join(project, 'dist'))
  assert.deepEqual(left.sort(), ['building.lock', 'server', 'web', 'web.stamp'])
})

test('of several simultaneous starts, only one builds the page', async (t) => {
  const { project, prepare, start, page } = await startProject(t)
  await prepare('one', writes)
  await Promise.all(Array.from({ length: 4 }, () => start()))
  assert.equal(await page(), 'one')
  assert.equal(await readFile(join(project, 'builds'), 'utf8'), '..')
})

test('an aborted start stops its build, an aborted waiter gives up, and another waiter builds the page', async (t) => {
  const { project, prepare, start, page } = await startProject(t)
  const ending = new AbortController()
  await prepare('one', neverEnds)
  const ended = assert.rejects(start(ending.signal), { name: 'AbortError' })
  await until(async () => existsSync(join(project, 'begun')))
  const builder = Number(await readFile(join(project, 'begun'), 'utf8'))
  await prepare('one', writes)
  const next = start()
  const alsoEnding = new AbortController()
  const alsoEnded = assert.rejects(start(alsoEnding.signal), { name: 'AbortError' })
  alsoEnding.abort()
  await alsoEnded
  ending.abort()
  await ended
  await next
  assert.equal(await page(), 'one')
  await until(async () => !isAlive(builder))
})
