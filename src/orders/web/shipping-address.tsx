import type { ShippingAddress as Address } from '#shop/orders/contract.ts'

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** Laid out as on a parcel. */
export function ShippingAddress({ address }: { address: Address }) {
  const { name, line1, line2, city, state, postalCode, country } = address
  const town = [city, state, postalCode].filter(Boolean).join(' ')
  const lines = { name, line1, line2, town, country: country && nameOf(country) }
  return (
    <address className="not-italic">
      {Object.entries(lines).map(
        ([key, line]) =>
          line && (
            <span key={key} className="block wrap-anywhere">
              {line}
            </span>
          ),
      )}
    </address>
  )
}

function nameOf(code: string): string | undefined {
  return /^[A-Z]{2}$/.test(code) ? countryNames.of(code) : code
}
