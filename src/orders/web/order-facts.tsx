import type { ReactNode } from 'react'
import type { Order } from '#shop/orders/contract.ts'
import { DateOf } from '#shop/web/ui/date.tsx'

/** What a customer would read out on the telephone. */
export function OrderFacts({ order }: { order: Order }) {
  return (
    <dl className="grid gap-y-5 sm:grid-cols-4">
      <Fact name="Order Id" className="sm:col-span-2">
        <span className="wrap-anywhere">{order.orderId}</span>
      </Fact>
      <Fact name="Status">
        <span className="inline-block first-letter:uppercase">{order.status}</span>
      </Fact>
      <Fact name="Date">
        <DateOf iso={order.createdAt} />
      </Fact>
    </dl>
  )
}

/** As wide as a step of the timeline below. */
function Fact({ name, className = '', children }: { name: string; className?: string; children: ReactNode }) {
  return (
    <div className={`sm:pr-8 ${className}`}>
      <dt className="text-fine text-muted">{name}</dt>
      <dd className="mt-1 font-semibold">{children}</dd>
    </div>
  )
}
