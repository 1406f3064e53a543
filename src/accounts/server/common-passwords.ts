import { dictionary } from '@zxcvbn-ts/language-common'
import { invalidInput } from '#shop/platform/errors.ts'

/** What was found most often in stolen lists, most frequent first and in lower case. */
const known = dictionary['passwords-common']
const knownPasswords = new Set(known)

/** What is thought of first by somebody who guesses at this shop. */
const ownWords = [
  'haberdash',
  'shop',
  'shopping',
  'fashion',
  'customer',
  'demo',
  'admin',
  'administrator',
  'changeme',
]
/** People decorate what they know: the more usual ones are guessed with digits and signs around them too. */
const commonWords = new Set([...ownWords, ...known.slice(0, 20_000)])

/** Along the rows, down the columns, and the order of the alphabet and of the digits. */
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

/** Signs that stand for letters, as in `P@ssw0rd`. */
const lookalikes: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}

/**
 * Whether a password is among the first that are tried: one of the 49,000 most common, a common word with little
 * around it (`Password123!`), a walk along the keyboard, a row of digits, one bit said again and again, or a date.
 */
export function isCommonPassword(password: string): boolean {
  const plain = password.normalize('NFKC').toLowerCase().trim()
  if (knownPasswords.has(plain)) return true
  // Nobody tries what is longer, or has signs that few keyboards have.
  return (
    /^[\x21-\x7e]{1,20}$/.test(plain) &&
    (isRepetition(plain) || isWalk(plain) || isDate(plain) || isDecoratedWord(plain))
  )
}

/** @throws ShopError 400 */
export function requireUncommon(password: string, path: string): void {
  if (!isCommonPassword(password)) return
  throw invalidInput([{ path, message: 'is too common: please choose another' }])
}

/** `iloveyou2`, `1password!`, `P@$$w0rd1`, `lovelove`: a word, once or twice, with up to six other signs at an end. */
function isDecoratedWord(text: string): boolean {
  const head = text.replace(/[^a-z]{0,6}$/, '')
  const core = head.replace(/^[^a-z]{0,6}/, '')
  return [core, inLetters(core), inLetters(head)].some((word) => {
    const half = word.slice(0, word.length / 2)
    return commonWords.has(word) || (half.repeat(2) === word && commonWords.has(half))
  })
}

function inLetters(text: string): string {
  return text.replace(/[@43!10$57]/g, (sign) => lookalikes[sign] ?? sign)
}

/** `aaaaaaaa`, `12341234`, `abcabcabc`: up to four signs again and again. */
function isRepetition(text: string): boolean {
  const signs = [...text]
  return [1, 2, 3, 4].some((period) => signs.every((sign, index) => sign === signs[index % period]))
}

/** In either direction, once or twice. */
function isWalk(text: string): boolean {
  const half = text.slice(0, text.length / 2)
  const once = half.repeat(2) === text ? half : text
  const backwards = [...once].reverse().join('')
  return walks.some((walk) => walk.includes(once) || walk.includes(backwards))
}

/** Eight digits that are a day of the last or this century: a birthday, most likely. */
function isDate(text: string): boolean {
  const day = '(0[1-9]|[12]\\d|3[01])'
  const month = '(0[1-9]|1[0-2])'
  const year = '(19|20)\\d\\d'
  return new RegExp(`^(${day}${month}${year}|${month}${day}${year}|${year}${month}${day})$`).test(text)
}
