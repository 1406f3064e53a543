import { useCallback, useEffect, useRef } from 'react'
import { Navigate, useNavigate, useSearchParams } from 'react-router'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { staysInPlace } from '#shop/web/ui/scroll-restoration.ts'
import { navigateBelowOverlay } from '#shop/web/ui/overlay.ts'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Pager } from '#shop/web/ui/pager.tsx'
import { Notice, QueryState, staysShown } from '#shop/web/ui/query-state.tsx'
import { showing } from '#shop/web/ui/showing.ts'
import { useListProductsQuery, type ProductList } from './api.ts'
import {
  countChosen,
  filtersOf,
  pageSize,
  hrefOf,
  namesOf,
  queryOf,
  shopSorts,
  type FilterName,
  type Filters,
} from './filters.ts'
import { ProductGrid, ProductGridSkeleton, type CardAction } from './product-grid.tsx'
import { FilterColumn, PhoneFilters, wide } from './shop-filters.tsx'
import { sortLabels } from './sorting.ts'

function titleOf(filters: Filters): string {
  const names = namesOf(filters)
  return `Shop${names && `: ${names}`}${filters.page > 1 ? `, page ${filters.page}` : ''}`
}

export function ShopPage({ cardAction }: { cardAction: CardAction }) {
  const [params] = useSearchParams()
  const filters = filtersOf(params)
  const query = useListProductsQuery(queryOf(filters))
  const list = query.currentData
  const { choose, clear } = useChoosing(params)
  const isFiltered = countChosen(filters) > 0

  return (
    <div className="frame pb-room pt-8 md:pt-12">
      <PageTitle title={titleOf(filters)} />
      <h1 className="text-title">The shop</h1>
      <div className="mt-6 grid gap-x-16 xl:mt-10 xl:grid-cols-[14rem_1fr]">
        <FilterColumn filters={filters} choose={choose} clear={clear} />
        <section aria-label="Products" className="min-w-0">
          <div className="mb-6 flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-2">
            <div aria-live="polite" className="max-sm:w-full sm:grow">
              <h2 className="font-body text-small font-normal tracking-normal text-muted">
                {list && staysShown(query.error, list.totalProducts > 0)
                  ? showing({
                      page: filters.page,
                      limit: pageSize,
                      count: list.products.length,
                      total: list.totalProducts,
                      of: 'products',
                    })
                  : query.isFetching && 'Looking through the rails…'}
              </h2>
            </div>
            <SortChoice sort={filters.sort} onChoose={choose} />
            <PhoneFilters filters={filters} total={list?.totalProducts} choose={choose} clear={clear} />
          </div>
          <QueryState
            query={query}
            loading={
              <>
                <ProductGridSkeleton count={pageSize} />
                {/* As high as the pager. */}
                {!query.data && <div className="mt-12 h-35 sm:h-11 md:mt-16" />}
              </>
            }
            failed="Error loading products!"
            isEmpty={(list) => list.totalProducts === 0}
            empty={
              <Notice
                text="No products found!"
                detail={isFiltered && 'Nothing hangs on this rail. Try fewer filters.'}
              >
                {isFiltered && (
                  <ButtonLink variant="outline" to={paths.shop} state={staysInPlace}>
                    Show all products
                  </ButtonLink>
                )}
              </Notice>
            }
            below={({ totalPages }) => (
              <div className="mt-12 md:mt-16">
                <Pager
                  page={filters.page}
                  totalPages={totalPages}
                  hrefOf={(page) => hrefOf({ ...filters, page })}
                />
              </div>
            )}
          >
            {(list) => <Page list={list} filters={filters} cardAction={cardAction} />}
          </QueryState>
        </section>
      </div>
    </div>
  )
}

const sizes = `${wide} min(286px, 23.7vw - 93px), `

function Page({
  list,
  filters,
  cardAction,
}: {
  list: ProductList
  filters: Filters
  cardAction: CardAction
}) {
  if (filters.page > list.totalPages) {
    return <Navigate replace to={hrefOf({ ...filters, page: list.totalPages })} />
  }
  return <ProductGrid products={list.products} cardAction={cardAction} sizes={sizes} />
}

/** A new filter begins on page 1 and keeps the scroll position. */
function useChoosing(shown: URLSearchParams) {
  const navigate = useNavigate()
  const latest = useRef(shown)
  useEffect(() => {
    latest.current = shown
  })
  const change = useCallback(
    (changed: Partial<Filters>) => {
      // `location` already has the latest choices, but during a navigation it may be that of another page.
      const isHere = location.pathname === paths.shop
      const filters = filtersOf(isHere ? new URLSearchParams(location.search) : latest.current)
      const href = hrefOf({ ...filters, ...changed, page: 1 })
      navigateBelowOverlay((replace) => void navigate(href, { replace, state: staysInPlace }))
    },
    [navigate],
  )
  const choose = useCallback(
    (name: FilterName | 'sort', value: string) => change({ [name]: value }),
    [change],
  )
  const clear = () => change({ category: '', color: '', price: '' })
  return { choose, clear }
}

type SortChoiceProps = { sort: Filters['sort']; onChoose: (name: 'sort', value: string) => void }

/** In the URL, like the filters; without JavaScript, the newest come first. */
function SortChoice({ sort, onChoose }: SortChoiceProps) {
  const select = useRef<HTMLSelectElement>(null)
  useEffect(() => {
    // It can be used before hydration; from then on it always shows the current order.
    const chosen = select.current?.value ?? sort
    if (chosen !== sort) onChoose('sort', chosen)
  }, [sort, onChoose])
  return (
    <select
      ref={select}
      aria-label="Sort by"
      value={sort}
      onChange={({ currentTarget }) => onChoose('sort', currentTarget.value)}
      className="min-h-11 min-w-[min(8rem,100%)] rounded-cut border border-edge bg-ground pl-3 pr-10 font-semibold text-ellipsis hover:border-ink max-sm:flex-1 xl:text-small noscript:hidden"
    >
      <option value="">{sortLabels.newest}</option>
      {shopSorts.map((each) => (
        <option key={each} value={each}>
          {sortLabels[each]}
        </option>
      ))}
    </select>
  )
}
