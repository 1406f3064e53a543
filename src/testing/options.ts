import { parseArgs } from 'node:util'
import { z } from 'zod'

/** Numbers as they are typed after `--name`. */
export const Amount = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)
export const Decimal = z
  .string()
  .regex(/^\d{1,4}(\.\d+)?$/, 'must be a number')
  .transform(Number)

/**
 * Reads a program's options, `--name value`. A mistyped name or value ends the program with one line that says so,
 * before it does anything: a test that runs no rounds would find nothing, and look like a success.
 */
export function readOptions<S extends z.ZodObject>(schema: S): z.infer<S> {
  const names = Object.keys(schema.shape)
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    const read = schema.safeParse(parseArgs({ options }).values)
    if (read.success) return read.data
    const [issue] = read.error.issues
    throw new Error(`--${issue?.path.join('.')} ${issue?.message}`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return process.exit(1)
  }
}
