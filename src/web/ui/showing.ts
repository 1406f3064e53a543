export type Shown = { page: number; limit: number; count: number; total: number; of: string }

/** 'Showing 13 to 24 of 80 products' */
export function showing({ page, limit, count, total, of }: Shown): string {
  const before = (page - 1) * limit
  return `Showing ${count === 0 ? 0 : before + 1} to ${count === 0 ? 0 : before + count} of ${total} ${of}`
}
