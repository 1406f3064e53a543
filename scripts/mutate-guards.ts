import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { guards } from '#shop/safety/guards.ts'
import { serverVariable, startTestServer } from '#shop/testing/test-database.ts'

/**
 * `node scripts/mutate-guards.ts`: takes each guard out of a copy of the shop, one at a time, and runs the test
 * that must then fail. Exits with 1 when a test does not. Takes minutes, so it is not part of `npm test`.
 */
const project = resolve(import.meta.dirname, '..')
const copy = await mkdtemp(join(tmpdir(), 'haberdash-guards-'))
const server = await startTestServer()
const env = { ...process.env, [serverVariable]: JSON.stringify(server.connection) }
try {
  const missed = await takeEachOut()
  console.log(`${guards.length - missed} of ${guards.length} noticed`)
  process.exitCode = missed > 0 ? 1 : 0
} finally {
  await server.stop()
  await rm(copy, { recursive: true })
}

/** Returns how many guards were not missed by any test. */
async function takeEachOut(): Promise<number> {
  for (const part of ['src', 'practice', 'migrations', 'docs', 'package.json']) {
    await cp(join(project, part), join(copy, part), { recursive: true })
  }
  await symlink(join(project, 'node_modules'), join(copy, 'node_modules'))
  // A test that fails even with every guard in its place would prove nothing.
  const tests = new Map(guards.map(({ test, name }) => [`${test} ${name}`, { test, name }]))
  for (const [what, { test, name }] of tests) {
    if (!isPassing(test, name)) throw new Error(`With every guard in its place this fails: ${what}`)
  }
  let missed = 0
  for (const { file, original, replacement, test, name } of guards) {
    const path = join(copy, 'src', file)
    const source = await readFile(path, 'utf8')
    await writeFile(path, source.replace(original, replacement))
    const isMissed = isPassing(test, name)
    await writeFile(path, source)
    if (isMissed) missed += 1
    console.log(`${isMissed ? 'NOT NOTICED' : 'noticed    '} ${file}: ${original}`)
  }
  return missed
}

function isPassing(test: string, name: string): boolean {
  const options = ['--test', '--test-reporter=dot', `--test-name-pattern=${name}`, join(copy, 'src', test)]
  return spawnSync(process.execPath, options, { cwd: copy, env, timeout: 180_000 }).status === 0
}
