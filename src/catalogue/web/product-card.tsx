import type { ReactNode } from 'react'
import type { Product } from '#shop/catalogue/contract.ts'
import { isReduced } from '#shop/contract/money.ts'
import { paths } from '#shop/web/paths.ts'
import { Link } from '#shop/web/ui/link.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import { Price } from '#shop/web/ui/price.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { Stars } from '#shop/web/ui/stars.tsx'

type ProductCardProps = {
  product: Product
  /** An `h2` if only an `h1` is above it. */
  heading: 'h2' | 'h3'
  isFirst: boolean
  /** Precede the sizes for a grid as wide as the frame, where this one is narrower; they end with a comma. */
  sizes: string
  /** The action of the card: the button that puts the product into the cart. */
  children: ReactNode
}

export function ProductCard({ product, heading: Heading, isFirst, sizes, children }: ProductCardProps) {
  return (
    <article className="group relative flex h-full flex-col">
      <div className="relative">
        <Picture
          src={product.image}
          alt=""
          ratio="portrait"
          sizes={`${sizes}(min-width: 48rem) min(357px, 22.4vw), 46vw`}
          isFirst={isFirst}
          className="w-full"
        />
        {isReduced(product) && <Reduced />}
      </div>
      <div className="flex grow flex-col gap-1 pt-3">
        <Heading className="font-body text-small font-medium leading-snug tracking-normal wrap-anywhere md:text-body">
          <Link
            to={paths.product(product._id)}
            className="line-clamp-3 decoration-1 underline-offset-4 after:absolute after:inset-0 group-hover:underline"
          >
            {product.name}
          </Link>
        </Heading>
        <p className="text-fine text-muted first-letter:uppercase">{`${product.color}, ${product.category}`}</p>
        {/* At the foot of the card, so that a longer name in the next card moves neither out of line. */}
        <div className="mt-auto flex flex-col gap-1">
          {product.rating > 0 && <Stars rating={product.rating} className="my-1 h-3.5 self-start" />}
          <Price price={product.price} oldPrice={product.oldPrice} className="text-small md:text-body" />
        </div>
      </div>
      <div className="relative z-10 mt-3 flex flex-col">{children}</div>
    </article>
  )
}

/** A woven label, sewn on at both ends. */
function Reduced() {
  return (
    <span className="absolute left-0 top-3 max-w-full truncate border-y border-r border-on-cloth/25 bg-cloth px-3 py-1 text-fine font-medium text-on-cloth">
      Reduced
    </span>
  )
}

/** As high as a card, so that nothing moves when the products arrive. */
export function ProductCardSkeleton() {
  return (
    <div className="flex flex-col">
      <Skeleton className="aspect-4/5 w-full" />
      <Skeleton className="mt-3 h-5 w-4/5 md:h-6" />
      <Skeleton className="mt-2 h-4 w-1/2" />
      <Skeleton className="mt-2 h-3.5 w-20" />
      <Skeleton className="mt-2 h-5 w-1/3" />
      <Skeleton className="mt-3.75 h-11 w-full" />
    </div>
  )
}
