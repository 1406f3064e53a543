import { access, constants, mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from './error-code.ts'
import { StartError } from './start-error.ts'

/**
 * Makes the folder, for this user alone, when it is not there.
 *
 * @throws StartError
 */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    await access(dataDir, constants.W_OK)
  } catch (error) {
    throw createDataDirError(dataDir, error)
  }
}

export function createDataDirError(dataDir: string, error: unknown): StartError {
  return new StartError(
    `DATA_DIR ${dataDir} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
  )
}

/** Makes a folder with all above it. Node's recursive `mkdir` never ends below /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOneFolder(folder)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error
    await makeFolder(dirname(folder))
    await makeOneFolder(folder)
  }
}

/** Other processes that share the folder may be making it at this moment. */
async function makeOneFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
  }
}

/** Makes new and renamed entries of a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const entries = await open(folder, 'r')
  await entries.sync().finally(() => entries.close())
}
