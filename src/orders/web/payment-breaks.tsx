import type { PaymentBreak } from '#shop/orders/contract.ts'
import { dollarsFromCents, formatDollars } from '#shop/contract/money.ts'
import { Button } from '#shop/web/ui/button.tsx'
import { DateOf } from '#shop/web/ui/date.tsx'
import { CloseBreak } from './close-break.tsx'
import { useListPaymentBreaksQuery } from './manage-api.ts'

/** Money that came in, but not as it was recorded: no order was made, and somebody has to look. */
export function PaymentBreaks() {
  const { data, isError, isFetching, refetch } = useListPaymentBreaksQuery(undefined, {
    refetchOnMountOrArgChange: true,
    refetchOnFocus: true,
  })
  return (
    <>
      {isError && !isFetching && (
        <div role="alert" className={`${block} flex flex-wrap items-center gap-x-4 gap-y-2`}>
          <p>Could not check for payment problems.</p>
          <Button variant="outline" onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      )}
      {data && data.total > 0 && <BreakList {...data} />}
    </>
  )
}

function BreakList({ breaks, total }: { breaks: PaymentBreak[]; total: number }) {
  return (
    <section aria-labelledby="breaks" className={block}>
      <h2 id="breaks" className="text-name">
        {total === 1 ? '1 payment needs a look' : `${total} payments need a look`}
      </h2>
      <p className="mt-1 max-w-prose text-small text-muted">
        The customer has paid, but not what was recorded, so there is no order. Look the session up at the
        payment provider. A full refund there takes the payment off this list; if you settle it in another
        way, mark it as settled.
        {total > breaks.length && <span>{` Here are the newest ${breaks.length}.`}</span>}
      </p>
      <ul className="mt-3 divide-y divide-line border-t border-line">
        {breaks.map((each) => (
          <Break key={each.sessionId} payment={each} />
        ))}
      </ul>
    </section>
  )
}

const block = 'mt-8 border-l-4 border-accent bg-raised p-5 shadow-lift'

function Break({ payment }: { payment: PaymentBreak }) {
  const { what, toDo } = explanations[payment.reason] ?? fallbackExplanation
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 py-4 text-small">
      <div className="grid gap-1">
        <p className="font-medium">
          {`${what}: ${amountOf(payment, payment.recorded)} recorded, ${amountOf(payment, payment.reported)} reported`}
        </p>
        <p>{toDo}</p>
        <p className="text-muted wrap-anywhere">
          <DateOf iso={payment.createdAt} withTime /> <span>{`· Session ${payment.sessionId}`}</span>
        </p>
      </div>
      <CloseBreak sessionId={payment.sessionId} />
    </li>
  )
}

type Explanation = { what: string; toDo: string }

const fallbackExplanation: Explanation = {
  what: 'It differs from what was recorded',
  toDo: 'Compare the session with the order that the customer meant, and refund it if they do not match.',
}

/** By the `reason` that the server records. */
const explanations: Record<string, Explanation> = {
  amount: {
    what: 'A different amount was paid',
    toDo: 'Refund it and ask the customer to order again, or settle the difference with them.',
  },
  currency: {
    what: 'It was paid in a different currency',
    toDo: 'Refund it and ask the customer to order again.',
  },
  payment: {
    what: 'There was nothing to pay, or nothing to find the payment by',
    toDo: 'Check at the provider whether money came in, and refund it there if it did.',
  },
  mode: {
    what: 'It was paid in the wrong mode, test or live',
    toDo: 'Check that the shop uses the right key. A test payment brought no money: there is nothing to refund.',
  },
  reference: {
    what: 'It was paid for another cart, or for none that is known',
    toDo: 'Ask the customer what they ordered, and refund it.',
  },
  session: {
    what: 'It was paid through a different session from the recorded one',
    toDo: 'Check whether the customer has paid twice, and if so refund one of the two.',
  },
  order: {
    what: 'One cart was paid twice',
    toDo: 'The first payment has its order. Refund this one.',
  },
}

/** Amounts are recorded in cents, as text. */
function amountOf({ reason }: PaymentBreak, value: string): string {
  return reason === 'amount' && /^\d+$/.test(value) ? formatDollars(dollarsFromCents(Number(value))) : value
}
