import { useState } from 'react'
import { useStore } from 'react-redux'
import type { Product } from '#shop/catalogue/contract.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button, type ButtonVariant } from '#shop/web/ui/button.tsx'
import { part } from '#shop/web/ui/part.tsx'
import { add, hasProduct, selectCartLines, type Cart } from './cart.ts'

const AlreadyAdded = part(async () => (await import('./already-added.tsx')).AlreadyAdded)

type AddToCartProps = { product: Product; variant?: ButtonVariant; className?: string }

export function AddToCart({ product, variant, className = '' }: AddToCartProps) {
  const [isRefused, setRefused] = useState<boolean>()
  const store = useStore<{ cart: Cart }>()
  const showAlert = useAlert()

  const addOrRefuse = () => {
    if (hasProduct(selectCartLines(store.getState()), product._id)) return setRefused(true)
    store.dispatch(add(product))
    showAlert('Product added successfully!')
  }
  return (
    <>
      <Button variant={variant} className={`noscript:hidden ${className}`} onClick={addOrRefuse}>
        Add to Cart
      </Button>
      {isRefused !== undefined && (
        <AlreadyAdded
          isOpen={isRefused}
          onClose={() => setRefused(false)}
          onMissing={() => setRefused(undefined)}
        />
      )}
    </>
  )
}
