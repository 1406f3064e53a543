import { z } from 'zod'
import { StartError } from './start-error.ts'

/** Where pictures are kept instead of the disk. */
export type S3Settings = {
  /** Without a slash at its end. */
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  /** `https://endpoint/bucket/name`; otherwise `https://bucket.endpoint/name`, as some providers ask for. */
  isPathStyle: boolean
}

function isPlainAddress(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && !/[?#@]/.test(value)
}

const address = 'must be an address such as https://s3.eu-central-1.amazonaws.com'

/** Some providers have a path in their address. */
export const s3Variables = {
  S3_ENDPOINT: z.string().refine(isPlainAddress, address).optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be a region such as eu-central-1')
    .optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  S3_ACCESS_KEY_ID: z.string().regex(/^\S+$/, 'must not have spaces in it').optional(),
  S3_SECRET_ACCESS_KEY: z.string().regex(/^\S+$/, 'must not have spaces in it').optional(),
  S3_FORCE_PATH_STYLE: z.enum(['0', '1'], 'must be 0 or 1').optional(),
}

type S3Environment = { [name in keyof typeof s3Variables]?: string | undefined }

/**
 * @throws StartError naming the first variable that is missing, when some are set: pictures that silently go to
 * the disk would be gone with the machine
 */
export function s3From(env: S3Environment): S3Settings | undefined {
  // Only the variables of the list: the environment has others too.
  const names = Object.keys(s3Variables) as (keyof typeof s3Variables)[]
  const setName = names.find((name) => env[name] !== undefined)
  if (!setName) return undefined
  const required = (name: keyof typeof s3Variables): string => {
    const value = env[name]
    if (value === undefined) throw new StartError(`${name} must be set together with ${setName}`)
    return value
  }
  return {
    endpoint: required('S3_ENDPOINT').replace(/\/+$/, ''),
    bucket: required('S3_BUCKET'),
    accessKeyId: required('S3_ACCESS_KEY_ID'),
    secretAccessKey: required('S3_SECRET_ACCESS_KEY'),
    region: env.S3_REGION ?? 'us-east-1',
    isPathStyle: env.S3_FORCE_PATH_STYLE !== '0',
  }
}
