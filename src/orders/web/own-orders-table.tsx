import { formatDollars } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { DataTable, type Column } from '#shop/web/ui/data-table.tsx'
import { DateOf } from '#shop/web/ui/date.tsx'
import { Notice } from '#shop/web/ui/query-state.tsx'
import { RefundedPart } from './refunded-part.tsx'
import { StatusMark } from './status-mark.tsx'

type OwnOrdersTableProps = {
  orders: readonly Order[]
  /** How many newer orders are on the pages before this one. */
  before?: number
}

export function OwnOrdersTable({ orders, before = 0 }: OwnOrdersTableProps) {
  return (
    <DataTable
      caption="Your orders, newest first"
      columns={columns}
      rows={orders.map((order, index) => ({ ...order, number: before + index + 1 }))}
      keyOf={({ _id }) => _id}
    />
  )
}

const columns: Column<Order & { number: number }>[] = [
  { name: '#', cell: ({ number }) => number, className: 'tabular-nums @max-4xl:hidden' },
  {
    name: 'Order ID',
    isHead: true,
    cell: ({ orderId, lines }) => (
      <>
        <span className="block wrap-anywhere">{orderId}</span>
        <Things lines={lines} />
      </>
    ),
  },
  { name: 'Date', cell: ({ createdAt }) => <DateOf iso={createdAt} />, className: '@4xl:whitespace-nowrap' },
  { name: 'Status', cell: ({ status }) => <StatusMark status={status} /> },
  {
    name: 'Total',
    cell: ({ amount, refunded }) => (
      <>
        <span className="font-semibold">{formatDollars(amount)}</span>
        <RefundedPart refunded={refunded} />
      </>
    ),
    className: 'tabular-nums @4xl:text-right @4xl:whitespace-nowrap',
  },
  {
    name: 'Details',
    isActions: true,
    cell: ({ orderId }) => (
      <ButtonLink variant="outline" className="px-4 whitespace-nowrap" to={paths.order(orderId)}>
        View order<span className="sr-only"> {orderId}</span>
      </ButtonLink>
    ),
  },
]

/** For further lines the row only says how many; the order's page has them all. */
const mostThings = 5

function Things({ lines }: { lines: Order['lines'] }) {
  const more = lines.length - mostThings
  return (
    <ul className="mt-1 font-normal text-muted">
      {lines.slice(0, mostThings).map(({ productId, name, quantity }) => (
        <li key={productId} className="wrap-anywhere">
          {`${quantity} × ${name}`}
        </li>
      ))}
      {more > 0 && <li>{`and ${more} more`}</li>}
    </ul>
  )
}

export function NoOrders() {
  return (
    <Notice
      text="No orders yet."
      detail="What you buy while you are logged in is kept here for you. What you buy as a guest is not: you find it by the link that you kept. If you have lost that, write to us."
    >
      <ButtonLink to={paths.shop}>Go to the shop</ButtonLink>
    </Notice>
  )
}
