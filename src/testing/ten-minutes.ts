/*
 * Loaded before each file of tests. One whose process is there for so long has left something open, such as a server that a
 * failed start had begun: without an end of its own the whole run would wait for it, and tell nobody what failed.
 */
const minutes = 10

setTimeout(() => {
  console.error(`Ended: still there after ${minutes} minutes.`)
  process.exit(1)
}, minutes * 60_000).unref()
