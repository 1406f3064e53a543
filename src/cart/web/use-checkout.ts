import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useDispatch, useSelector, useStore } from 'react-redux'
import { useLocation } from 'react-router'
import { askWhoIsHere, type SessionDispatch } from '#shop/accounts/web/keep-session.ts'
import { selectUser, type SessionRoot } from '#shop/accounts/web/session.ts'
import { useCreateCheckoutSessionMutation } from '#shop/orders/web/api.ts'
import { leaveForAddress } from '#shop/web/ui/overlay.ts'
import { hasChanges, type ShopAnswer } from './cart-changes.ts'
import { selectCartLines, type Cart, type CartLine } from './cart.ts'
import { checkoutFailure, currentLines, isKeyConflict } from './checkout-failure.ts'
import { checkoutKey, forgetCheckoutKey } from './checkout-key.ts'
import { rememberCheckout } from './checkouts.ts'

type Checkout =
  | { step: 'ready' }
  | { step: 'busy' }
  /** The sentence is about these lines; once they change, it is no longer shown. */
  | { step: 'failed'; sentence: string; lines: readonly CartLine[] }
  | { step: 'changed'; answer: ShopAnswer }

const ready: Checkout = { step: 'ready' }
/** If the browser has not left for the provider by then, the customer may press the button again. */
const leaveWithinMs = 20_000

export function useCheckout() {
  const [checkout, setCheckout] = useState<Checkout>(ready)
  const store = useStore<{ cart: Cart }>()
  const { pathname, search } = useLocation()
  const latest = useRef(checkout)
  useEffect(() => {
    latest.current = checkout
  })
  const open = useOpenSession(pathname + search)
  useWakeUp(() => setCheckout(ready))

  const start = async () => {
    if (checkout.step === 'busy') return
    const own: Checkout = { step: 'busy' }
    setCheckout(own)
    const inCart = () => selectCartLines(store.getState())
    const lines = inCart()
    const fail = (sentence: string) => setCheckout({ step: 'failed', sentence, lines: inCart() })
    const { data, error } = await open(lines)
    const answer = { ids: lines.map((line) => line._id), products: currentLines(error) ?? [] }
    // A customer who closed the panel meanwhile no longer wants this checkout.
    if (latest.current !== own) return
    if (currentLines(error) && hasChanges(lines, answer)) {
      setCheckout({ step: 'changed', answer })
    } else if (error) {
      console.error('Error creating checkout', error)
      fail(checkoutFailure(error))
    } else if (!data?.url) {
      console.error('Error redirecting to checkout', data)
      fail(checkoutFailure(undefined))
    } else if (inCart() !== lines) {
      fail('Your cart was changed in another window. Please look at it once more.')
    } else {
      rememberCheckout(data.id, lines)
      leaveForAddress(data.url)
      setTimeout(() => setCheckout((now) => (now === own ? ready : now)), leaveWithinMs)
    }
  }
  return { checkout, start, reset: () => setCheckout(ready) }
}

function useOpenSession(returnTo: string) {
  const [createCheckoutSession] = useCreateCheckoutSessionMutation()
  // The user who will own the order, as far as the page knows; the server goes by its own session.
  const userId = useSelector(selectUser)?._id
  const store = useStore<SessionRoot>()
  const dispatch = useDispatch<SessionDispatch>()
  const create = (lines: readonly CartLine[]) => {
    const products = lines.map(({ _id, quantity, price }) => ({ _id, quantity, price }))
    return createCheckoutSession({
      body: { products, userId, returnTo },
      idempotencyKey: checkoutKey(lines, userId),
    })
  }
  return async (lines: readonly CartLine[]) => {
    // A customer whose session has ended would buy as a guest, and not find the order among theirs.
    if (userId !== undefined) await askWhoIsHere(dispatch, true).catch(() => undefined)
    const now = selectUser(store.getState())?._id
    if (userId !== now) return { data: undefined, error: { status: now ? 'SOMEBODY_ELSE' : 401 } }
    const answer = await create(lines)
    if (!isKeyConflict(answer.error)) return answer
    forgetCheckoutKey()
    return create(lines)
  }
}

/** Going back from the provider restores the page from the back/forward cache, with its button still disabled. */
function useWakeUp(wake: () => void) {
  const wakeAgain = useEffectEvent(wake)
  useEffect(() => {
    const onPageShow = (event: PageTransitionEvent) => {
      if (event.persisted) wakeAgain()
    }
    window.addEventListener('pageshow', onPageShow)
    return () => window.removeEventListener('pageshow', onPageShow)
  }, [])
}
