import { readdirSync, readFileSync } from 'node:fs'

type Entry = { parent: number; startedAt: string; seconds: number; command: string }

function readEntry(pid: string): Entry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [parent, startedAt = ''] = [Number(fields[1]), fields[19]]
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
    return { parent, startedAt, seconds: secondsOfThreads(pid), command }
  } catch {
    // The process has ended since the folder was listed.
    return undefined
  }
}

/** User and kernel time, to the nanosecond, from the scheduler: a response takes a tenth of a clock tick. */
function secondsOfThreads(pid: string): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9
}

/** What each process of a tree had used when it was last seen: once it has ended, there is no other source. */
const lastSeen = new Map<string, Map<string, number>>()

/**
 * CPU seconds that a process and its descendants have used, for the difference of two calls; NaN without /proc.
 *
 * @param except processes with this in their command are left out, with their descendants
 */
export function cpuSeconds(pid: number, except?: string): number {
  if (process.platform !== 'linux') return NaN
  const tree = `${pid} ${except}`
  const seen = lastSeen.get(tree) ?? new Map<string, number>()
  lastSeen.set(tree, seen)
  for (const [each, { startedAt, seconds }] of treeOf(pid, except)) seen.set(`${each} ${startedAt}`, seconds)
  return [...seen.values()].reduce((sum, each) => sum + each, 0)
}

/**
 * Megabytes of memory of a process and its descendants, with shared pages counted once (`Pss`) or as often as they
 * are shared (`Rss`); NaN without /proc.
 */
export function memoryMegabytes(pid: number, except?: string, kind: 'Pss' | 'Rss' = 'Pss'): number {
  if (process.platform !== 'linux') return NaN
  const size = new RegExp(`^${kind}:\\s+(\\d+)`, 'm')
  return treeOf(pid, except)
    .keys()
    .reduce((sum, each) => sum + Number(size.exec(readRollup(each))?.[1] ?? 0) / 1024, 0)
}

/** Whether a process or one of its descendants has this in its command. */
export function isRunning(pid: number, command: string): boolean {
  if (process.platform !== 'linux') return false
  return treeOf(pid)
    .values()
    .some((entry) => entry.command.includes(command))
}

/** A process and its descendants, by process id. */
function treeOf(pid: number, except?: string): Map<number, Entry> {
  const entries = new Map<number, Entry>()
  for (const name of readdirSync('/proc')) {
    const entry = /^\d+$/.test(name) ? readEntry(name) : undefined
    if (entry) entries.set(Number(name), entry)
  }
  const isOf = (each: number): boolean => {
    const entry = entries.get(each)
    if (!entry || (except && entry.command.includes(except))) return false
    return each === pid || isOf(entry.parent)
  }
  return new Map([...entries].filter(([each]) => isOf(each)))
}

function readRollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  } catch {
    return ''
  }
}
