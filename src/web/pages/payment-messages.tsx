import type { ReactNode } from 'react'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'

/*
 * What the payment page says while there is no order to show. None of these messages tells customers who have paid
 * that something went wrong, because none of the responses behind them means that.
 */
export function AskingProvider() {
  return (
    <div aria-busy="true">
      <h1 className="text-title">One moment</h1>
      <p role="status" className="mt-4 text-lead text-muted">
        We are asking the payment provider about your payment.
      </p>
      <Skeleton className="mt-10 h-20 w-full" />
      <Skeleton className="mt-14 h-48 w-full" />
    </div>
  )
}

type CannotAskProps = { status: unknown; isAskingAgain: boolean; again: ReactNode }

export function CannotAsk({ status, isAskingAgain, again }: CannotAskProps) {
  const next = isAskingAgain ? 'This page will try again by itself.' : 'Please try again in a few minutes.'
  return (
    <Message
      title="One moment more"
      text={`${reasonFor(status)} Nothing is lost: if you have paid, your payment counts, and your cart is kept. ${next}`}
    >
      {again}
    </Message>
  )
}

function reasonFor(status: unknown): string {
  if (status === 503) return 'The payment provider cannot be reached right now.'
  if (status === 429) return 'This page was asked for too often in a short time.'
  return typeof status === 'number'
    ? 'Something went wrong on our side.'
    : 'The shop cannot be reached right now.'
}

export function NoPayment() {
  return (
    <Message
      title="No payment to show"
      text="There is no payment in this link, so there is no order to show. Your cart is as you left it."
    >
      <ButtonLink to={paths.shop}>Go to the shop</ButtonLink>
    </Message>
  )
}

export function NotPaid({ cart, again }: { cart: ReactNode; again: ReactNode }) {
  return (
    <Message
      title="Payment not completed"
      text="This checkout has not been paid, so there is no order. Your cart is as you left it: to pay, open it and go to the checkout once more."
    >
      {cart}
      <ButtonLink to={paths.shop} variant="outline">
        Back to the shop
      </ButtonLink>
      {again}
    </Message>
  )
}

export function PaymentPending({ again }: { again: ReactNode }) {
  return (
    <Message
      title="Your payment is on its way"
      text="Your bank still has to confirm it, which can take a few days. Your order is placed as soon as it has, and you do not need to pay again."
    >
      <ButtonLink to={paths.shop}>Back to the shop</ButtonLink>
      {again}
    </Message>
  )
}

export function UnknownPayment() {
  return (
    <Message
      title="Payment not found"
      text="We could not find this payment. Please check that the link is complete. If you have paid, nothing is lost: write to us and we will look for it. Your cart is as you left it."
    >
      <ButtonLink to={paths.contact}>Contact us</ButtonLink>
      <ButtonLink to={paths.shop} variant="outline">
        Go to the shop
      </ButtonLink>
    </Message>
  )
}

export function NeedsReview() {
  return (
    <Message
      title="We are looking at your payment"
      text="Your payment has arrived, and one of us is checking it against your order before we go on. Nothing is lost, and you do not need to pay again."
    >
      <ButtonLink to={paths.contact}>Contact us</ButtonLink>
    </Message>
  )
}

export function Withdrawn() {
  return (
    <Message
      title="This order was withdrawn"
      text="This order is no longer in our shop. If you did not expect that, write to us and we will look into it."
    >
      <ButtonLink to={paths.contact}>Contact us</ButtonLink>
    </Message>
  )
}

function Message({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className="flex max-w-2xl flex-col items-start gap-5 py-8 md:py-16">
      <hr className="stitch w-24" aria-hidden />
      <h1 className="text-title">{title}</h1>
      <p role="status" className="text-lead text-muted">
        {text}
      </p>
      <div className="mt-2 flex flex-wrap gap-3">{children}</div>
    </div>
  )
}
