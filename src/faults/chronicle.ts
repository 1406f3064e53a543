type Entry = { atMs: number; customer: number | undefined; text: string }

export type Violation = { customer: number | undefined; what: string }

/** What happened, to whom and when, so that a failure can be explained as a story. */
export class Chronicle {
  readonly #startedAt = performance.now()
  /** How many times something has been killed so far. */
  kills = 0
  readonly #entries: Entry[] = []
  readonly #byCustomer = new Map<number, Entry[]>()
  readonly #violations = new Map<string, Violation>()
  readonly #onViolation: (what: string) => void

  constructor(onViolation: (what: string) => void = () => undefined) {
    this.#onViolation = onViolation
  }

  note(text: string, customer?: number): void {
    const entry = { atMs: Math.round(performance.now() - this.#startedAt), customer, text }
    if (customer === undefined) {
      this.#entries.push(entry)
      return
    }
    const theirs = this.#byCustomer.get(customer)
    if (theirs) theirs.push(entry)
    else this.#byCustomer.set(customer, [entry])
  }

  addViolation(what: string, customer?: number): void {
    const key = `${customer ?? ''} ${what}`
    if (this.#violations.has(key)) return
    this.#violations.set(key, { customer, what })
    this.note(`VIOLATION ${what}`, customer)
    this.#onViolation(what)
  }

  get violations(): Violation[] {
    return [...this.#violations.values()]
  }

  /**
   * A short story of one customer: everything that happened to them and, of what happened to everybody, only what
   * came just before or after it.
   */
  story(customer: number | undefined, most = 40): string[] {
    const theirs = customer === undefined ? [] : (this.#byCustomer.get(customer) ?? [])
    const isNear = ({ atMs }: Entry) =>
      theirs.some((own) => atMs > own.atMs - beforeMs && atMs < own.atMs + afterMs)
    const shared = customer === undefined ? this.#entries : this.#entries.filter(isNear)
    const entries = mergeRepeats([...theirs, ...shared].sort((a, b) => a.atMs - b.atMs))
    const lines = entries.map(
      ({ atMs, text, customer: whose, times }) =>
        `  ${(atMs / 1000).toFixed(3)} s  ${whose === undefined ? '── ' : ''}${text}${times > 1 ? ` (${times} times)` : ''}`,
    )
    if (lines.length <= most) return lines
    // Keeps how it began and how it ended.
    const first = customer === undefined ? 0 : Math.floor(most / 4)
    return [...lines.slice(0, first), '  …', ...lines.slice(first - most)]
  }
}

const [beforeMs, afterMs] = [1500, 300]

/** Merges equal entries in a row into one, with the time of the first. */
function mergeRepeats(entries: Entry[]): (Entry & { times: number })[] {
  const merged: (Entry & { times: number })[] = []
  for (const entry of entries) {
    const last = merged.at(-1)
    if (last && last.text === entry.text && last.customer === entry.customer) last.times += 1
    else merged.push({ ...entry, times: 1 })
  }
  return merged
}
