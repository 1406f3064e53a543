import { orderStatuses, type OrderStatus } from '#shop/orders/steps.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { DataTable, DataTableSkeleton } from '#shop/web/ui/data-table.tsx'
import { staysInPlace } from '#shop/web/ui/scroll-restoration.ts'
import { useListAddress, type ListAddress } from '#shop/web/ui/list-address.ts'
import { ListCount, ListPage, ListPager } from '#shop/web/ui/list-page.tsx'
import { ListSearch } from '#shop/web/ui/list-search.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { useListOrdersQuery } from './manage-api.ts'
import { orderColumns } from './order-columns.tsx'
import { PaymentBreaks } from './payment-breaks.tsx'
import { StatusFilter } from './status-filter.tsx'

const pageSize = 20

export function ManageOrdersPage() {
  const address = useListAddress()
  const status = statusOf(address)
  const query = useListOrdersQuery(
    { status, search: address.get('search'), page: address.page, limit: pageSize },
    { refetchOnMountOrArgChange: true },
  )
  const { orders, total = 0 } = query.currentData ?? {}
  return (
    <div className="@container">
      <PageTitle title="Manage orders" />
      <h1 className="text-title">Manage orders</h1>
      <PaymentBreaks />
      <div className="mt-8 mb-3 flex flex-wrap items-end justify-between gap-x-8 gap-y-5">
        <ListSearch label="Search by order ID or email" address={address} />
        <StatusFilter chosen={status} address={address} />
      </div>
      <ListCount
        query={query}
        shown={orders && { page: address.page, limit: pageSize, count: orders.length, total, of: 'orders' }}
        waiting="Looking through the order book…"
      />
      <QueryState
        query={query}
        loading={<DataTableSkeleton rows={8} cardHeight="h-64" />}
        failed="Failed to fetch orders!"
        isEmpty={(list) => list.total === 0}
        empty={<NoOrders status={status} address={address} />}
        below={({ total }) => <ListPager address={address} totalPages={Math.ceil(total / pageSize)} />}
      >
        {(list) => (
          <ListPage address={address} totalPages={Math.ceil(list.total / pageSize)}>
            <DataTable caption="Orders" columns={orderColumns} rows={list.orders} keyOf={({ _id }) => _id} />
          </ListPage>
        )}
      </QueryState>
    </div>
  )
}

function statusOf(address: ListAddress): OrderStatus | '' {
  const wanted = address.get('status')
  return orderStatuses.find((status) => status === wanted) ?? ''
}

function NoOrders({ status, address }: { status: OrderStatus | ''; address: ListAddress }) {
  const isSearched = address.get('search') !== ''
  if (!isSearched && !status)
    return <Notice text="No orders yet." detail="The first one appears here once it is paid." />
  const details = [
    status && `Only ${status} orders are searched.`,
    isSearched && 'Type the beginning of the order ID or of the customer’s email.',
  ]
  return (
    <Notice text="No orders found" detail={details.filter(Boolean).join(' ')}>
      <ButtonLink variant="outline" to={address.hrefWith({ search: '', status: '' })} state={staysInPlace}>
        Show all orders
      </ButtonLink>
    </Notice>
  )
}
