import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * For the environment of a program that the shop starts: it finds its files compiled where the shop finds its own.
 * Without that each loads a compiler that takes thirty megabytes.
 */
export function sharedCompileCache(): { NODE_COMPILE_CACHE?: string } {
  // Node has put a folder of its own version into the one that it was given.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
