const formats = new Map<string, Intl.NumberFormat>()

/** An amount in the currency's smallest unit as text: 123456 is `$1,234.56`. Some currencies have no cents. */
export function money(amountCents: number, currency: string): string {
  const format = formats.get(currency) ?? new Intl.NumberFormat('en-US', { style: 'currency', currency })
  formats.set(currency, format)
  const { maximumFractionDigits = 2 } = format.resolvedOptions()
  return format.format(amountCents / 10 ** maximumFractionDigits)
}
