/*
 * Loaded before each test file. A process that still runs after this long has left something open, such as a
 * server that a failed start had begun. Without this limit the whole run would wait for it and not report what
 * failed.
 */
const minutes = 10

setTimeout(() => {
  console.error(`Ended: still there after ${minutes} minutes.`)
  process.exit(1)
}, minutes * 60_000).unref()
