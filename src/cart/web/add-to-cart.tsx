import { useState } from 'react'
import { useStore } from 'react-redux'
import type { Product } from '#shop/catalogue/contract.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button, type ButtonVariant } from '#shop/web/ui/button.tsx'
import { part } from '#shop/web/ui/part.tsx'
import { add, hasProduct, selectCartLines, type Cart } from './cart.ts'

const AlreadyAdded = part(async () => (await import('./already-added.tsx')).AlreadyAdded)

type AddToCartProps = { product: Product; variant?: ButtonVariant }

export function AddToCart({ product, variant }: AddToCartProps) {
  /** The last product that was refused as already in the cart; null once that notice is closed. */
  const [refused, setRefused] = useState<string | null>()
  const store = useStore<{ cart: Cart }>()
  const showAlert = useAlert()

  const addOrRefuse = () => {
    if (hasProduct(selectCartLines(store.getState()), product._id)) return setRefused(product._id)
    store.dispatch(add(product))
    showAlert('Product added successfully!')
  }
  return (
    <>
      <Button
        variant={variant}
        className="noscript:hidden"
        // The second click of a double click adds nothing, and is no mistake.
        onClick={(event) => event.detail < 2 && addOrRefuse()}
      >
        Add to Cart
      </Button>
      {refused !== undefined && (
        <AlreadyAdded
          isOpen={refused === product._id}
          onClose={() => setRefused(null)}
          onMissing={() => setRefused(undefined)}
        />
      )}
    </>
  )
}
