import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { AddToCart } from '#shop/cart/web/add-to-cart.tsx'
import type { Product } from '#shop/catalogue/contract.ts'
import { ProductGallery } from '#shop/catalogue/web/product-gallery.tsx'
import { useGetProductQuery, type ProductWithReviews } from '#shop/reviews/web/api.ts'
import { AddComment } from '#shop/reviews/web/add-comment.tsx'
import { countReviews, ReviewList } from '#shop/reviews/web/review-list.tsx'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { Later } from '#shop/web/ui/later-parts.ts'
import { Link } from '#shop/web/ui/link.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Price } from '#shop/web/ui/price.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { Stars } from '#shop/web/ui/stars.tsx'

const failed = 'Error to load product details'
const backToShop = (
  <ButtonLink to={paths.shop} variant="outline">
    Back to the shop
  </ButtonLink>
)

export function ProductPage() {
  const { id = '' } = useParams()
  const query = useGetProductQuery(id)
  const title = query.currentData === null ? 'Product not found' : 'Product'
  return (
    <div className="frame pb-room">
      {!query.currentData && (
        <>
          <PageTitle title={title} />
          <h1 className="sr-only">{title}</h1>
        </>
      )}
      <QueryState query={query} loading={<ProductSkeleton />} failed={failed} wayOn={backToShop}>
        {(found) =>
          found ? (
            <Everything {...found} />
          ) : (
            <Notice
              role="alert"
              text={failed}
              detail="We could not find this product: it may no longer be sold, or the link may be incomplete."
            >
              {backToShop}
            </Notice>
          )
        }
      </QueryState>
    </div>
  )
}

function Everything({ product, reviews, distribution }: ProductWithReviews) {
  return (
    <>
      <PageTitle title={product.name} />
      <Breadcrumb name={product.name} />
      <div className={besideEachOther}>
        <ProductGallery key={product._id} name={product.name} image={product.image} views={product.views} />
        <Details product={product} reviewCount={countReviews(distribution)}>
          <AddToCart product={product} />
          <noscript>
            <p className="text-small text-muted">The cart and checkout need JavaScript.</p>
          </noscript>
        </Details>
      </div>
      <div className="below-[40rem] mt-room">
        <Later>
          <ReviewList reviews={reviews} rating={product.rating} distribution={distribution}>
            <AddComment productId={product._id} reviews={reviews} />
          </ReviewList>
        </Later>
      </div>
    </>
  )
}

/** The layout of the pictures and the text beside them. */
const besideEachOther = 'grid gap-x-14 gap-y-8 md:grid-cols-2 lg:grid-cols-[1.1fr_1fr] xl:gap-x-24'

function Breadcrumb({ name }: { name: string }) {
  const crumb = '-mx-1.5 inline-flex min-h-11 items-center px-1.5 underline-offset-4 hover:underline'
  return (
    <nav aria-label="Breadcrumb" className="py-2 text-small text-muted md:py-4">
      <ol className="flex items-center gap-2">
        <li>
          <Link to={paths.home} className={crumb}>
            home
          </Link>
        </li>
        <li className="flex items-center gap-2 before:content-['>']">
          <Link to={paths.shop} className={crumb}>
            shop
          </Link>
        </li>
        <li className="flex min-w-0 items-center gap-2 before:content-['>']">
          <span aria-current="page" className="truncate text-ink">
            {name}
          </span>
        </li>
      </ol>
    </nav>
  )
}

type DetailsProps = { product: Product; reviewCount: number; children: ReactNode }

function Details({ product, reviewCount, children }: DetailsProps) {
  return (
    <div className="flex min-w-0 flex-col gap-6 self-start md:sticky md:top-28">
      <div className="flex flex-col gap-3">
        <h1 className={`${product.name.length > 40 ? 'text-section' : 'text-title'} wrap-anywhere`}>
          {product.name}
        </h1>
        <Link
          to="#reviews"
          className="inline-flex min-h-11 items-center gap-2.5 self-start text-small text-muted"
        >
          <Stars rating={product.rating} className="h-4.5" />
          <span className="underline underline-offset-4">
            {reviewCount === 1 ? '1 review' : `${reviewCount} reviews`}
          </span>
        </Link>
        <Price price={product.price} oldPrice={product.oldPrice} className="text-[1.5rem]" />
      </div>
      <div className="flex flex-col print:hidden">{children}</div>
      <p dir="auto" className="max-w-prose whitespace-pre-line wrap-anywhere">
        {product.description}
      </p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-8 border-y border-line py-2 text-small">
        <Fact term="Category">
          <Link to={paths.category(product.category)} className="thread-link -my-3 inline-block py-3">
            <span className="inline-block first-letter:uppercase">{product.category}</span>
          </Link>
        </Fact>
        <Fact term="Color">
          <span className="inline-block first-letter:uppercase">{product.color}</span>
        </Fact>
        <Fact term="Delivery">Free, in about four working days</Fact>
        <Fact term="Returns">Thirty days, all of your money back</Fact>
      </dl>
    </div>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="py-2.5 text-muted md:pointer-fine:py-1.5">{term}</dt>
      <dd className="min-w-0 py-2.5 wrap-anywhere md:pointer-fine:py-1.5">{children}</dd>
    </>
  )
}

function ProductSkeleton() {
  return (
    <>
      <Skeleton className="my-4 h-7 w-64 max-w-full md:my-6" />
      <div className={besideEachOther}>
        <Skeleton className="aspect-4/5 w-full max-md:-mx-gutter max-md:aspect-auto max-md:h-[min(50svh,125vw)] max-md:w-auto" />
        <div className="flex flex-col gap-5">
          <Skeleton className="h-14 w-full" />
          <Skeleton className="h-6 w-40" />
          <Skeleton className="h-8 w-28" />
          <Skeleton className="h-11 w-full" />
          <Skeleton className="h-36 w-full" />
        </div>
      </div>
    </>
  )
}
