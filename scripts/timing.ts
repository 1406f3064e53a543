import { z } from 'zod'
import { newPerson, password } from '#shop/safety/callers.ts'
import { median } from '#shop/testing/median.ts'
import { Amount, readOptions } from '#shop/testing/options.ts'
import { startTestApp } from '#shop/testing/test-app.ts'

/**
 * `npm run timing -- --rounds 2000`: whether the time of a response reveals who has an account. The requests of a
 * pair alternate, so that a machine that is busy for a while is so for both.
 */
const { rounds } = readOptions(z.object({ rounds: Amount.default(2000) }))
const maxRatioDeviation = 0.05

const shop = await startTestApp()
const { user } = await newPerson(shop)
const measure = async (path: string, payload: object, status: number) => {
  const startedAt = performance.now()
  const answer = await shop.app.inject({ method: 'POST', url: `/api/auth/${path}`, payload })
  if (answer.statusCode !== status) throw new Error(`${path} answered ${answer.statusCode}`)
  return performance.now() - startedAt
}
const wrong = { password: 'not the right one' }
const registering = { username: 'Some One', password }
const pairs = {
  'login: unknown e-mail against wrong password': [
    (round: number) => measure('login', { ...wrong, email: `nobody-${round}@example.com` }, 401),
    () => measure('login', { ...wrong, email: user.email }, 401),
  ],
  'register: free e-mail against taken one': [
    (round: number) => measure('register', { ...registering, email: `new-${round}@example.com` }, 201),
    () => measure('register', { ...registering, email: user.email }, 400),
  ],
} as const

let isRevealing = false
for (const [name, pair] of Object.entries(pairs)) {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    // The second request profits from what the first has warmed up, so they also take turns at being first.
    for (const which of round % 2 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[which].push(await pair[which](round))
    }
  }
  const [first, second] = times.map(median)
  const ratio = (first ?? 0) / (second ?? 1)
  isRevealing ||= Math.abs(ratio - 1) > maxRatioDeviation
  console.log(`${name}: medians ${first?.toFixed(2)} and ${second?.toFixed(2)} ms, ratio ${ratio.toFixed(3)}`)
}
await shop.close()
process.exitCode = isRevealing ? 1 : 0
