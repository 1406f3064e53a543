import type { Order } from '#shop/orders/contract.ts'
import { DateOf } from '#shop/web/ui/date.tsx'

/** Who changed which status when, beginning with the payment. */
export function OrderHistory({ order }: { order: Order }) {
  const changes = order.history ?? []
  return (
    <ol className="grid gap-3 border-l border-line pl-4 text-small">
      <li>
        <p className="font-medium">{`Paid, order ${changes[0]?.from ?? order.status}`}</p>
        <p className="text-muted">
          <DateOf iso={order.createdAt} withTime />
        </p>
      </li>
      {changes.map((change) => (
        <li key={change.createdAt}>
          <p className="font-medium">{`From ${change.from} to ${change.to}`}</p>
          <p className="text-muted wrap-anywhere">
            By <bdi>{change.by.username}</bdi>, <DateOf iso={change.createdAt} withTime />
          </p>
        </li>
      ))}
    </ol>
  )
}
