import { AddToCart } from '#shop/cart/web/add-to-cart.tsx'
import { useListTrendingQuery } from '#shop/catalogue/web/api.ts'
import { ProductGrid, ProductGridSkeleton } from '#shop/catalogue/web/product-grid.tsx'
import { paths } from '#shop/web/paths.ts'
import { Button } from '#shop/web/ui/button.tsx'
import { ArrowIcon } from '#shop/web/ui/icons.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { useState } from 'react'
import { BlogTeaser } from './blog-teaser.tsx'
import { CategoryCards } from './category-cards.tsx'
import { Benefits, Deals } from './home-blocks.tsx'
import { Hero } from './hero.tsx'

export function HomePage() {
  return (
    <>
      <PageTitle title="Men’s clothing, cut to be kept" />
      <Hero />
      <CategoryCards />
      <Trending />
      <Deals />
      <Benefits />
      <BlogTeaser />
    </>
  )
}

const shownFirst = 8
const shownMore = 4

function Trending() {
  const query = useListTrendingQuery()
  const [shown, setShown] = useState(shownFirst)
  return (
    <section aria-labelledby="trending" className="frame py-room">
      <div className="mb-8 flex flex-wrap items-end justify-between gap-x-8 gap-y-2 md:mb-12">
        <h2 id="trending" className="text-section">
          Trending Products
        </h2>
        <p className="max-w-md text-muted">Seven pieces to begin with.</p>
      </div>
      <QueryState
        query={query}
        loading={<ProductGridSkeleton count={shownFirst} />}
        failed="Error loading products!"
        isEmpty={(list) => list.products.length === 0}
        empty={<Notice text="No products found!" />}
      >
        {({ products }) => (
          <>
            <ProductGrid
              products={products.slice(0, shown)}
              firstRow={0}
              cardAction={(product) => <AddToCart product={product} variant="outline" />}
            >
              <WholeShop />
            </ProductGrid>
            {products.length > shown && (
              <div className="mt-10 text-center">
                <Button variant="outline" onClick={() => setShown(shown + shownMore)}>
                  Load More
                </Button>
              </div>
            )}
          </>
        )}
      </QueryState>
    </section>
  )
}

/** Leads to the other products, in the place that seven products leave free in a grid of four or two columns. */
function WholeShop() {
  return (
    <Link
      to={paths.shop}
      className="weave-chalk group flex h-full min-h-56 flex-col justify-between p-4 text-on-cloth focus-visible:outline-offset-4 md:p-6"
    >
      <span className="font-display text-section font-medium leading-none text-balance">
        See the whole shop
      </span>
      <ArrowIcon className="size-7 transition-transform group-hover:translate-x-1" />
    </Link>
  )
}
