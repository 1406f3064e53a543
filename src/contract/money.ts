/** Kept as whole cents, so that sums are exact; dollars exist only in JSON and on the screen. */
export function centsFromDollars(dollars: number): number {
  return Math.round(dollars * 100)
}

export function dollarsFromCents(cents: number): number {
  return cents / 100
}

/**
 * `$1,234.56`. The browser's own formatter takes as long to begin as React to take over a page (a tenth of a second
 * on a slow phone), and every first page shows a price.
 */
export function formatDollars(dollars: number): string {
  const cents = centsFromDollars(dollars)
  const [whole = '', rest = ''] = dollarsFromCents(Math.abs(cents)).toFixed(2).split('.')
  return `${cents < 0 ? '-' : ''}$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${rest}`
}

type Priced = { price: number; oldPrice?: number | null }

/** Whether it was dearer before, which its price and whatever speaks of it show. */
export function isReduced<P extends Priced>(priced: P): priced is P & { oldPrice: number } {
  return (priced.oldPrice ?? 0) > priced.price
}

/** What a cart, a checkout and an order cost: whole cents in, whole cents out. */
export function totalCents(lines: readonly { priceCents: number; quantity: number }[]): number {
  return lines.reduce((sum, line) => sum + line.priceCents * line.quantity, 0)
}
