import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'node:test'
import type * as WebBuild from './web-build.ts'

const writes = `const { cpSync, mkdirSync } = require('node:fs')
mkdirSync('dist/web', { recursive: true })
cpSync('index.html', 'dist/web/index.html')`
const isCutOff = `require('node:fs').rmSync('dist/web', { recursive: true })
process.kill(process.pid, 'SIGKILL')`

test('a page whose build was cut off is built again, also of what the one before was made from', async (t) => {
  const project = await mkdtemp(join(tmpdir(), 'haberdash-build-'))
  t.after(() => rm(project, { recursive: true }))
  await cp(join(import.meta.dirname, '..'), join(project, 'src/platform'), { recursive: true })
  await writeFile(join(project, 'package.json'), '{ "type": "module", "imports": { "#shop/*": "./src/*" } }')
  const vite = join(project, 'node_modules/vite/bin/vite.js')
  await mkdir(dirname(vite), { recursive: true })
  const module = pathToFileURL(join(project, 'src/platform/web/web-build.ts')).href
  const { buildWeb } = (await import(module)) as typeof WebBuild
  const build = async (page: string, program: string) => {
    await writeFile(join(project, 'index.html'), page)
    await writeFile(vite, program)
    await buildWeb(() => {})
  }
  await build('one', writes)
  await assert.rejects(build('two', isCutOff))
  await build('one', writes)
  assert.equal(await readFile(join(project, 'dist/web/index.html'), 'utf8'), 'one')
})
