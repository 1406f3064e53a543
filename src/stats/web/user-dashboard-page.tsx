import { useSelector } from 'react-redux'
import type { User } from '#shop/accounts/contract.ts'
import { selectUser } from '#shop/accounts/web/session.ts'
import { formatDollars } from '#shop/contract/money.ts'
import { useListOwnOrdersQuery } from '#shop/orders/web/own-orders-api.ts'
import { NoOrders, OwnOrdersTable } from '#shop/orders/web/own-orders-table.tsx'
import type { UserStats } from '#shop/stats/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { DataTableSkeleton } from '#shop/web/ui/data-table.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { QueryState } from '#shop/web/ui/query-state.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { useGetUserStatsQuery } from './api.ts'
import { ChartFigure, ChartFigureSkeleton } from './chart-figure.tsx'
import { StatCard } from './stat-card.tsx'

export function UserDashboardPage() {
  const user = useSelector(selectUser)
  return user && <Overview user={user} />
}

function Overview({ user }: { user: User }) {
  const query = useGetUserStatsQuery(user._id, { refetchOnMountOrArgChange: true })
  return (
    <>
      <PageTitle title="Your dashboard" />
      <h1 className="text-title wrap-anywhere">{`Hi, ${user.username}!`}</h1>
      <p className="mt-3 max-w-prose text-lead text-muted">
        What you have bought and said here, at a glance.
      </p>
      <div className="mt-8">
        <QueryState query={query} failed="Failed to fetch data" loading={<OverviewSkeleton />}>
          {(stats) => <Figures stats={stats} />}
        </QueryState>
      </div>
      <LatestOrders email={user.email} />
    </>
  )
}

function LatestOrders({ email }: { email: string }) {
  const query = useListOwnOrdersQuery({ email, page: 1, limit: 3 }, { refetchOnMountOrArgChange: true })
  return (
    <section aria-labelledby="latest" className="@container mt-14">
      <div className="mb-6 flex flex-wrap items-center justify-between gap-4">
        <h2 id="latest" className="text-section">
          Latest orders
        </h2>
        <ButtonLink variant="outline" to={paths.dashboard.orders}>
          See all
        </ButtonLink>
      </div>
      <QueryState
        query={query}
        failed="Something went wrong! Failed to Fetch Your Orders!"
        loading={<DataTableSkeleton rows={3} cardHeight="h-72" />}
        isEmpty={({ total }) => total === 0}
        empty={<NoOrders />}
      >
        {({ orders }) => <OwnOrdersTable orders={orders} />}
      </QueryState>
    </section>
  )
}

/** Counts are small beside sums of dollars: drawn ten times as high, they are visible. */
const timesTen = (count: number) => count * 10

function Figures({ stats }: { stats: UserStats }) {
  const { totalPayments, totalReviews, totalPurchadedProducts } = stats
  return (
    <>
      <dl className="mb-6 grid gap-4 sm:flex sm:flex-wrap sm:*:min-w-max sm:*:flex-1">
        <StatCard name="Total Payments" value={formatDollars(totalPayments)} />
        <StatCard name="Total Reviews" value={totalReviews.toLocaleString('en-US')} />
        <StatCard name="Purchased Products" value={totalPurchadedProducts.toLocaleString('en-US')} />
      </dl>
      <ChartFigure
        title="Your shopping in numbers"
        kind="bars"
        note="Reviews and products are drawn ten times as high, so that they show beside the payments."
        columns={['What', 'How much']}
        format={formatDollars}
        data={[
          { name: 'Payments', value: totalPayments },
          { name: 'Reviews', value: timesTen(totalReviews), valueText: totalReviews.toLocaleString('en-US') },
          {
            name: 'Products',
            value: timesTen(totalPurchadedProducts),
            valueText: totalPurchadedProducts.toLocaleString('en-US'),
          },
        ]}
      />
    </>
  )
}

function OverviewSkeleton() {
  return (
    <>
      <div className="mb-6 grid gap-4 sm:grid-cols-3">
        <Skeleton className="h-16.5 sm:h-31 w-full" />
        <Skeleton className="h-16.5 sm:h-31 w-full" />
        <Skeleton className="h-16.5 sm:h-31 w-full" />
      </div>
      <ChartFigureSkeleton />
    </>
  )
}
