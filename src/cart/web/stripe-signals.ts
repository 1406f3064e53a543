import { useEffect } from 'react'
import { useGetShopConfigQuery } from '#shop/orders/web/api.ts'

const scriptUrl = 'https://js.stripe.com/v3/'

/** Stripe detects fraud by what its script sees before the payment. The practice provider has no such script. */
export function useStripeSignals(isOpen: boolean): void {
  const { data: config } = useGetShopConfigQuery(undefined, { skip: !isOpen })
  const isWanted = isOpen && config?.paymentProvider === 'stripe' && Boolean(config.publishableKey)
  useEffect(() => {
    if (!isWanted || document.querySelector(`script[src="${scriptUrl}"]`)) return
    const script = document.createElement('script')
    script.src = scriptUrl
    script.async = true
    document.head.append(script)
  }, [isWanted])
}
