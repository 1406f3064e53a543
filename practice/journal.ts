import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Change } from './records.ts'

const compactAboveBytes = 64 * 1024 * 1024
const linesPerWrite = 1000

type Batch = { changes: Change[]; written: PromiseWithResolvers<void> }

/**
 * An append-only file with one JSON line per batch of changes. Changes that one synchronous stretch of code
 * appends share a line, and only complete lines count: such changes survive together or not at all.
 * Everything appended while the disk is busy shares the next write and its fsync.
 */
export class Journal {
  readonly #folder: string
  readonly #snapshot: () => Change[]
  #file: FileHandle | undefined
  #size = 0
  #compactAbove = compactAboveBytes
  #batch = newBatch()
  #durable: Promise<void> = Promise.resolve()
  #writing: Promise<void> | undefined

  constructor(folder: string, snapshot: () => Change[]) {
    this.#folder = folder
    this.#snapshot = snapshot
  }

  /** Replays the changes of earlier runs, then starts a new file with only those that still matter. */
  async open(apply: (changes: Change[]) => void): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const text = await readFile(this.#path, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
      throw error
    })
    replay(text, this.#path, apply)
    await this.#compact()
  }

  append(change: Change): void {
    this.#batch.changes.push(change)
    this.#durable = this.#batch.written.promise
    this.#writing ??= this.#writeAll()
  }

  /** Resolves when everything appended so far would survive a power cut. */
  durable(): Promise<void> {
    return this.#durable
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#file?.close()
  }

  get #path(): string {
    return join(this.#folder, 'journal-1.jsonl')
  }

  async #writeAll(): Promise<void> {
    // The code that appended may append more: its line is complete only when it has yielded to the event loop.
    await new Promise(setImmediate)
    while (this.#batch.changes.length > 0) {
      const { changes, written } = this.#batch
      this.#batch = newBatch()
      await this.#writeUntilItHolds(JSON.stringify(changes) + '\n')
      if (this.#size > this.#compactAbove) await this.#compactIfItCan()
      written.resolve()
    }
    this.#writing = undefined
  }

  /** Retries until the disk has room. Each try writes at the same position, so no partial line stays before it. */
  async #writeUntilItHolds(line: string): Promise<void> {
    const bytes = Buffer.from(line)
    for (let failures = 0; ; failures++) {
      try {
        await writeAt(this.#file, bytes, this.#size)
        this.#size += bytes.length
        return
      } catch (error) {
        if (failures === 0)
          console.error(`practice provider: cannot write ${this.#path}, trying on: ${String(error)}`)
        await wait(1000)
      }
    }
  }

  /** If the disk has no room for a compacted file, the long one remains in use until a later try. */
  async #compactIfItCan(): Promise<void> {
    this.#compactAbove = this.#size + compactAboveBytes
    await this.#compact().catch((error: unknown) => {
      console.error(`practice provider: cannot compact ${this.#path}: ${String(error)}`)
    })
  }

  async #compact(): Promise<void> {
    const changes = this.#snapshot()
    const lines: string[] = []
    for (let at = 0; at < changes.length; at += linesPerWrite) {
      lines.push(JSON.stringify(changes.slice(at, at + linesPerWrite)) + '\n')
    }
    const bytes = Buffer.from(lines.join(''))
    const file = await open(`${this.#path}.new`, 'w', 0o600)
    try {
      await writeAt(file, bytes, 0)
      await rename(`${this.#path}.new`, this.#path)
    } catch (error) {
      await file.close()
      // On a full disk, a partial copy would take up the room that is needed.
      await rm(`${this.#path}.new`, { force: true })
      throw error
    }
    // The rename has unlinked the old file: all further writes must go to this one, even if the rest fails.
    const before = this.#file
    this.#file = file
    this.#size = bytes.length
    this.#compactAbove = Math.max(compactAboveBytes, 2 * bytes.length)
    await before?.close()
    await syncFolder(this.#folder)
  }
}

function newBatch(): Batch {
  return { changes: [], written: Promise.withResolvers<void>() }
}

function replay(text: string, path: string, apply: (changes: Change[]) => void): void {
  // Text after the last newline is a line that a kill cut short. No response was sent that relied on it.
  const lines = text.split('\n').slice(0, -1)
  for (const [index, line] of lines.entries()) {
    const changes = parseLine(line)
    if (changes) apply(changes)
    else if (index < lines.length - 1) throw new Error(`${path} is damaged at line ${index + 1}`)
  }
}

function parseLine(line: string): Change[] | undefined {
  try {
    // The cast holds: only this class writes the journal, and the file's number changes with the record shapes.
    return JSON.parse(line) as Change[]
  } catch {
    return undefined
  }
}

async function writeAt(file: FileHandle | undefined, bytes: Buffer, position: number): Promise<void> {
  if (file === undefined) throw new Error('the journal is not open')
  let done = 0
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
  await file.datasync()
}

/** A rename is durable only with its folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync()
  await handle.close()
}
