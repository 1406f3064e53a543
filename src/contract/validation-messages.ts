import { z } from 'zod'
import { requiredMessage } from './shapes.ts'

const kinds: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
const units: Partial<Record<string, [one: string, more: string]>> = {
  string: [' character', ' characters'],
  array: [' entry', ' entries'],
}

/** The shop's own messages, for shapes that have none themselves. */
z.config({
  customError(issue) {
    if (issue.input === undefined || issue.input === null) return requiredMessage
    switch (issue.code) {
      case 'invalid_type':
        return `must be ${kinds[issue.expected] ?? issue.expected}`
      case 'invalid_value':
        return `must be one of: ${issue.values.filter((value) => value !== '').join(', ')}`
      case 'too_small':
        return `must ${verbOf(issue.origin)} at least ${amountOf(issue.origin, issue.minimum)}`
      case 'too_big':
        return `must ${verbOf(issue.origin)} at most ${amountOf(issue.origin, issue.maximum)}`
      default:
        return 'is not valid'
    }
  },
})

const amountOf = (origin: string, amount: number | bigint) =>
  `${amount}${units[origin]?.[Number(amount) === 1 ? 0 : 1] ?? ''}`
const verbOf = (origin: string) => (origin in units ? 'have' : 'be')
