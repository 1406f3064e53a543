import { parseArgs } from 'node:util'
import { runFaults } from './run.ts'

/**
 * `npm run faults -- --minutes 30 --seed 7 [--checkouts 10000] [--kills 1000] [--at-once 24] [--database server]`.
 * Ends with 0 when the statement held for every session and order.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    minutes: { type: 'string', default: '0' },
    checkouts: { type: 'string' },
    kills: { type: 'string' },
    'at-once': { type: 'string', default: '24' },
    'fault-rate': { type: 'string', default: '0.18' },
    database: { type: 'string', default: 'embedded' },
  },
})
const minutes = Number(values.minutes)
const untilTheEnd = minutes ? '1000000000' : undefined
console.log(`Seed ${values.seed}`)
const report = await runFaults({
  seed: values.seed,
  minutes,
  checkouts: Number(values.checkouts ?? untilTheEnd ?? 500),
  kills: Number(values.kills ?? untilTheEnd ?? 30),
  customersAtOnce: Number(values['at-once']),
  faultRate: Number(values['fault-rate']),
  database: values.database === 'server' ? 'server' : 'embedded',
  log: (line) => console.log(line),
})
const { violations, ...figures } = report
console.log(JSON.stringify(figures))
for (const { what, story } of violations.slice(0, 10)) console.log([`\n${what}`, ...story].join('\n'))
console.log(`${violations.length} violations; seed ${values.seed}`)
process.exit(violations.length ? 1 : 0)
