/** Kept as whole cents, so that sums are exact; dollars exist only in JSON and on the screen. */
export function centsFromDollars(dollars: number): number {
  return Math.round(dollars * 100)
}

export function dollarsFromCents(cents: number): number {
  return cents / 100
}

const format = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })

/** `$1,234.56` */
export function formatDollars(dollars: number): string {
  return format.format(dollars)
}

/** What a cart, a checkout and an order cost: whole cents in, whole cents out. */
export function totalCents(lines: readonly { priceCents: number; quantity: number }[]): number {
  return lines.reduce((sum, line) => sum + line.priceCents * line.quantity, 0)
}
