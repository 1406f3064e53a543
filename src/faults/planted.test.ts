import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { plantedBugs } from './planted.ts'
import { project } from './program.ts'

/** Finding the defects takes `npm run faults -- --planted all`; this checks that they can still be planted. */
for (const [name, { changes }] of Object.entries(plantedBugs)) {
  test(`the defect ${name} can be planted`, async () => {
    assert.ok(changes.length > 0)
    for (const { file, from } of changes) {
      const text = await readFile(join(project, file), 'utf8')
      assert.equal(text.split(from).length, 2, `${file} must have one place that reads: ${from}`)
    }
  })
}
