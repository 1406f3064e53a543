import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export const project = resolve(import.meta.dirname, '../..')

/** In a file of the project, a text that stands there exactly once becomes another. */
export type Change = { file: string; from: string; to: string }

/** Folders that changes may be made in; of everything else, the program uses the original. */
const own = ['src', 'migrations']

/**
 * The program that is put to the test: the project itself, or a copy of it with changes. A copy shows the page that
 * was built for the original.
 *
 * @returns the folder to run it in
 */
export async function prepareProgram(folder: string, changes: Change[]): Promise<string> {
  if (!changes.length) return project
  await mkdir(folder)
  for (const name of await readdir(project)) {
    if (name === '.git') continue
    const [from, to] = [join(project, name), join(folder, name)]
    if (own.includes(name)) await cp(from, to, { recursive: true })
    else await symlink(from, to)
  }
  const asBuilt = {
    file: 'src/platform/web/web-build.ts',
    from: 'if (await isBuiltFrom(stamp)) return',
    to: 'if (stamp) return',
  }
  for (const change of [asBuilt, ...changes]) await apply(folder, change)
  return folder
}

async function apply(folder: string, { file, from, to }: Change): Promise<void> {
  const path = join(folder, file)
  const pieces = (await readFile(path, 'utf8')).split(from)
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} places that read: ${from}`)
  await writeFile(path, pieces.join(to))
}
