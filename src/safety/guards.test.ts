import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { guards } from './guards.ts'

const sources = resolve(import.meta.dirname, '..')
const textOf = (file: string) => readFile(join(sources, file), 'utf8')

test('each guard that `scripts/mutate-guards.ts` removes occurs exactly once, and its test exists', async () => {
  for (const { file, original, test: tests, name } of guards) {
    assert.equal((await textOf(file)).split(original).length, 2, `${file}: ${original}`)
    assert.ok((await textOf(tests)).includes(name), `${tests}: ${name}`)
  }
})
