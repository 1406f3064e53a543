import { useSelector } from 'react-redux'
import { useParams } from 'react-router'
import { selectUser } from '#shop/accounts/web/session.ts'
import { formatDollars } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { useGetOrderQuery } from './api.ts'
import { lineTotal } from './line-total.ts'
import { OrderFacts } from './order-facts.tsx'
import { OrderTimeline } from './order-timeline.tsx'
import { ShippingAddress } from './shipping-address.tsx'

const failed = 'Error loading order details.'

export function OrderPage() {
  const { orderId = '' } = useParams()
  // Customers leave it open until the parcel is there.
  const result = useGetOrderQuery(orderId, { refetchOnFocus: true })
  // The order stays on the page when the second request, for its owner, fails.
  const query = result.currentData ? { ...result, isError: false, error: undefined } : result
  return (
    <div className="frame py-10 md:py-16">
      <PageTitle title="Your order" />
      {!query.currentData && <h1 className="sr-only">Your order</h1>}
      <QueryState query={query} failed={failed} loading={<OrderSkeleton />}>
        {(order) => (order ? <OrderDetails order={order} /> : <UnknownOrder />)}
      </QueryState>
    </div>
  )
}

function UnknownOrder() {
  return (
    <Notice
      role="alert"
      text={failed}
      detail="We could not find this order. Please check that the link is complete; if it is, write to us and we will look for it."
    >
      <ButtonLink to={paths.contact}>Contact us</ButtonLink>
      <ButtonLink to={paths.shop} variant="outline">
        Go to the shop
      </ButtonLink>
    </Notice>
  )
}

function OrderDetails({ order }: { order: Order }) {
  const user = useSelector(selectUser)
  return (
    <>
      <p className="mb-6 hidden font-display text-section print:block">Haberdash</p>
      <h1 className="text-title">{`Payment ${order.status}`}</h1>
      <div className="mt-8 border-t border-line pt-6">
        <OrderFacts order={order} />
      </div>
      <section aria-labelledby="progress" className="mt-14">
        <h2 id="progress" className="mb-8 text-section">
          Where it is
        </h2>
        <OrderTimeline status={order.status} />
      </section>
      <section aria-labelledby="lines" className="mt-16">
        <h2 id="lines" className="text-section">
          What you bought
        </h2>
        <div className="mt-4 grid grid-cols-[minmax(0,1fr)] items-start lg:grid-cols-[minmax(0,3fr)_minmax(0,1fr)]">
          <ul className="divide-y divide-line border-y border-line lg:mr-16">
            {order.lines.map((line) => (
              <BoughtLine key={line.productId} line={line} />
            ))}
          </ul>
          <div>
            <OrderTotals order={order} />
            {user && <Delivery />}
            <WaysOn isCustomer={user !== null} />
          </div>
        </div>
      </section>
    </>
  )
}

function BoughtLine({ line }: { line: Order['lines'][number] }) {
  return (
    <li className="flex gap-4 py-5">
      <div className="w-22 shrink-0">
        <Picture src={line.image} alt="" ratio="portrait" sizes="88px" className="rounded-cut" />
      </div>
      <div className="flex min-w-0 grow flex-wrap justify-between gap-x-4 self-start">
        <div className="min-w-0 flex-[1_1_6.5rem]">
          <Link
            to={paths.product(line.productId)}
            className="-my-3 block py-3 leading-snug font-medium text-pretty decoration-1 underline-offset-4 wrap-anywhere hover:underline"
          >
            {line.name}
          </Link>
          <p className="mt-1 text-small text-muted tabular-nums">
            {`${line.quantity} × ${formatDollars(line.price)}`}
          </p>
        </div>
        <p className="ml-auto font-semibold tabular-nums">{formatDollars(lineTotal(line))}</p>
      </div>
    </li>
  )
}

function OrderTotals({ order }: { order: Order }) {
  return (
    <dl className="flex flex-col gap-2 py-5 tabular-nums lg:bg-sunken lg:px-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <dt className="text-lead">Total</dt>
        <dd className="font-display text-section font-medium">{formatDollars(order.amount)}</dd>
      </div>
      <div className="text-small text-muted">
        <dt className="sr-only">Payment</dt>
        <dd>Paid</dd>
      </div>
      {order.refunded > 0 && (
        <div className="flex items-baseline justify-between gap-4 text-accent">
          <dt>Refunded</dt>
          <dd className="font-semibold">{formatDollars(order.refunded)}</dd>
        </div>
      )}
    </dl>
  )
}

/** The server sends the page as a stranger may see it, so the order is requested once more for its owner. */
function Delivery() {
  const { orderId = '' } = useParams()
  const { shippingAddress } = useGetOrderQuery(orderId, { refetchOnMountOrArgChange: true }).currentData ?? {}
  if (!shippingAddress) return null
  return (
    <section aria-labelledby="delivery" className="border-t border-line py-5 lg:px-6">
      <h3 id="delivery" className="mb-2 text-name">
        Delivery address
      </h3>
      <ShippingAddress address={shippingAddress} />
    </section>
  )
}

function WaysOn({ isCustomer }: { isCustomer: boolean }) {
  const link = 'thread-link inline-flex min-h-11 items-center'
  return (
    <p className="flex flex-wrap gap-x-6 border-t border-line py-2 text-small lg:px-6 print:hidden">
      <Link to={paths.contact} className={link}>
        Ask about this order
      </Link>
      {isCustomer && (
        <Link to={paths.dashboard.orders} className={link}>
          Your orders
        </Link>
      )}
    </p>
  )
}

function OrderSkeleton() {
  return (
    <div className="flex flex-col">
      <Skeleton className="h-12 w-72 max-w-full" />
      <Skeleton className="mt-8 h-20 w-full" />
      <Skeleton className="mt-14 h-48 w-full" />
      <Skeleton className="mt-16 h-64 w-full max-w-3xl" />
    </div>
  )
}
