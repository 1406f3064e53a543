import type { ComponentType } from 'react'
import { AddToCart } from '#shop/cart/web/add-to-cart.tsx'
import type { CardAction } from '#shop/catalogue/web/product-grid.tsx'

const addToCart: CardAction = (product) => <AddToCart product={product} variant="outline" />

/** A page of the catalogue, which does not know the cart, with the cart's button in its cards. */
export function withCart(Page: ComponentType<{ cardAction: CardAction }>): ComponentType {
  return function PageWithCart() {
    return <Page cardAction={addToCart} />
  }
}
