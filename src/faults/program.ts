import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export const project = resolve(import.meta.dirname, '../..')

/** Replaces a text that occurs exactly once in a file of the project. */
export type Change = { file: string; from: string; to: string }

/** The folders that changes may be made in; everything else in the copy is a link to the original. */
const own = ['src', 'migrations']

/**
 * Prepares the program to test: the project itself or, if there are changes, a changed copy of it. The copy serves
 * the page that was built for the original.
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
