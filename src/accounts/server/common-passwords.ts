import { dictionary } from '@zxcvbn-ts/language-common'
import { invalidInput } from '#shop/platform/errors.ts'

/** The passwords that leaked lists contain most often, in lower case. */
const commonPasswords = new Set(dictionary['passwords-common'])

/** Keyboard walks along the rows and down the columns, and the alphabet and the digits in order. */
const walks = [
  'qwertyuiop[]asdfghjkl;zxcvbnm,./',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'asdfghjkl',
  'zxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'a1s2d3f4g5h6j7k8l9',
  'zaq12wsxcde34rfv',
  '1234qwerasdfzxcv',
  '!@#$%^&*()_+',
  '12345678901234567890',
  'abcdefghijklmnopqrstuvwxyzabcdefghij',
  'a1b2c3d4e5f6g7h8i9j0',
  '14789632147',
  '147258369147',
  '741852963741',
  '123qweasdzxc',
  'qweasdzxc123',
  'qwe123asd456',
]

/**
 * Whether a password is among the first that an attacker tries: one of the 49,000 most common, a walk along the
 * keyboard, or a repetition.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase().trim()
  if (commonPasswords.has(plain)) return true
  // Attackers try neither longer repetitions and walks, nor those of characters that few keyboards have.
  return /^[\x21-\x7e]{1,20}$/.test(plain) && (isRepetition(plain) || isWalk(plain))
}

/** @throws ShopError 400 */
export function requireUncommon(password: string, path: string): void {
  if (!isCommonPassword(password)) return
  throw invalidInput([{ path, message: 'is too common: please choose another' }])
}

/** `aaaaaaaa`, `12341234`, `abcabcabc`: up to four characters, repeated. */
function isRepetition(text: string): boolean {
  const signs = [...text]
  return [1, 2, 3, 4].some((period) => signs.every((sign, index) => sign === signs[index % period]))
}

/** A walk in either direction, typed once or twice. */
function isWalk(text: string): boolean {
  const half = text.slice(0, text.length / 2)
  const once = half.repeat(2) === text ? half : text
  const backwards = [...once].reverse().join('')
  return walks.some((walk) => walk.includes(once) || walk.includes(backwards))
}
