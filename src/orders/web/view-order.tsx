import type { ReactNode } from 'react'
import { formatDollars } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { DialogButton } from '#shop/web/ui/dialog-button.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { useGetOrderQuery } from './api.ts'
import { StatusForm } from './edit-status.tsx'
import { lineTotal } from './line-total.ts'
import { OrderHistory } from './order-history.tsx'
import { ShippingAddress } from './shipping-address.tsx'

const failed = 'Error loading order details.'

export function ViewOrder({ order }: { order: Order }) {
  return (
    <DialogButton label="View" title="Order" variant="drawer">
      {(close) => <OrderInFull id={order._id} onClose={close} />}
    </DialogButton>
  )
}

/** Requests the order again: the list does not have its history. */
function OrderInFull({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useGetOrderQuery(id, { refetchOnMountOrArgChange: true })
  return (
    <QueryState query={query} failed={failed} loading={<Skeleton className="h-96 w-full" />}>
      {(order) =>
        order ? (
          <Everything order={order} onClose={onClose} />
        ) : (
          <Notice role="alert" text={failed} detail="It was deleted." />
        )
      }
    </QueryState>
  )
}

function Everything({ order, onClose }: { order: Order; onClose: () => void }) {
  return (
    <div className="flex flex-col gap-7">
      <Facts order={order} />
      <Lines lines={order.lines} />
      {/* Starts again with a newer order: the cached one is shown first. */}
      <StatusForm key={order.updatedAt} order={order} onClose={onClose} />
      <section>
        <h3 className="mb-2 text-name">History</h3>
        <OrderHistory order={order} />
        <p className="mt-3 text-small text-muted">
          To refund it, look for its order ID at the payment provider. The refund then shows here.
        </p>
      </section>
      <ButtonLink variant="outline" to={paths.order(order.orderId)}>
        Open the page the customer sees
      </ButtonLink>
    </div>
  )
}

function Facts({ order }: { order: Order }) {
  const { shippingAddress } = order
  const facts: [name: string, value: ReactNode][] = [
    ['Order ID', order.orderId],
    ['Status', <span className="inline-block first-letter:uppercase">{order.status}</span>],
    ['Customer', order.email ?? 'Unknown'],
    ['Account', order.userId ? 'Was logged in' : 'Guest, or a deleted account'],
    ['Deliver to', shippingAddress && <ShippingAddress address={shippingAddress} />],
    ['Paid', `${formatDollars(order.amount)} ${order.currency.toUpperCase()}`],
    ['Refunded', order.refunded > 0 && formatDollars(order.refunded)],
  ]
  return (
    <dl className="grid grid-cols-[minmax(4.5rem,auto)_minmax(0,1fr)] gap-2 text-small sm:gap-x-6">
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name} className="col-span-2 grid grid-cols-subgrid">
              <dt className="text-muted">{name}</dt>
              <dd className="font-medium wrap-anywhere">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

function Lines({ lines }: { lines: Order['lines'] }) {
  return (
    <section>
      <h3 className="mb-2 text-name">Items</h3>
      <ul className="divide-y divide-line border-y border-line text-small">
        {lines.map((line) => (
          <li
            key={line.productId}
            className="grid grid-cols-[2.75rem_minmax(0,1fr)_auto] items-center gap-3 py-3"
          >
            <Picture src={line.image} alt="" ratio="portrait" sizes="44px" />
            <div className="min-w-0">
              <Link
                to={paths.product(line.productId)}
                className="inline-flex min-h-11 items-center font-medium decoration-1 underline-offset-4 wrap-anywhere hover:underline"
              >
                {line.name}
              </Link>
              <p className="text-muted tabular-nums">{`${line.quantity} × ${formatDollars(line.price)}`}</p>
            </div>
            <p className="font-semibold tabular-nums">{formatDollars(lineTotal(line))}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
