import { parseArgs } from 'node:util'
import { startTestApp } from '#shop/testing/test-app.ts'
import { fuzz } from './run.ts'

/** `npm run fuzz -- --requests 100000 --seed 7`: ends with 0 when nothing was found; the seed asks the same again. */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
})
const shop = await startTestApp()
const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
say(`seed ${values.seed}`)
const { violations, ...figures } = await fuzz(shop, {
  requests: Number(values.requests),
  seed: values.seed,
  say,
})
for (const violation of violations.slice(0, 20)) say(violation)
say(JSON.stringify(figures))
say(`${violations.length} violations; seed ${values.seed}`)
await shop.close()
process.exit(violations.length ? 1 : 0)
