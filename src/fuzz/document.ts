import { z } from 'zod'
import type { RouteAccess } from '#shop/platform/route.ts'
import type { TestApp } from '#shop/testing/test-app.ts'

/** The part of JSON Schema that describes a value to make. */
export type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  minItems?: number
  pattern?: string
}
type Content = Record<string, { schema: Schema }>
type Operation = {
  parameters?: { in: 'path' | 'query' | 'header'; name: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { content: Content }>
}

/** One call as the document describes it, and who may make it. */
export type Call = {
  method: string
  path: string
  access: RouteAccess['access']
  parameters: NonNullable<Operation['parameters']>
  body: Schema | undefined
  /** Says what is wrong with a response; undefined when it is as documented. */
  faultOf(status: number, type: string, text: string): string | undefined
}

/** Reads the calls that the shop documents at `/api/openapi.json`. */
export async function readDocument(shop: TestApp): Promise<Call[]> {
  const response = await fetch(`${shop.url}/api/openapi.json`)
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      access: accessOf(shop, method, path),
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content['application/json']?.schema,
      faultOf: checkOf(operation),
    })),
  )
}

function accessOf(shop: TestApp, method: string, path: string): RouteAccess['access'] {
  const url = path.replace(/\{(\w+)\}/g, ':$1')
  const found = shop.app.accessMap.find((each) => each.method === method.toUpperCase() && each.url === url)
  if (!found) throw new Error(`${method} ${path} has no access`)
  return found.access
}

function checkOf({ responses }: Operation): Call['faultOf'] {
  const checks = new Map<string, z.ZodType>()
  return (status, type, text) => {
    const name = responses[status] ? `${status}` : `${Math.floor(status / 100)}XX`
    const content = responses[name]?.content
    if (!content) return `status ${status} is not documented`
    const plainType = type.split(';')[0] ?? ''
    const described = content[plainType]
    if (!described) return `type ${type} is not documented for ${status}`
    const check = checks.get(name) ?? z.fromJSONSchema(described.schema as z.core.JSONSchema.JSONSchema)
    checks.set(name, check)
    const { error } = check.safeParse(plainType === 'text/plain' ? text : JSON.parse(text))
    return error && `${status} is not as documented: ${error.message.slice(0, 300)}`
  }
}
