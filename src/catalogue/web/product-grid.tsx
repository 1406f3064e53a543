import type { ReactNode } from 'react'
import type { Product } from '#shop/catalogue/contract.ts'
import { ProductCard, ProductCardSkeleton } from './product-card.tsx'

/** The slot of a card: this room comes before the cart, so its pages are handed the button. */
export type CardAction = (product: Product) => ReactNode

type ProductGridProps = {
  products: readonly Product[]
  cardAction: CardAction
  heading?: 'h2' | 'h3'
  /** How many pictures are visible at first, and so are loaded at once. */
  firstRow?: number
  /** The `sizes` of the pictures where the grid is narrower than the frame. */
  sizes?: string
  /** One more tile at the end. */
  children?: ReactNode
}

export function ProductGrid({
  products,
  cardAction,
  heading = 'h3',
  firstRow = 4,
  sizes = '',
  children,
}: ProductGridProps) {
  return (
    <ul className={grid}>
      {products.map((product, index) => (
        // Keyed by position: on the next page React keeps the elements of a card and only changes their content.
        <li key={index} className={index < firstSeen ? 'min-w-0' : 'min-w-0 below-[25rem]'}>
          <ProductCard product={product} heading={heading} isFirst={index < firstRow} sizes={sizes}>
            {cardAction(product)}
          </ProductCard>
        </li>
      ))}
      {children && <li className="min-w-0">{children}</li>}
    </ul>
  )
}

export function ProductGridSkeleton({ count }: { count: number }) {
  return (
    <div className={grid}>
      {Array.from({ length: count }, (_, index) => (
        <ProductCardSkeleton key={index} />
      ))}
    </div>
  )
}

/** The first row on a wide screen and two on a phone. */
const firstSeen = 4

// Two or four columns: pages of eight and of twelve fill every row.
const grid = 'grid gap-x-3 min-[17rem]:grid-cols-2 gap-y-9 md:grid-cols-4 md:gap-x-4 md:gap-y-12 lg:gap-x-6'
