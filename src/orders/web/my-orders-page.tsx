import { useSelector } from 'react-redux'
import type { User } from '#shop/accounts/contract.ts'
import { selectUser } from '#shop/accounts/web/session.ts'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { DataTableSkeleton } from '#shop/web/ui/data-table.tsx'
import { useListAddress } from '#shop/web/ui/list-address.ts'
import { ListPage, ListPager } from '#shop/web/ui/list-page.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { QueryState } from '#shop/web/ui/query-state.tsx'
import { useListOwnOrdersQuery } from './own-orders-api.ts'
import { NoOrders, OwnOrdersTable } from './own-orders-table.tsx'

const pageSize = 10

export function MyOrdersPage() {
  const user = useSelector(selectUser)
  return user && <YourOrders user={user} />
}

function YourOrders({ user }: { user: User }) {
  const address = useListAddress()
  const query = useListOwnOrdersQuery(
    { email: user.email, page: address.page, limit: pageSize },
    { refetchOnMountOrArgChange: true },
  )
  return (
    <div className="@container">
      <PageTitle title="Your orders" />
      <div className="mb-8 flex flex-wrap items-center justify-between gap-4">
        <h1 className="text-title">Your Orders</h1>
        <ButtonLink variant="outline" to={paths.dashboard.orders} className="-my-1">
          See all
        </ButtonLink>
      </div>
      <QueryState
        query={query}
        failed="Something went wrong! Failed to Fetch Your Orders!"
        loading={<DataTableSkeleton rows={4} cardHeight="h-72" />}
        isEmpty={({ total }) => total === 0}
        empty={<NoOrders />}
        below={({ total }) => <ListPager address={address} totalPages={Math.ceil(total / pageSize)} />}
      >
        {({ orders, total }) => (
          <ListPage address={address} totalPages={Math.ceil(total / pageSize)}>
            <OwnOrdersTable orders={orders} before={(address.page - 1) * pageSize} />
          </ListPage>
        )}
      </QueryState>
    </div>
  )
}
