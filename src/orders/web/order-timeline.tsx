import type { ReactNode } from 'react'
import { orderStatuses, type OrderStatus } from '#shop/orders/steps.ts'
import { Icon } from '#shop/web/ui/icons.tsx'

type Step = { label: string; description: string; icon: ReactNode }

const steps: Record<OrderStatus, Step> = {
  pending: {
    label: 'Pending',
    description: 'Your order has been created and is awaiting processing.',
    icon: <path d="M12 7v5l3.5 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z" />,
  },
  processing: {
    label: 'Processing',
    description: 'Your order is being processed.',
    icon: (
      <path d="M20 4 8.6 15.4M14.2 14.2 20 20M8.6 8.6 12 12M9 6a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM9 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z" />
    ),
  },
  shipped: {
    label: 'Shipped',
    description: 'Your order has been shipped.',
    icon: (
      <path d="M12 21 3.5 16.5v-9L12 3l8.5 4.5v9L12 21Zm0 0v-9m0 0L3.5 7.5M12 12l8.5-4.5M7.5 5.4l8.6 4.5" />
    ),
  },
  completed: {
    label: 'Completed',
    description: 'Your order has been successfully completed.',
    icon: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  },
}

/** The four steps of an order, one below the other on a phone, else side by side. */
export function OrderTimeline({ status }: { status: OrderStatus }) {
  const current = orderStatuses.indexOf(status)
  return (
    <ol className="grid md:grid-cols-4" aria-label="Order progress">
      {orderStatuses.map((name, index) => (
        <TimelineStep
          key={name}
          step={steps[name]}
          place={index < current ? 'done' : index === current ? 'current' : 'later'}
        />
      ))}
    </ol>
  )
}

type Place = 'done' | 'current' | 'later'

const circles: Record<Place, string> = {
  done: 'border-ink bg-ink text-ground',
  current: 'border-accent bg-accent text-on-accent outline outline-1 outline-offset-4 outline-accent',
  later: 'border-line bg-ground text-muted',
}

function TimelineStep({ step, place }: { step: Step; place: Place }) {
  const thread = place === 'done' ? 'border-solid border-ink' : 'border-dashed border-edge'
  return (
    <li
      aria-current={place === 'current' ? 'step' : undefined}
      className="group relative grid grid-cols-[2.75rem_1fr] gap-x-5 pb-9 last:pb-0 md:block md:pr-8 md:pb-0 md:last:pr-0"
    >
      <span
        aria-hidden="true"
        className={`absolute top-13 bottom-2 left-[1.375rem] border-l group-last:hidden md:top-[1.375rem] md:right-2 md:bottom-auto md:left-14 md:border-t md:border-l-0 ${thread}`}
      />
      <span className={`relative grid size-11 place-items-center rounded-round border ${circles[place]}`}>
        <Icon>{step.icon}</Icon>
      </span>
      <div className={place === 'later' ? 'pt-2 text-muted md:pt-5' : 'pt-2 md:pt-5'}>
        <p className="font-display text-name font-medium">{step.label}</p>
        <p className="mt-1 max-w-prose text-small text-muted">{step.description}</p>
        {place === 'done' && <span className="sr-only">Done.</span>}
      </div>
    </li>
  )
}
