import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/**
 * The URL of a card page is its only protection, so ids must not be guessable. Bytes from 248 (the last whole
 * multiple of 62) on are dropped: with them, some characters would be likelier than others.
 */
export function randomId(prefix: string, length: number): string {
  let id = ''
  while (id.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && id.length < length) id += alphabet.charAt(byte % 62)
    }
  }
  return prefix + id
}
