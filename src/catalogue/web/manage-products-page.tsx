import { paths } from '#shop/web/paths.ts'
import { useListAddress, type ListAddress } from '#shop/web/ui/list-address.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { DataTable, DataTableSkeleton } from '#shop/web/ui/data-table.tsx'
import { staysInPlace } from '#shop/web/ui/scroll-restoration.ts'
import { ListCount, ListPage, ListPager } from '#shop/web/ui/list-page.tsx'
import { ListSearch } from '#shop/web/ui/list-search.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { useListProductsQuery } from './api.ts'
import { productColumns } from './product-columns.tsx'
import { SortSelect } from './sort-select.tsx'
import { sortOf } from './sorting.ts'

const pageSize = 12

export function ManageProductsPage() {
  const address = useListAddress()
  const query = useListProductsQuery(
    { search: address.get('search'), sort: sortOf(address), page: address.page, limit: pageSize },
    { refetchOnMountOrArgChange: true },
  )
  const list = query.currentData
  return (
    <div className="@container">
      <PageTitle title="Manage products" />
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <h1 className="text-title">Manage products</h1>
        <ButtonLink to={paths.dashboard.addProduct}>New product</ButtonLink>
      </div>
      <div className="mt-8 mb-3 flex flex-wrap items-end justify-between gap-4">
        <ListSearch label="Search products" address={address} />
        <SortSelect address={address} />
      </div>
      <ListCount
        query={query}
        shown={
          list && {
            page: address.page,
            limit: pageSize,
            count: list.products.length,
            total: list.totalProducts,
            of: 'products',
          }
        }
        waiting="Looking through the rails…"
      />
      <QueryState
        query={query}
        loading={<DataTableSkeleton rows={pageSize} cardHeight="h-72" />}
        failed="Error loading products!"
        isEmpty={(list) => list.totalProducts === 0}
        empty={<NoProducts address={address} />}
        below={({ totalPages }) => <ListPager address={address} totalPages={totalPages} />}
      >
        {(list) => (
          <ListPage address={address} totalPages={list.totalPages}>
            <DataTable
              caption="Products"
              columns={productColumns(address)}
              rows={list.products}
              keyOf={({ _id }) => _id}
            />
          </ListPage>
        )}
      </QueryState>
    </div>
  )
}

function NoProducts({ address }: { address: ListAddress }) {
  if (!address.get('search')) {
    return (
      <Notice text="No products found!" detail="The rails are empty.">
        <ButtonLink to={paths.dashboard.addProduct}>Add the first product</ButtonLink>
      </Notice>
    )
  }
  return (
    <Notice
      text="No products found!"
      detail={`No product’s name, description, category or color contains “${address.get('search')}”.`}
    >
      <ButtonLink variant="outline" to={address.hrefWith({ search: '' })} state={staysInPlace}>
        Show all products
      </ButtonLink>
    </Notice>
  )
}
