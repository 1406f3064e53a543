import { createHash, randomBytes } from 'node:crypto'

/** 128 random bits: an id of an order is also the key to its page, so nobody may guess one. */
export function newId(): string {
  return randomBytes(16).toString('base64url')
}

/** The same id for the same text, as hard to guess as the text. */
export function idFrom(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

/** 256 random bits, for session tokens; the database keeps only `hashOf` it. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
