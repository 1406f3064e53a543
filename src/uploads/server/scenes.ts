import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hashOfPicture } from './pictures.ts'
import type { Storage } from './storage.ts'
import { warm, type Master } from './variants.ts'

/** The site's own pictures, from a folder of the project. */
type Scenes = { find(name: string): Promise<Master | undefined>; names(): Promise<string[]> }

export function openScenes(folder: string): Scenes {
  const known = new Map<string, { version: string; hash: string }>()
  return {
    async find(name) {
      const file = join(folder, `${name}.webp`)
      const found = await stat(file).catch(() => undefined)
      if (!found?.isFile()) return undefined
      const read = () => readFile(file)
      const exists = async () => true
      const version = `${found.mtimeMs} ${found.size}`
      const before = known.get(name)
      if (before?.version === version) return { hash: before.hash, exists, read }
      const hash = hashOfPicture(await read())
      known.set(name, { version, hash })
      return { hash, exists, read }
    },
    async names() {
      const files = await readdir(folder).catch(() => [])
      return files.flatMap((file) => /^([a-z0-9-]+)\.webp$/.exec(file)?.[1] ?? [])
    },
  }
}

/** As `warmPictures`, for the site's own pictures. */
export async function warmScenes(storage: Storage, folder: string, signal?: AbortSignal): Promise<void> {
  const scenes = openScenes(folder)
  const names = await scenes.names()
  const masters = await Promise.all(names.map((name) => scenes.find(name)))
  await warm(
    storage,
    masters.filter((master) => master !== undefined),
    [640, 960, 1600],
    signal,
  )
}
