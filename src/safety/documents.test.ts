import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'

const project = new URL('../../', import.meta.url)
const read = (path: string) => readFile(new URL(path, project), 'utf8')

for (const document of ['docs/threats.md', 'SECURITY.md']) {
  test(`every test that ${document} names exists`, async () => {
    const rows = (await read(document)).split('\n').filter((line) => line.startsWith('| '))
    const named = rows.flatMap((row) => [...row.matchAll(/`([\w/-]+\.(?:test\.)?ts)`(?: "([^"]+)")?/g)])
    assert.ok(named.length > 10)
    for (const [, file = '', name] of named) {
      const source = await read(file)
      if (name !== undefined) assert.ok(source.includes(name), `${file} has no '${name}'`)
    }
  })
}
