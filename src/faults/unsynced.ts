import { execFile } from 'node:child_process'
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Random } from '#shop/testing/random.ts'
import type { Change } from './program.ts'

const run = promisify(execFile)

/** What a database has written and not yet synced; see unsynced.c. */
export type Unsynced = {
  /** The environment for the database's processes. */
  environment: Record<string, string>
  /** The change to the program that gives this environment to its embedded database. */
  change: Change
  /**
   * Turns the data folder into what a power cut would have left of it. All of the database's processes must have
   * ended.
   *
   * @returns what became of the unsynced blocks, in a few words
   */
  lose(random: Random): Promise<string>
  /** How many blocks were not synced when the power went off, over all cuts. */
  blocks: number
}

/** A disk keeps or loses this much at once. A page of the database is two of these, so it can be torn. */
const blockBytes = 4096
const slowestSyncMs = 12
const headBytes = 24
const changeBytes = 24

/** Undefined where writes cannot be watched: on systems other than Linux, or without a C compiler. */
export async function watchUnsynced(folder: string, dataDir: string): Promise<Unsynced | undefined> {
  const [library, logs] = [join(folder, 'unsynced.so'), join(folder, 'unsynced')]
  const source = join(import.meta.dirname, 'unsynced.c')
  const isBuilt = await run('cc', ['-O2', '-shared', '-fPIC', '-o', library, source, '-ldl']).then(
    () => process.platform === 'linux',
    () => false,
  )
  if (!isBuilt) return undefined
  // The database may run as another user.
  await mkdir(logs, { mode: 0o777 })
  const root = join(dataDir, 'postgres')
  const environment = {
    LD_PRELOAD: library,
    UNSYNCED_LOGS: logs,
    UNSYNCED_ROOT: root,
    UNSYNCED_SLOW_US: `${slowestSyncMs * 1000}`,
  }
  const lines = Object.entries(environment).map(([name, value]) => `${name}: ${JSON.stringify(value)},`)
  const unsynced: Unsynced = {
    blocks: 0,
    environment,
    change: {
      file: 'src/platform/postgres/guarded-process.ts',
      from: "TZ: 'UTC',",
      to: `TZ: 'UTC', ${lines.join(' ')}`,
    },
    async lose(random) {
      const names = await readdir(root, { recursive: true })
      const changed = new Set(await readdir(logs))
      // Either everything unsynced is lost, or the system had already written some of it, in any order.
      const isAllLost = random.chance(0.5)
      let blocks = 0
      for (const name of names.sort()) {
        const path = join(root, name)
        const { ino } = await stat(path)
        if (!changed.has(`${ino}`)) continue
        blocks += await restore(path, readLog(await readFile(join(logs, `${ino}`))), () =>
          isAllLost ? true : random.chance(0.5),
        )
      }
      for (const name of changed) await rm(join(logs, name))
      unsynced.blocks += blocks
      return `${isAllLost ? 'all' : 'some'} of ${blocks} blocks that were not synced are lost`
    },
  }
  return unsynced
}

type RecordedWrite = { offset: number; old: Buffer; fileSize: number }

/** The recorded changes, oldest first. */
function readLog(log: Buffer): RecordedWrite[] {
  if (log.length < headBytes) return []
  const [first, start, end] = [0, 8, 16].map((at) => Number(log.readBigInt64LE(at)))
  const written: RecordedWrite[] = []
  let at = headBytes + (start ?? 0) - (first ?? 0)
  const stop = headBytes + (end ?? 0) - (first ?? 0)
  while (at < stop) {
    const [offset = 0, length = 0, fileSize = 0] = [0, 8, 16].map((field) =>
      Number(log.readBigInt64LE(at + field)),
    )
    const old = log.subarray(at + changeBytes, at + changeBytes + length)
    written.push({ offset, old, fileSize })
    at += changeBytes + length
  }
  return written
}

/** Undoes everything that was written since the last sync, or only some of its blocks. */
async function restore(path: string, written: RecordedWrite[], isLost: () => boolean): Promise<number> {
  if (!written.length) return 0
  const now = await readFile(path)
  const synced = undoWrites(now, written)
  const left = Buffer.alloc(isLost() ? synced.length : now.length)
  now.copy(left)
  let changed = 0
  for (let at = 0; at < Math.max(now.length, synced.length); at += blockBytes) {
    const before = synced.subarray(at, at + blockBytes)
    if (before.equals(now.subarray(at, at + blockBytes))) continue
    changed += 1
    // Bytes that were not part of the file before read as zeros.
    if (isLost()) before.copy(left.subarray(at, at + blockBytes).fill(0))
  }
  const file = await open(path, 'r+')
  await file.truncate(left.length)
  await file.write(left, 0, left.length, 0)
  await file.close()
  return changed
}

function undoWrites(now: Buffer, written: RecordedWrite[]): Buffer {
  let synced = Buffer.from(now)
  for (const { offset, old, fileSize } of written.toReversed()) {
    if (synced.length !== fileSize) synced = Buffer.concat([synced, Buffer.alloc(fileSize)], fileSize)
    old.copy(synced, offset)
  }
  return synced
}
