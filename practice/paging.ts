import { invalidRequest } from './api-error.ts'
import type { Fields } from './fields.ts'

type Page = { limit: number; after: string | undefined; before: string | undefined }

type Range = { gt: number; gte: number; lt: number; lte: number }

export function readPage(fields: Fields): Page {
  const page = {
    limit: fields.integer('limit', { min: 1, max: 100 }) ?? 10,
    after: fields.text('starting_after'),
    before: fields.text('ending_before'),
  }
  if (page.after !== undefined && page.before !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: starting_after, ending_before.')
  }
  return page
}

/** `created=5` or `created[gte]=5&created[lt]=9`, in seconds. */
export function readCreated(fields: Fields): (createdAtMs: number) => boolean {
  const limits = { min: 0, max: 99_999_999_999 }
  if (fields.isText('created')) {
    const exactly = fields.integer('created', limits)
    return (createdAtMs) => Math.floor(createdAtMs / 1000) === exactly
  }
  const range = fields.fields('created')
  if (range === undefined) return () => true
  const { gt, gte, lt, lte }: Range = {
    gt: range.integer('gt', limits) ?? -1,
    gte: range.integer('gte', limits) ?? 0,
    lt: range.integer('lt', limits) ?? Infinity,
    lte: range.integer('lte', limits) ?? Infinity,
  }
  range.done()
  return (createdAtMs) => {
    const created = Math.floor(createdAtMs / 1000)
    return created > gt && created >= gte && created < lt && created <= lte
  }
}

/** `rows` are newest first. With `before`, returns the rows just before that one, still newest first. */
export function takePage<Row extends { id: string }>(
  rows: Row[],
  page: Page,
): { data: Row[]; hasMore: boolean } {
  if (page.before !== undefined) {
    const newer = rows.slice(0, positionOf(rows, page.before, 'ending_before'))
    return { data: newer.slice(-page.limit), hasMore: newer.length > page.limit }
  }
  const start = page.after === undefined ? 0 : positionOf(rows, page.after, 'starting_after') + 1
  return { data: rows.slice(start, start + page.limit), hasMore: rows.length > start + page.limit }
}

function positionOf(rows: { id: string }[], id: string, param: string): number {
  const position = rows.findIndex((row) => row.id === id)
  if (position >= 0) return position
  throw invalidRequest(`No such object: '${id.slice(0, 100)}'`, param, 'resource_missing')
}
