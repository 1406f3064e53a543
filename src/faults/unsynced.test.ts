import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { randomFrom } from '#shop/testing/random.ts'
import { watchUnsynced } from './unsynced.ts'

const run = promisify(execFile)

/** Treats files as a database does: writes and syncs them, then writes more. */
const program = `
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  int kept = open("kept", O_RDWR | O_CREAT, 0600);
  pwrite(kept, "synced", 6, 0);
  fsync(kept);
  pwrite(kept, "LOST", 4, 0);
  pwrite(kept, "longer", 6, 6);
  int whole = open("whole", O_RDWR | O_CREAT, 0600);
  write(whole, "first ", 6);
  write(whole, "second", 6);
  fdatasync(whole);
  int cut = open("cut", O_RDWR | O_CREAT, 0600);
  write(cut, "all of it", 9);
  fsync(cut);
  ftruncate(cut, 3);
  int moved = open("moving", O_RDWR | O_CREAT, 0600);
  write(moved, "never synced", 12);
  rename("moving", "moved");
}`

test('a simulated power cut loses exactly the writes that were not synced', async (t) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'unsynced-test-')))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const files = join(folder, 'data/postgres')
  await mkdir(files, { recursive: true })
  const unsynced = await watchUnsynced(folder, join(folder, 'data'))
  if (!unsynced) return t.skip('needs Linux and a C compiler')
  const source = join(folder, 'program.c')
  await writeFile(source, program)
  await run('cc', ['-w', '-o', join(folder, 'program'), source])
  await run(join(folder, 'program'), [], { cwd: files, env: { ...process.env, ...unsynced.environment } })
  const contents = () =>
    Promise.all(['kept', 'whole', 'cut', 'moved'].map((name) => readFile(join(files, name), 'utf8')))
  assert.deepEqual(await contents(), ['LOSTedlonger', 'first second', 'all', 'never synced'])
  await unsynced.lose({ ...randomFrom('any'), chance: () => true })
  assert.deepEqual(await contents(), ['synced', 'first second', 'all of it', ''])
  // A second cut changes nothing: there is nothing unsynced left.
  await unsynced.lose({ ...randomFrom('any'), chance: () => true })
  assert.deepEqual(await contents(), ['synced', 'first second', 'all of it', ''])
})
