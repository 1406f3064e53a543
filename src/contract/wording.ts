import { z } from 'zod'
import { isRequired } from './shapes.ts'

const kinds: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}
const units: Partial<Record<string, string>> = { string: ' characters', array: ' entries' }

/** In the shop's own words, where a shape says nothing itself of what is wrong. */
z.config({
  customError(issue) {
    if (issue.input === undefined || issue.input === null) return isRequired
    switch (issue.code) {
      case 'invalid_type':
        return `must be ${kinds[issue.expected] ?? issue.expected}`
      case 'invalid_value':
        return `must be one of: ${issue.values.join(', ')}`
      case 'too_small':
        return `must ${verbOf(issue.origin)} at least ${issue.minimum}${units[issue.origin] ?? ''}`
      case 'too_big':
        return `must ${verbOf(issue.origin)} at most ${issue.maximum}${units[issue.origin] ?? ''}`
      default:
        return 'is not valid'
    }
  },
})

const verbOf = (origin: string) => (origin in units ? 'have' : 'be')
