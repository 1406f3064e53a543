import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The environment variable that tells test files the folder in which the shops of one run share the pictures they
 * have made. A test file that is run alone has no such folder.
 */
export const madePicturesVariable = 'TEST_MADE_PICTURES'

/**
 * Gives a shop the versions of the demo's pictures that earlier shops have made, which saves a tenth of the time
 * of all tests. This is safe because their names are derived from their content.
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
    // Other processes read the folder meanwhile, and may be writing the same file.
    const draft = join(to, `${name}.${randomUUID()}.tmp`)
    await copyFile(join(from, name), draft)
    await rename(draft, join(to, name))
  }
}
