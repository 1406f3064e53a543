import { readdirSync, readFileSync } from 'node:fs'

/** Of children that have ended Linux counts in hundredths of a second, whatever the machine. */
const ticksPerSecond = 100

type Entry = { parent: number; seconds: number; command: string }

function readEntry(pid: string): Entry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // In user and kernel.
    const ticksOfEnded = Number(fields[13]) + Number(fields[14])
    const seconds = ticksOfEnded / ticksPerSecond + secondsOfThreads(pid)
    return { parent: Number(fields[1]), seconds, command: readFileSync(`/proc/${pid}/cmdline`, 'latin1') }
  } catch {
    // It has ended since the folder was listed.
    return undefined
  }
}

/** In nanoseconds, as the scheduler knows it: an answer takes a tenth of a tick. */
function secondsOfThreads(pid: string): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9
}

/**
 * Seconds of processor that a process and everything it has started have used; NaN where there is no /proc.
 *
 * @param except what runs a command with this in it counts apart, with what it has started
 */
export function cpuSeconds(pid: number, except?: string): number {
  if (process.platform !== 'linux') return NaN
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
  let seconds = 0
  for (const [each, entry] of entries) if (isOf(each)) seconds += entry.seconds
  return seconds
}

/**
 * Megabytes that a process and everything it has started hold: shared pages once (`Pss`), or as often as they are shared
 * (`Rss`); NaN where there is no /proc.
 */
export function memoryMegabytes(pid: number, except?: string, kind: 'Pss' | 'Rss' = 'Pss'): number {
  if (process.platform !== 'linux') return NaN
  const sum = treeOf(pid, except).map((each) => {
    return Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(readRollup(each))?.[1] ?? 0) / 1024
  })
  return sum.reduce((total, each) => total + each, 0)
}

/** Whether a process has started something, or what it has started has, with this in its command. */
export function isRunning(pid: number, command: string): boolean {
  if (process.platform !== 'linux') return false
  return treeOf(pid).some((each) => readEntry(`${each}`)?.command.includes(command))
}

function treeOf(pid: number, except?: string): number[] {
  const children = Map.groupBy(
    readdirSync('/proc').filter((name) => /^\d+$/.test(name)),
    (name) => readEntry(name)?.parent ?? 0,
  )
  const from = (each: number): number[] => {
    const entry = readEntry(`${each}`)
    if (!entry || (except && entry.command.includes(except))) return []
    return [each, ...(children.get(each) ?? []).flatMap((child) => from(Number(child)))]
  }
  return from(pid)
}

function readRollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')
  } catch {
    return ''
  }
}
