import { useParams } from 'react-router'
import { toDisplayableText } from '#shop/contract/displayable-text.ts'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { useListProductsQuery } from './api.ts'
import { categoryStyles } from './category-styles.ts'
import { categoryQuery } from './filters.ts'
import { ProductGrid, ProductGridSkeleton, type CardAction } from './product-grid.tsx'

export function CategoryPage({ cardAction }: { cardAction: CardAction }) {
  const { categoryName = '' } = useParams()
  const shown = toDisplayableText(categoryName) || 'Category'
  const category = categoryName.toLowerCase()
  const query = useListProductsQuery(categoryQuery(categoryName))
  const style = categoryStyles.find(({ name }) => name === category)

  return (
    <>
      <PageTitle title={capitalised(shown)} />
      <header className={`${style?.weave ?? 'weave-chalk'} text-on-cloth`}>
        <div className="frame grid gap-x-8 md:grid-cols-[1fr_minmax(18rem,26rem)]">
          <div className="flex min-w-0 flex-col justify-center gap-3 py-12 md:py-20">
            <h1 className="text-display wrap-anywhere first-letter:uppercase">{shown}</h1>
            {style && <p className="max-w-prose text-lead">{style.line}</p>}
          </div>
          {style && (
            <Picture
              src={style.picture}
              alt=""
              ratio="landscape"
              // Not shown on phones: with `1px` they load no more than the smallest file in vain.
              sizes="(min-width: 100rem) 26rem, (min-width: 48rem) 29rem, 1px"
              isFirst
              firstOn="(min-width: 48rem)"
              ground=""
              emblem={<span />}
              className="hidden h-full w-[calc(100%+var(--spacing-gutter))] md:block min-[100rem]:w-full"
            />
          )}
        </div>
      </header>
      <div className="frame py-10 md:py-16">
        <QueryState
          query={query}
          loading={<ProductGridSkeleton count={8} />}
          failed="Error loading products!"
          isEmpty={(list) => list.products.length === 0}
          empty={
            <Notice text="No products found in this category.">
              <ButtonLink to={paths.shop}>Go to the shop</ButtonLink>
            </Notice>
          }
        >
          {(list) => (
            <>
              <ProductGrid products={list.products} cardAction={cardAction} heading="h2" />
              {list.totalProducts > list.products.length && (
                <p className="mt-12 text-center">
                  <ButtonLink variant="outline" to={`${paths.shop}?category=${encodeURIComponent(category)}`}>
                    {`See all ${list.totalProducts} in the shop`}
                  </ButtonLink>
                </p>
              )}
            </>
          )}
        </QueryState>
      </div>
    </>
  )
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
