import { glob, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { buildWeb } from '#shop/platform/web/web-build.ts'
import { ensureChromium } from './chromium.ts'
import { madePicturesVariable } from './made-pictures.ts'
import { serverVariable, startTestServer } from './test-database.ts'

/**
 * Runs every test of the shop: `npm test`, or `npm test -- src/orders` for the files whose path begins so. The
 * last line of its output is `N passed, N failed, N skipped`.
 */
const project = resolve(import.meta.dirname, '../..')
const wanted = process.argv.slice(2)
// Runs first: at the end, it would run alone and leave one core idle. It makes no pictures for other files, so the
// file that runs beside it makes them alone; two files that start together would each make them all.
const longest = 'src/faults/faults.test.ts'
const all = await Array.fromAsync(glob('{src,practice,e2e}/**/*.test.ts', { cwd: project }))
const files = all
  .filter((file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start)))
  .sort()
  .sort((one, other) => Number(other === longest) - Number(one === longest))

if (files.length === 0) {
  console.error(`No file of tests begins with ${wanted.join(' or ')}.`)
  process.exit(1)
}
await buildWeb((line) => console.log(line))
const needsBrowser = files.some((file) => file.startsWith('e2e/'))
if (needsBrowser) process.env.CHROMIUM = ensureChromium()
const server = await startTestServer()
process.env[serverVariable] = JSON.stringify(server.connection)
const madePictures = await mkdtemp(join(tmpdir(), 'haberdash-pictures-'))
process.env[madePicturesVariable] = madePictures

const counts = { passed: 0, failed: 0, skipped: 0 }
const tests = run({
  files: files.map((file) => resolve(project, file)),
  execArgv: [
    // The shop itself is started with quick-start.mjs, too: each test file loads its code anew.
    ...['scripts/quick-start.mjs', 'src/testing/process-time-limit.ts'].flatMap((file) => [
      '--import',
      resolve(project, file),
    ]),
    // A test that hangs is reported by name, and the other tests of its file still run.
    '--test-timeout=300000',
  ],
  // A small machine can run two files at once; with more, tests would run into their time limits.
  concurrency: 2,
})
tests.on('test:pass', ({ skip, details }) => {
  if (details.type === 'suite') return
  if (skip === undefined || skip === false) counts.passed += 1
  else counts.skipped += 1
})
tests.on('test:fail', ({ details: { error } }) => {
  // A suite fails when a test in it fails, which is counted already, or by itself when its `after` hook fails.
  const isOfTests = 'failureType' in error && error.failureType === 'subtestsFailed'
  if (!isOfTests) counts.failed += 1
})
for await (const chunk of tests.compose(spec)) process.stdout.write(String(chunk))
await server.stop()
await rm(madePictures, { recursive: true })
const { passed, failed, skipped } = counts
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(failed > 0 || passed === 0 ? 1 : 0)
