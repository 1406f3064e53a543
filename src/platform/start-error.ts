/** Stops the start: whoever starts the shop prints the message as the only line and exits with `exitCode`. */
export class StartError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.name = 'StartError'
    this.exitCode = exitCode
  }
}
