import { z } from 'zod'

const maxLimit = 100

/** Page and limit arrive as text in the query: digits only, so neither `1e3` nor an empty string counts. */
function wholeNumber(min: number, max: number, standard: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return (
    z
      .string()
      .regex(/^\d{1,9}$/, message)
      .transform(Number)
      .refine((value) => value >= min && value <= max, message)
      .default(standard)
      // The API document shows the number that is meant, not its text.
      .meta({
        type: 'integer',
        pattern: undefined,
        minimum: min,
        maximum: max,
        description: `${standard} by default`,
      })
  )
}

export const Page = wholeNumber(1, 999_999_999, 1)
export const Limit = (standard: number) => wholeNumber(1, maxLimit, standard)
