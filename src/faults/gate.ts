/** Holds customers until it opens, so that what happens next hits many of them at the same step. */
export class Gate {
  #waiting: (() => void)[] = []
  isShut = false

  get crowd(): number {
    return this.#waiting.length
  }

  async pass(): Promise<void> {
    if (this.isShut) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  open(): void {
    for (const go of this.#waiting.splice(0)) go()
  }
}
