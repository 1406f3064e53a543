import type { ReactNode } from 'react'
import type { OrderStatus } from '#shop/orders/steps.ts'
import { DateOf } from '#shop/web/ui/date.tsx'

type OrderFactsProps = { order: { orderId: string; status: OrderStatus; createdAt: string } }

/** What a customer would read out on the telephone. */
export function OrderFacts({ order }: OrderFactsProps) {
  return (
    <dl className="grid gap-x-10 gap-y-5 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
      <Fact name="Order Id">
        <span className="wrap-anywhere">{order.orderId}</span>
      </Fact>
      <Fact name="Status">{order.status}</Fact>
      <Fact name="Date">
        <DateOf iso={order.createdAt} />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-fine text-muted">{name}</dt>
      <dd className="mt-1 font-semibold">{children}</dd>
    </div>
  )
}
