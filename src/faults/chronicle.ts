type Entry = { atMs: number; customer: number | undefined; text: string }

export type Violation = { customer: number | undefined; what: string }

/** What happened to whom and when, so that a failure can be told as a story. */
export class Chronicle {
  readonly #startedAt = performance.now()
  /** How often something has been killed so far. */
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

  violation(what: string, customer?: number): void {
    const key = `${customer ?? ''} ${what}`
    if (this.#violations.has(key)) return
    this.#violations.set(key, { customer, what })
    this.note(`VIOLATION ${what}`, customer)
    this.#onViolation(what)
  }

  get violations(): Violation[] {
    return [...this.#violations.values()]
  }

  /** What a customer went through, between what happened to everybody meanwhile; the last lines of it. */
  story(customer: number | undefined, most = 40): string[] {
    const theirs = customer === undefined ? [] : (this.#byCustomer.get(customer) ?? [])
    const [from, to] = [theirs[0]?.atMs ?? 0, theirs.at(-1)?.atMs ?? Infinity]
    const shared = this.#entries.filter(({ atMs }) => atMs >= from && atMs <= to)
    return [...theirs, ...shared]
      .sort((a, b) => a.atMs - b.atMs)
      .slice(-most)
      .map(
        ({ atMs, text, customer: whose }) =>
          `  ${(atMs / 1000).toFixed(3)} s  ${whose === undefined ? '── ' : ''}${text}`,
      )
  }
}
