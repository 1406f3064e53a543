import { z } from 'zod'
import { deceivingCharacters, invisibleText, stackedMarks } from './displayable-text.ts'

/**
 * Opaque; the payment provider's have up to 255 characters, see https://docs.stripe.com/upgrades. In a URL,
 * anything that is not one of our ids is simply unknown: 404, never 400.
 */
export const Id = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be an id')

/** Requests with the same key are carried out once, however often they are sent. */
export const IdempotencyKeyHeader = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'Calls with the same key are carried out once' }),
})

/** Changes only what is still as the client saw it; otherwise 412 `stale`, with the current state in `data`. */
export const IfMatchHeader = z.object({
  'if-match': z.string().max(255).optional().meta({
    description: 'The `updatedAt` that was seen, in quotes: what has been changed since is answered with 412',
  }),
})

/** ISO 8601 in UTC. */
export const Timestamp = z.iso.datetime()

/** The message about a required value that is missing or empty. */
export const requiredMessage = 'is required'
const withRequiredMessage = (message: string) => ({
  error: ({ input }: { input?: unknown }) =>
    input === undefined || input === null || input === '' ? requiredMessage : message,
})

/** Dollars with at most two decimals, as the number is written: 0.1 + 0.2 is refused, not rounded. */
export const Dollars = z
  .number(withRequiredMessage('must be a number'))
  .refine((value) => /^\d+(\.\d{1,2})?$/.test(String(value)), {
    message: 'must be an amount of dollars with at most two decimals',
  })

/**
 * Text as people type it: normalized (NFC), without control characters, which PostgreSQL or a terminal could not
 * handle, and without half surrogate pairs, which would silently become another character.
 */
export function text(options: { max: number; min?: 0 | 1; lines?: boolean }) {
  const control = options.lines ? /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/ : /[\u0000-\u001f\u007f-\u009f]/
  return z
    .string(withRequiredMessage('must be text'))
    .max(options.max * 4, `must have at most ${options.max} characters`)
    .refine((value) => value.isWellFormed() && !control.test(value), {
      message: 'must not contain control characters',
    })
    .refine((value) => !deceivingCharacters.test(value) && !stackedMarks.test(value), {
      message: 'must not contain characters that hide what is written',
    })
    .transform((value) => value.normalize('NFC').trim())
    .refine((value) => [...value].length <= options.max, {
      message: `must have at most ${options.max} characters`,
    })
    .refine((value) => !options.min || !invisibleText.test(value), { message: requiredMessage })
    .meta({ minLength: options.min ?? 0, maxLength: options.max })
}

/** One spelling per mailbox, so that the unique column can tell whether it is taken. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').trim().toLowerCase()
}

export const Email = z
  .string({ error: ({ input }) => (input === undefined ? requiredMessage : 'must be text') })
  .max(1000, 'must be an email address')
  .refine((value) => !deceivingCharacters.test(value), 'must be an email address')
  .transform(normalizeEmail)
  .refine((value) => value !== '', { message: requiredMessage, abort: true })
  .pipe(
    z
      .email('must be an email address')
      .max(254, 'must have at most 254 characters')
      // The mailbox's own limit: https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.1
      .refine((value) => value.indexOf('@') <= 64, 'must be an email address'),
  )
  .meta({ maxLength: 254 })

/** The page shows the picture to others: its URL must not be a script, use another protocol or hold a password. */
function isPictureAddress(value: string): boolean {
  if (new TextEncoder().encode(value).length > 2048 || !value.isWellFormed()) return false
  if (/^\/uploads\/\w[\w.-]*(\/\w[\w.-]*)*$/.test(value)) return true
  if (
    !/^https:\/\/[^/?#\s\\\u0000-\u001f\u007f-\u009f][^\s\\\u0000-\u001f\u007f-\u009f]*$/i.test(value) ||
    !URL.canParse(value)
  )
    return false
  const { username, password } = new URL(value)
  return username === '' && password === ''
}

/** A picture of ours, or anywhere on the web over https; never fetched by the server. */
export const PictureAddress = z
  .string(withRequiredMessage('must be text'))
  .refine(
    (value) => !deceivingCharacters.test(value),
    'must not contain characters that hide what is written',
  )
  .transform((value) => value.trim())
  .refine((value) => value !== '', { message: requiredMessage, abort: true })
  .refine(isPictureAddress, { message: 'must be an https address or an uploaded picture' })

export function dataReply<T extends z.ZodType>(data: T) {
  return z.object({ data, message: z.string().optional() })
}

/** A page of a list; `X-Total-Count` is the length of the whole list. */
export function pageReply<T extends z.ZodType>(item: T) {
  const total = { type: 'integer', description: 'How many there are on all pages' }
  return dataReply(z.array(item)).meta({ headers: { 'X-Total-Count': total } })
}
