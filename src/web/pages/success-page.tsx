import { useEffect, useState } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import { useSearchParams } from 'react-router'
import { selectUser } from '#shop/accounts/web/session.ts'
import { removeBought, selectCartCount } from '#shop/cart/web/cart.ts'
import { forgetCheckoutKey } from '#shop/cart/web/checkout-key.ts'
import { settleCheckout } from '#shop/cart/web/checkouts.ts'
import { formatDollars } from '#shop/contract/money.ts'
import type { Order } from '#shop/orders/contract.ts'
import { useConfirmPaymentQuery, useGetOrderQuery } from '#shop/orders/web/api.ts'
import { OrderFacts } from '#shop/orders/web/order-facts.tsx'
import { OrderTimeline } from '#shop/orders/web/order-timeline.tsx'
import { problemOf, statusOf } from '#shop/web/api-problem.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button, ButtonLink } from '#shop/web/ui/button.tsx'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { Link } from '#shop/web/ui/link.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import {
  AskingProvider,
  CannotAsk,
  NeedsReview,
  NoPayment,
  NotPaid,
  PaymentPending,
  UnknownPayment,
  Withdrawn,
} from './payment-messages.tsx'

export function SuccessPage() {
  const [query] = useSearchParams()
  const session = query.get('session_id')
  return (
    // As high as the window, so that the footer is out of sight and does not jump when the message changes.
    <div className="frame min-h-dvh py-10 md:py-16">
      <PageTitle title="Your payment" />
      {session ? <Confirmation key={session} session={session} /> : <NoPayment />}
    </div>
  )
}

function Confirmation({ session }: { session: string }) {
  const { data: order, error, isFetching, refetch } = useConfirmPaymentQuery(session)
  const isAskingAgain = useAskAgain(error, isFetching, refetch)
  const isPending = problemOf(error)?.code === 'payment_pending'
  // The provider's payment page has been used: to buy the same again, a customer needs a new one.
  useEffect(() => {
    if (isPending) forgetCheckoutKey()
  }, [isPending])

  if (order) return <Confirmed order={order} session={session} />
  if (!error && isFetching) return <AskingProvider />
  const again = (
    <Button
      variant={statusOf(error) === 402 ? 'outline' : 'primary'}
      isBusy={isFetching}
      onClick={() => void refetch()}
    >
      Try again
    </Button>
  )
  switch (statusOf(error)) {
    case 402:
      return isPending ? <PaymentPending again={again} /> : <NotPaid cart={<OpenCart />} again={again} />
    case 400:
    case 404:
      return <UnknownPayment />
    case 409:
      return <NeedsReview />
    case 410:
      return <Withdrawn />
    default:
      return <CannotAsk status={statusOf(error)} isAskingAgain={isAskingAgain} again={again} />
  }
}

/** Presses the cart button in the bar, which opens and closes the cart. */
function OpenCart() {
  const isEmpty = useSelector(selectCartCount) === 0
  const open = () => document.querySelector<HTMLElement>('header [aria-label^="Cart,"]')?.click()
  return isEmpty ? null : <Button onClick={open}>Open the cart</Button>
}

function Confirmed({ order, session }: { order: Order; session: string }) {
  // Loaded for the order's own page, too, which most customers open next.
  const { currentData: viewed } = useGetOrderQuery(order.orderId)
  const user = useSelector(selectUser)
  // Somebody may have logged in after they bought as a guest.
  const isInAccount = user !== null && (!viewed || viewed.userId === user._id)
  useSettledCart(session, order.lines)
  return (
    <>
      <p className="font-display text-title">
        Thank you. <span className="inline-block">We have your order.</span>
      </p>
      <h1 className="mt-6 text-name">{`Payment ${order.status}`}</h1>
      <p className="mt-2 text-lead">{`You have paid ${formatDollars(order.amount)}.`}</p>
      <div className="mt-8 border-t border-line pt-6">
        <OrderFacts order={order} />
      </div>
      <section aria-labelledby="progress" className="mt-14">
        <h2 id="progress" className="mb-8 text-section">
          What happens next
        </h2>
        <OrderTimeline status={order.status} />
      </section>
      <div className="mt-14 flex flex-wrap gap-3">
        <ButtonLink to={paths.order(order.orderId)}>See your order</ButtonLink>
        <ButtonLink to={paths.shop} variant="outline">
          Continue shopping
        </ButtonLink>
      </div>
      <p className="mt-5 max-w-prose text-small text-muted">
        {isInAccount ? <FoundInAccount /> : <FoundByLink orderId={order.orderId} />}
      </p>
    </>
  )
}

const inlineLink = 'thread-link -my-3 inline-block py-3 text-ink'

function FoundInAccount() {
  return (
    <>
      You can find it at any time under{' '}
      <Link to={paths.dashboard.orders} className={inlineLink}>
        your orders
      </Link>
      .
    </>
  )
}

/** The shop sends no e-mail: the link is all that a guest has. */
function FoundByLink({ orderId }: { orderId: string }) {
  const showAlert = useAlert()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.origin + paths.order(orderId))
      showAlert('Link copied')
    } catch {
      showAlert('The link was not copied. Please open your order and keep its address.', { tone: 'error' })
    }
  }
  return (
    <>
      You can come back to your order’s page at any time, without an account: keep its link.{' '}
      <button type="button" onClick={() => void copy()} className={inlineLink}>
        Copy the link
      </button>
    </>
  )
}

const longestWaitSeconds = 30
const mostTries = 20

/** Asks again automatically, after the time that the server asked for; true while it goes on doing so. */
function useAskAgain(error: unknown, isFetching: boolean, refetch: () => unknown): boolean {
  const [tries, setTries] = useState(0)
  const wait = secondsToWait(error)
  const isAskingAgain = wait !== undefined && tries < mostTries
  useEffect(() => {
    if (!isAskingAgain || isFetching) return
    const timer = setTimeout(() => {
      setTries((before) => before + 1)
      refetch()
    }, wait * 1000)
    return () => clearTimeout(timer)
  }, [isAskingAgain, isFetching, wait, refetch])
  return isAskingAgain
}

/** Undefined for a response that will not change when asked for again. */
function secondsToWait(error: unknown): number | undefined {
  const status = statusOf(error)
  if (error === undefined || (typeof status === 'number' && status < 500 && status !== 429)) return undefined
  const wished = isRecord(error) && error.retryAfterSeconds
  return Math.min(longestWaitSeconds, Math.max(2, Number(wished) || 5))
}

/** Removes what has been paid from the cart, once: a later visit of this page does not change a new cart. */
function useSettledCart(session: string, lines: Order['lines']) {
  const dispatch = useDispatch()
  useEffect(() => {
    const ordered = lines.map(({ productId, quantity }) => ({ _id: productId, quantity }))
    dispatch(removeBought(settleCheckout(session, ordered)))
  }, [session, lines, dispatch])
}
