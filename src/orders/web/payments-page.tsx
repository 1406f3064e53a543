import { useSelector } from 'react-redux'
import type { User } from '#shop/accounts/contract.ts'
import { selectUser } from '#shop/accounts/web/session.ts'
import { centsFromDollars, dollarsFromCents, formatDollars } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { DateOf } from '#shop/web/ui/date.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { QueryState } from '#shop/web/ui/query-state.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { useListOwnPaymentsQuery } from './own-orders-api.ts'
import { NoOrders } from './own-orders-table.tsx'
import { RefundedPart } from './refunded-part.tsx'
import { StatusMark } from './status-mark.tsx'

export function PaymentsPage() {
  const user = useSelector(selectUser)
  return user && <Payments user={user} />
}

function Payments({ user }: { user: User }) {
  const query = useListOwnPaymentsQuery(user.email, { refetchOnMountOrArgChange: true })
  return (
    <>
      <PageTitle title="Your payments" />
      <h1 className="mb-8 text-title">Payments</h1>
      <QueryState
        query={query}
        failed="Failed to show payments!"
        loading={<PaymentsSkeleton />}
        isEmpty={(orders) => orders.length === 0}
        empty={
          <>
            <TotalSpent orders={[]} />
            <NoOrders />
          </>
        }
      >
        {(orders) => (
          <>
            <TotalSpent orders={orders} />
            <PaymentList orders={orders} />
          </>
        )}
      </QueryState>
    </>
  )
}

function TotalSpent({ orders }: { orders: Order[] }) {
  const sumOf = (part: 'amount' | 'refunded') =>
    orders.reduce((sum, order) => sum + centsFromDollars(order[part]), 0)
  const refunded = sumOf('refunded')
  return (
    <p className="mb-10 flex flex-wrap items-baseline gap-x-6 gap-y-1">
      <span className="text-lead text-muted">Total spent</span>
      <strong className="font-display text-title font-medium tabular-nums">
        {formatDollars(dollarsFromCents(sumOf('amount') - refunded))}
      </strong>
      {refunded > 0 && (
        <span className="text-small text-muted">
          {`after ${formatDollars(dollarsFromCents(refunded))} in refunds`}
        </span>
      )}
    </p>
  )
}

function PaymentList({ orders }: { orders: Order[] }) {
  return (
    <ul className="grid max-w-4xl gap-x-8 divide-y divide-line border-y border-line sm:grid-cols-[minmax(0,1fr)_8rem_auto]">
      {orders.map((order) => (
        <Payment key={order._id} order={order} />
      ))}
    </ul>
  )
}

function Payment({ order }: { order: Order }) {
  const { orderId, amount, refunded, createdAt, status } = order
  return (
    <li className="grid gap-y-2 py-5 sm:col-span-3 sm:grid-cols-subgrid sm:items-center">
      <div className="min-w-0">
        <h2 className="font-body text-small font-semibold tracking-normal">
          <Link to={paths.order(orderId)} className="-my-2 inline-block py-3 wrap-anywhere thread-link">
            <span className="sr-only">Order </span>
            {orderId}
          </Link>
        </h2>
        <p className="text-small text-muted">
          <DateOf iso={createdAt} withTime />
        </p>
      </div>
      <p className="text-small">
        <span className="sr-only">Status: </span>
        <StatusMark status={status} />
      </p>
      <p className="tabular-nums sm:text-right">
        <span className="font-semibold">{formatDollars(amount)}</span>
        <RefundedPart refunded={refunded} />
      </p>
    </li>
  )
}

function PaymentsSkeleton() {
  return (
    <>
      <Skeleton className="mb-10 h-14 w-72 max-w-full" />
      {Array.from({ length: 4 }, (_, row) => (
        <Skeleton key={row} className="mb-3 h-22 w-full" />
      ))}
    </>
  )
}
