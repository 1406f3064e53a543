import { hash, verify } from '@node-rs/argon2'
import { unavailable } from '#shop/platform/errors.ts'
import { newToken } from '#shop/platform/ids.ts'
import { takeTurns, TooLate } from '#shop/platform/turns.ts'

/** OWASP's first choice for argon2id; the library hashes on its own threads. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Each hash takes 19 MiB and tens of milliseconds of a core: a flood of them must not be the end of the shop. */
const turns = takeTurns({ most: 4, mostWaiting: 50 })

/**
 * @param asked how often whoever sends it has done so: of those who wait, who did the least comes first
 * @throws ShopError 503 when too many wait already
 */
export function hashPassword(password: string, asked = 0): Promise<string> {
  return inTurn(() => hash(password, strength), asked)
}

/**
 * Whether this is the password. Without a hash (there is no such account) the work is done all the same, so that
 * the time of the answer does not tell who is a customer.
 *
 * @param begin called when the turn has come, just before the work; what it throws is thrown
 * @param asked see `hashPassword`
 * @throws ShopError 503 when too many wait already
 */
export async function isPassword(
  password: string,
  passwordHash: string | undefined,
  begin: () => void = () => {},
  asked = 0,
): Promise<boolean> {
  const compareWith = passwordHash || (await nobodysHash())
  return inTurn(async () => {
    begin()
    return verify(compareWith, password)
  }, asked)
}

let nobodys: Promise<string> | undefined

/** Of a password that nobody has. */
function nobodysHash(): Promise<string> {
  nobodys ??= hash(newToken(), strength)
  return nobodys
}

async function inTurn<T>(work: () => Promise<T>, asked: number): Promise<T> {
  try {
    return await turns(work, asked)
  } catch (error) {
    if (!(error instanceof TooLate)) throw error
    throw unavailable('passwords_busy', 'Too many people are logging in right now. Please try again.')
  }
}
