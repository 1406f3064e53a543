/** Money is kept as whole cents, so that sums are exact; dollars exist only in JSON and on the screen. */
export function centsFromDollars(dollars: number): number {
  return Math.round(dollars * 100)
}

export function dollarsFromCents(cents: number): number {
  return cents / 100
}

/**
 * `$1,234.56`. Without `Intl`, which takes as long to start as React's hydration (a tenth of a second on a slow
 * phone), while every first page shows a price.
 */
export function formatDollars(dollars: number): string {
  const cents = centsFromDollars(dollars)
  const [whole = '', rest = ''] = dollarsFromCents(Math.abs(cents)).toFixed(2).split('.')
  return `${cents < 0 ? '-' : ''}$${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${rest}`
}

type Priced = { price: number; oldPrice?: number | null }

/** Whether it cost more before; its price and whatever mentions it say so. */
export function isReduced<P extends Priced>(priced: P): priced is P & { oldPrice: number } {
  return (priced.oldPrice ?? 0) > priced.price
}

/** What a cart, a checkout and an order cost: whole cents in, whole cents out. */
export function totalCents(lines: readonly { priceCents: number; quantity: number }[]): number {
  return lines.reduce((sum, line) => sum + line.priceCents * line.quantity, 0)
}
