import { orderStatuses, type OrderStatus } from '#shop/orders/steps.ts'

/** How far an order has come, in one word and four stitches. */
export function StatusMark({ status }: { status: OrderStatus }) {
  const reached = orderStatuses.indexOf(status)
  return (
    <span className="inline-flex flex-col gap-1 whitespace-nowrap">
      <span className="first-letter:uppercase">{status}</span>
      <span aria-hidden className="flex gap-1">
        {orderStatuses.map((each, index) => (
          <span key={each} className={`h-0.5 w-3 ${index <= reached ? 'bg-accent' : 'bg-line'}`} />
        ))}
      </span>
    </span>
  )
}
