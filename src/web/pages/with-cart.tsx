import type { ComponentType } from 'react'
import { AddToCart } from '#shop/cart/web/add-to-cart.tsx'
import type { CardAction } from '#shop/catalogue/web/product-grid.tsx'

const addToCart: CardAction = (product) => <AddToCart product={product} variant="outline" />

/** Puts the cart's button into the cards of a catalogue page, which does not know the cart. */
export function withCart(Page: ComponentType<{ cardAction: CardAction }>): ComponentType {
  return function PageWithCart() {
    return <Page cardAction={addToCart} />
  }
}
