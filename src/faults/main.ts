import { z } from 'zod'
import { Amount, readOptions, Decimal } from '#shop/testing/options.ts'
import { onlyRestarts } from './killer.ts'
import { plantedBugs } from './planted.ts'
import { runFaults, type FaultReport } from './run.ts'

/**
 * `npm run faults -- --minutes 30 --seed 7 [--checkouts 10000] [--kills 1000] [--at-once 24] [--database server]`.
 * Exits with 0 when paid meant exactly one order, for every session and every order.
 *
 * `npm run faults -- --restarts 50`: uses a database server of its own, which is stopped in each way, and started
 * again, this many times. No shop may end because of it, and every request must be answered.
 *
 * `npm run faults -- --planted no-sweep`: the same with a defect, from the list in planted.ts, in a copy of the
 * shop; `--planted all`: with each of them in turn. Exits with 0 when all of them were found.
 */
const values = readOptions(
  z.object({
    seed: z.string().default(`${Date.now() % 1_000_000}`),
    minutes: Decimal.default(0),
    checkouts: Amount.optional(),
    kills: Amount.optional(),
    'at-once': Amount.default(24),
    'fault-rate': Decimal.default(0.18),
    database: z.enum(['embedded', 'server']).default('embedded'),
    planted: z.enum(['all', ...Object.keys(plantedBugs)]).optional(),
    restarts: Amount.optional(),
  }),
)
const { minutes } = values
const untilTheEnd = minutes ? 1_000_000_000 : undefined
const names = values.planted === 'all' ? Object.keys(plantedBugs) : [values.planted]
let missed = 0
for (const name of names) {
  const hasViolations = await run(name).then(
    ({ length }) => length > 0,
    (error: unknown) => {
      if (name === undefined) throw error
      // With a defect, the run itself may not get to its end: without `fsync` a power cut can take the whole database.
      return true
    },
  )
  if (name === undefined) process.exit(hasViolations ? 1 : 0)
  console.log(`Planted ${name}: ${hasViolations ? 'found' : 'NOT FOUND'}\n`)
  if (!hasViolations) missed += 1
}
process.exit(missed ? 1 : 0)

async function run(planted: string | undefined): Promise<FaultReport['violations']> {
  const bug = planted === undefined ? undefined : plantedBugs[planted]
  if (bug) console.log(bug.what)
  console.log(`Seed ${values.seed}`)
  const { violations, ...figures } = await runFaults({
    seed: values.seed,
    minutes,
    checkouts: values.checkouts ?? untilTheEnd ?? (bug ? 150 : 500),
    kills: values.restarts ?? values.kills ?? untilTheEnd ?? (bug ? 12 : 30),
    customersAtOnce: values['at-once'],
    faultRate: values['fault-rate'],
    database: values.restarts || values.database === 'server' ? 'server' : 'embedded',
    changes: bug?.changes ?? [],
    kinds: values.restarts ? onlyRestarts : bug?.kinds,
    stopsAtFirst: bug !== undefined,
    log: (line) => console.log(line),
  })
  console.log(JSON.stringify(figures))
  const printed = violations.slice(0, bug ? 1 : 10)
  for (const { what, story } of printed) console.log([`\n${what}`, ...story].join('\n'))
  console.log(`${violations.length} violations; seed ${values.seed}`)
  return violations
}
