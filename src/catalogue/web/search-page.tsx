import type { FormEvent } from 'react'
import { Navigate, useNavigate, useSearchParams } from 'react-router'
import { categories } from '#shop/catalogue/choices.ts'
import { toDisplayableText } from '#shop/contract/displayable-text.ts'
import { paths } from '#shop/web/paths.ts'
import { Button, ButtonLink } from '#shop/web/ui/button.tsx'
import { SearchField } from '#shop/web/ui/field.tsx'
import { navigateBelowOverlay } from '#shop/web/ui/overlay.ts'
import { pageOf } from '#shop/web/ui/page-number.ts'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Pager } from '#shop/web/ui/pager.tsx'
import { Notice, QueryState, staysShown } from '#shop/web/ui/query-state.tsx'
import { useListProductsQuery } from './api.ts'
import { ProductGrid, ProductGridSkeleton, type CardAction } from './product-grid.tsx'

const pageSize = 12

export function SearchPage({ cardAction }: { cardAction: CardAction }) {
  const [params] = useSearchParams()
  const navigate = useNavigate()
  const search = toDisplayableText(params.get('q') ?? '')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const words = new FormData(event.currentTarget).get('q')
    // A phone's keyboard would cover the results.
    if (matchMedia('(pointer: coarse)').matches) event.currentTarget.querySelector('input')?.blur()
    if (typeof words !== 'string') return
    const href = `?${new URLSearchParams({ q: words.trim() }).toString()}`
    navigateBelowOverlay((replace) => void navigate(href, { replace }))
  }
  return (
    <div className="frame pb-room pt-8 md:pt-12">
      <PageTitle title={search ? `Search: ${search}` : 'Search'} />
      <h1 className="text-title">Search</h1>
      <form
        action={paths.search}
        role="search"
        onSubmit={submit}
        className="mt-6 flex max-w-2xl flex-wrap items-end gap-3"
      >
        <div className="min-w-[min(12rem,100%)] grow">
          <SearchField
            label="What are you looking for?"
            name="q"
            search={search}
            data-starts-here={search === '' || undefined}
          />
        </div>
        <Button type="submit">Search</Button>
      </form>
      {search ? <Results search={search} page={pageOf(params)} cardAction={cardAction} /> : <Suggestions />}
    </div>
  )
}

function Results({ search, page, cardAction }: { search: string; page: number; cardAction: CardAction }) {
  const query = useListProductsQuery({ search, page, limit: pageSize })
  const hrefOf = (wanted: number) => `?${new URLSearchParams({ q: search, page: String(wanted) }).toString()}`
  const found = query.currentData?.totalProducts
  return (
    <section aria-label="Results" className="mt-8">
      <div aria-live="polite" className="mb-6 min-h-6">
        <h2 className="font-body text-small font-normal tracking-normal text-muted wrap-anywhere">
          {found !== undefined && staysShown(query.error, found > 0)
            ? `${found} ${found === 1 ? 'product' : 'products'} for “${search}”`
            : !query.isError && 'Searching…'}
        </h2>
      </div>
      <QueryState
        query={query}
        loading={<ProductGridSkeleton count={8} />}
        failed="Error loading products!"
        isEmpty={(list) => list.totalProducts === 0}
        empty={
          <>
            <Notice
              text="No products found!"
              detail="Try a shorter word, a color or a cloth, such as blue or linen."
            >
              <ButtonLink to={paths.shop}>Go to the shop</ButtonLink>
            </Notice>
            <Suggestions />
          </>
        }
        below={({ totalPages }) =>
          totalPages > 1 && (
            <div className="mt-12">
              <Pager page={page} totalPages={totalPages} hrefOf={hrefOf} />
            </div>
          )
        }
      >
        {({ products, totalPages }) =>
          page > totalPages ? (
            <Navigate replace to={hrefOf(totalPages)} />
          ) : (
            <ProductGrid products={products} cardAction={cardAction} />
          )
        }
      </QueryState>
    </section>
  )
}

/** Where to begin without a search, or after one that found nothing. */
function Suggestions() {
  const words = ['linen', 'navy', 'shirt', 'leather', 'wool', 'beard']
  return (
    <div className="mt-10 grid max-w-2xl gap-8 sm:grid-cols-2">
      <Words title="Popular searches" links={words.map((word) => ({ label: word, to: `?q=${word}` }))} />
      <Words
        title="By category"
        links={categories.map((category) => ({ label: category, to: paths.category(category) }))}
      />
    </div>
  )
}

function Words({ title, links }: { title: string; links: { label: string; to: string }[] }) {
  return (
    <section>
      <h2 className="mb-3 text-name">{title}</h2>
      <ul className="flex flex-wrap gap-2">
        {links.map(({ label, to }) => (
          <li key={label}>
            <ButtonLink variant="outline" to={to} className="px-4 font-medium">
              <span className="inline-block first-letter:uppercase">{label}</span>
            </ButtonLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
