import { formatDollars } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'
import { failureOf } from '#shop/web/api-failure.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import type { Column } from '#shop/web/ui/data-table.tsx'
import { DateOf } from '#shop/web/ui/date.tsx'
import { Email } from '#shop/web/ui/email.tsx'
import { DeleteButton } from '#shop/web/ui/delete-button.tsx'
import { EditStatus } from './edit-status.tsx'
import { useDeleteOrderMutation } from './manage-api.ts'
import { RefundedPart } from './refunded-part.tsx'
import { StatusMark } from './status-mark.tsx'
import { ViewOrder } from './view-order.tsx'

export const orderColumns: Column<Order>[] = [
  {
    name: 'Order ID',
    isHead: true,
    cell: ({ orderId, amount, refunded, lines }) => (
      <>
        <span className="block wrap-anywhere @5xl:text-fine @5xl:whitespace-nowrap">{orderId}</span>
        <span className="block font-normal text-muted tabular-nums">
          {`${formatDollars(amount)}, ${countThings(lines)}`}
        </span>
        <RefundedPart refunded={refunded} />
      </>
    ),
  },
  {
    name: 'Customer',
    cell: ({ email }) => (email ? <Email address={email} /> : 'Unknown'),
  },
  { name: 'Status', cell: ({ status }) => <StatusMark status={status} /> },
  { name: 'Date', cell: ({ createdAt }) => <DateOf iso={createdAt} />, className: '@4xl:whitespace-nowrap' },
  {
    name: 'Actions',
    isActions: true,
    cell: (order) => (
      <>
        <ViewOrder order={order} />
        <EditStatus order={order} />
        <DeleteOrder order={order} />
      </>
    ),
  },
]

function countThings(lines: Order['lines']): string {
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return count === 1 ? '1 item' : `${count} items`
}

function DeleteOrder({ order }: { order: Order }) {
  const [deleteOrder] = useDeleteOrderMutation()
  const showAlert = useAlert()
  const act = async () => {
    const { error } = await deleteOrder(order._id)
    if (error) {
      console.error('Error deleting order', error)
      showAlert(failureOf(error, 'The order was not deleted.'), { tone: 'error' })
      return false
    }
    showAlert(`Order ${order.orderId} was deleted`)
    return true
  }
  return (
    <DeleteButton
      question="Delete this order?"
      text={`${order.orderId}, ${formatDollars(order.amount)}, is taken out of every list and the earnings. This does not refund the customer; the order stays in the books.`}
      onDelete={act}
    />
  )
}
