import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'

/** Says to the test files where the shops of one run leave the pictures they have made for each other; a file run alone has none. */
export const madePicturesVariable = 'TEST_MADE_PICTURES'

/**
 * What a shop has made of the demo's pictures is there for the next: a tenth of the time of all tests. Their names say what
 * is in them.
 */
export async function borrowPictures(uploads: string): Promise<void> {
  const made = process.env[madePicturesVariable]
  if (made) await copyMissing(made, uploads)
}

export async function lendPictures(uploads: string): Promise<void> {
  const made = process.env[madePicturesVariable]
  if (made) await copyMissing(uploads, made)
}

async function copyMissing(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const there = new Set(await readdir(to))
  const missing = (await readdir(from)).filter((name) => /-\d+\.avif$/.test(name) && !there.has(name))
  for (const name of missing) {
    // Others read while this is written, and write the same.
    const draft = join(to, `${name}.${randomUUID()}.tmp`)
    await copyFile(join(from, name), draft)
    await rename(draft, join(to, name))
  }
}
