import { parseArgs } from 'node:util'
import { startTestApp } from '#shop/testing/test-app.ts'
import { fuzz } from './run.ts'

/** `npm run fuzz -- --requests 100000 --seed 7`: ends with 0 when nothing was found; the seed repeats the run. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
})
const shop = await startTestApp()
console.log(`Seed ${values.seed}`)
const { violations, ...figures } = await fuzz(shop, { requests: Number(values.requests), seed: values.seed })
for (const violation of violations.slice(0, 20)) console.log(violation)
console.log(JSON.stringify(figures))
console.log(`${violations.length} violations; seed ${values.seed}`)
await shop.close()
process.exit(violations.length ? 1 : 0)
