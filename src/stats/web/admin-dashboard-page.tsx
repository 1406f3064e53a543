import { formatDollars } from '#shop/contract/money.ts'
import { PaymentBreaks } from '#shop/orders/web/payment-breaks.tsx'
import { WaitingOrders } from '#shop/orders/web/waiting-orders.tsx'
import type { AdminStats } from '#shop/stats/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { QueryState } from '#shop/web/ui/query-state.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { useGetAdminStatsQuery } from './api.ts'
import { ChartFigure, ChartFigureSkeleton } from './chart-figure.tsx'
import { StatCard } from './stat-card.tsx'

export function AdminDashboardPage() {
  const query = useGetAdminStatsQuery(undefined, { refetchOnMountOrArgChange: true, refetchOnFocus: true })
  return (
    <>
      <PageTitle title="Admin dashboard" />
      <h1 className="text-title">The shop in figures</h1>
      <div className="mt-1 mb-6">
        <WaitingOrders />
        <PaymentBreaks />
      </div>
      <QueryState query={query} failed="No admin stats available." loading={<DashboardSkeleton />}>
        {(stats) => <Figures stats={stats} />}
      </QueryState>
    </>
  )
}

const whole = new Intl.NumberFormat('en-US')
const count = (value: number) => whole.format(value)
const monthName = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' })
const nameOfMonth = (month: number) => monthName.format(Date.UTC(2024, month - 1))

function Figures({ stats }: { stats: AdminStats }) {
  const { totalEarnings, totalOrders, totalUsers, totalProducts, totalReviews, monthlyEarnings } = stats
  const counts = [
    { name: 'Orders', value: totalOrders },
    { name: 'Products', value: totalProducts },
    { name: 'Reviews', value: totalReviews },
    { name: 'Users', value: totalUsers },
  ]
  const today = new Date()
  const isToCome = (month: number) => month > today.getUTCMonth() + 1
  return (
    <>
      {totalProducts + totalOrders === 0 && (
        <div className="mb-6 flex flex-wrap items-center gap-x-6 gap-y-3">
          <p className="text-muted">The shop has neither products nor orders yet.</p>
          <ButtonLink to={paths.dashboard.addProduct}>Add the first product</ButtonLink>
        </div>
      )}
      <dl className="grid gap-4 sm:grid-cols-2 xl:flex xl:flex-wrap xl:*:min-w-max xl:*:flex-1">
        <StatCard name="Total Earning" value={formatDollars(totalEarnings)} />
        <StatCard name="All Orders" value={count(totalOrders)} />
        <StatCard name="All Users" value={count(totalUsers)} />
        <StatCard name="Total Products" value={count(totalProducts)} />
      </dl>
      <div className="mt-6 grid gap-6 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="xl:col-span-2">
          <ChartFigure
            title={`Earnings by month, ${today.getUTCFullYear()}`}
            kind="months"
            note="Paid minus refunded, by the month of the order (UTC)."
            columns={['Month', 'Earnings']}
            format={formatDollars}
            data={monthlyEarnings.map(({ month, earnings }) => ({
              name: nameOfMonth(month),
              value: isToCome(month) && earnings === 0 ? null : earnings,
            }))}
          />
        </div>
        <ChartFigure
          title="Orders, products, reviews and users"
          kind="bars"
          columns={['What', 'How many']}
          format={count}
          data={counts}
        />
        <ChartFigure
          title="The same, as shares"
          kind="shares"
          columns={['What', 'How many']}
          format={count}
          data={counts}
        />
      </div>
    </>
  )
}

function DashboardSkeleton() {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {[1, 2, 3, 4].map((card) => (
          <Skeleton key={card} className="h-28 w-full" />
        ))}
      </div>
      <div className="mt-6 grid gap-6">
        <ChartFigureSkeleton />
        <ChartFigureSkeleton />
      </div>
    </>
  )
}
