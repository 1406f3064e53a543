import { z } from 'zod'

/** An RFC 9457 problem document: the one shape of every error response. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string().optional(),
  code: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  data: z.unknown().optional(),
})
export type Problem = z.infer<typeof Problem>
