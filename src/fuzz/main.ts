import { z } from 'zod'
import { Amount, readOptions } from '#shop/testing/options.ts'
import { startTestApp } from '#shop/testing/test-app.ts'
import { fuzz } from './run.ts'

/** `npm run fuzz -- --requests 100000 --seed 7`: exits with 0 if it found nothing; a seed repeats its run. */
const { requests, seed } = readOptions(
  z.object({ requests: Amount.default(100_000), seed: z.string().default(`${Date.now() % 1_000_000}`) }),
)
const shop = await startTestApp()
const log = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
log(`seed ${seed}`)
const { violations, ...figures } = await fuzz(shop, {
  requests,
  seed,
  log,
})
for (const violation of violations.slice(0, 20)) log(violation)
log(JSON.stringify(figures))
log(`${violations.length} violations; seed ${seed}`)
await shop.close()
process.exit(violations.length ? 1 : 0)
