import { z } from 'zod'
import { Amount, readOptions } from '#shop/testing/options.ts'
import { startTestApp } from '#shop/testing/test-app.ts'
import { races, runRace, type RaceName } from './races.ts'

/** `npm run races -- --rounds 300`: the long form of `races.test.ts`; exits with 0 when every race ended well. */
const { rounds } = readOptions(z.object({ rounds: Amount.default(300) }))
const shop = await startTestApp()
let wrong = 0
for (const name of Object.keys(races) as RaceName[]) {
  const found = await runRace(shop, name, rounds)
  wrong += found.length
  console.log(`${name}: ${rounds} rounds, ${found.length} ended badly`)
  for (const line of found.slice(0, 5)) console.log(`  ${line}`)
}
await shop.close()
process.exit(wrong ? 1 : 0)
