import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The environment that lets a program started by the shop use the shop's compile cache. Without it each program
 * loads a compiler that takes thirty megabytes.
 */
export function sharedCompileCache(): { NODE_COMPILE_CACHE?: string } {
  // Node adds a folder for its version to the one that it was given.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}
