import { hash, verify } from '@node-rs/argon2'
import { unavailable } from '#shop/platform/errors.ts'
import { newToken } from '#shop/platform/ids.ts'
import { createTurnQueue, TurnRefused } from '#shop/platform/turns.ts'

/** OWASP's first recommendation for argon2id; the library hashes on its own threads. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Each hash takes 19 MiB and tens of milliseconds of a core: a flood of them must not bring the shop down. */
const turns = createTurnQueue({ most: 4, mostWaiting: 50 })

/**
 * @param recentAttempts how often this client has asked recently: among those who wait, the lowest number is next
 * @throws ShopError 503 when too many wait already
 */
export function hashPassword(password: string, recentAttempts = 0): Promise<string> {
  return inTurn(() => hash(password, strength), recentAttempts)
}

/**
 * Whether this is the password. Without a hash (there is no such account) the same work is done, so that the
 * response time does not reveal who is a customer.
 *
 * @param beforeComparison called when the slot is free, just before the comparison; what it throws is thrown
 * @param recentAttempts see `hashPassword`
 * @throws ShopError 503 when too many wait already
 */
export async function isPassword(
  password: string,
  passwordHash: string | undefined,
  beforeComparison: () => void = () => {},
  recentAttempts = 0,
): Promise<boolean> {
  const compareWith = passwordHash || (await nobodysHash())
  return inTurn(async () => {
    beforeComparison()
    return verify(compareWith, password)
  }, recentAttempts)
}

let decoyHash: Promise<string> | undefined

/** The hash of a random password, which nobody has. */
function nobodysHash(): Promise<string> {
  decoyHash ??= hash(newToken(), strength)
  return decoyHash
}

async function inTurn<T>(work: () => Promise<T>, recentAttempts: number): Promise<T> {
  try {
    return await turns(work, recentAttempts)
  } catch (error) {
    if (!(error instanceof TurnRefused)) throw error
    throw unavailable('passwords_busy', 'Too many people are logging in right now. Please try again.')
  }
}
