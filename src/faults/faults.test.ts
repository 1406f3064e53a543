import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFaults } from './run.ts'

const enough = { checkouts: 250, kills: 15 }

/** The short form of `npm run faults`. The seed changes every day and is printed. */
test(
  'paid means exactly one order, despite killed processes and lost webhook events',
  { timeout: 290_000 },
  async (t) => {
    const seed = new Date().toISOString().slice(0, 10)
    t.diagnostic(`seed ${seed}`)
    const { violations, ...figures } = await runFaults({
      ...enough,
      seed,
      // A busy machine does less in this time, but whatever it does is checked in full.
      minutes: 2.2,
      customersAtOnce: 32,
      faultRate: 0.18,
      database: 'embedded',
      log: (line) => t.diagnostic(line),
    })
    t.diagnostic(JSON.stringify(figures))
    const stories = violations.slice(0, 3).map(({ what, story }) => [what, ...story].join('\n'))
    assert.equal(violations.length, 0, `seed ${seed}\n${stories.join('\n\n')}`)
    const { customers, kills } = figures
    if (customers < enough.checkouts || kills < enough.kills)
      t.diagnostic('Cut short: the machine is too busy.')
    assert.ok(customers >= enough.checkouts / 5 && kills >= enough.kills / 5, JSON.stringify(figures))
  },
)
