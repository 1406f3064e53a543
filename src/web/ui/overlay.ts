import { useEffect, useRef, useState } from 'react'
import { notePageMoved } from './double-clicks.ts'

/** The current history entry of something that is open over the page: none, there, or being taken back. */
let entry: 'none' | 'there' | 'leaving' = 'none'

/** In a history entry: React Router's index of its page, whether something lies over it, and if entries follow. */
type EntryState = { idx?: number; liesOver?: true; hasMore?: true }

const stateOf = () => (history.state ?? {}) as EntryState

/** `history.length` when the last such entry was pushed: if it has grown since, more entries follow. */
let historyLengthAtPush = Infinity

/** Pushes an entry for something over the page; nothing follows it yet. */
function pushOverlayEntry(): void {
  history.pushState({ ...stateOf(), liesOver: true }, '')
  historyLengthAtPush = history.length
}

/**
 * For something that opens over a page, from a file of its own. A `part()` is rendered once it `wasOpened`; if its
 * file fails to load, `giveUp` closes it. `leave` closes it and calls `next` when it is gone. Back closes it and
 * does not leave the page. Once it is closed, these functions do nothing: something else may be open by then.
 */
export function useOverlay() {
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  const isThere = useRef(false)
  const hide = () => {
    isThere.current = false
    setOpen(false)
  }
  const leave = (next: () => void) => {
    if (!isThere.current) return
    closeOverlay(() => {
      hide()
      next()
    })
  }
  const open = () => {
    if (isThere.current) return
    isThere.current = true
    setOpened(true)
    setOpen(true)
    openOverlay(hide)
  }
  const close = () => leave(() => undefined)
  // The page may be replaced while it is open.
  useEffect(
    () => () => {
      if (isThere.current) closeOverlay(() => undefined)
    },
    [],
  )
  const giveUp = () => {
    setOpened(false)
    close()
  }
  return { isOpen, wasOpened, open, close, leave, giveUp }
}

/** Pushes a history entry for it. React Router takes that for the page's own entry: nothing is navigated. */
function openOverlay(close: () => void): void {
  entry = 'there'
  lastVisitedIndex = undefined
  // One of its buttons may be where the button was that opened it.
  notePageMoved()
  pushOverlayEntry()
  addEventListener('popstate', close, { once: true })
}

/**
 * Changes the address of the page below: Back first closes what lies over it, and then undoes the change.
 *
 * @param go navigates; with `replace`, it replaces the entry of what is open, which is then pushed again
 */
export function navigateBelowOverlay(go: (replace: boolean) => void): void {
  const isOver = entry === 'there' && stateOf().liesOver === true
  go(isOver)
  if (isOver) pushOverlayEntry()
}

/** Leaves for `address`, whose entry then follows: `history.length` does not show it, because it has a maximum. */
export function leaveForAddress(address: string): void {
  historyLengthAtPush = 0
  location.assign(address)
}

/** Takes the entry back, so that the next Back leaves the page; calls `next` then, or at once without an entry. */
export function closeOverlay(next: () => void): void {
  notePageMoved()
  if (entry === 'none' || !stateOf().liesOver) return next()
  addEventListener('popstate', next, { once: true })
  if (entry === 'there') history.back()
  entry = 'leaving'
}

/** The `idx` of the page that Back or Forward reached last; undefined once something was opened since. */
let lastVisitedIndex: unknown

/**
 * Called once, in the browser. After Forward or a reload, the panel of an entry is gone, and the next Back would
 * seem to do nothing. Such an entry is skipped: backwards, or forwards if more entries follow it.
 */
export function skipStaleOverlayEntries(): void {
  const skipStaleEntry = (isLast = false) => {
    entry = 'none'
    const state = stateOf()
    if (!state.liesOver) lastVisitedIndex = state.idx
    else if (lastVisitedIndex !== state.idx) {
      if (!isLast) history.replaceState({ ...state, hasMore: true }, '')
      history.back()
    } else history.go(state.hasMore ? 1 : -1)
  }
  const [load] = performance.getEntriesByType('navigation')
  // After a reload, nothing follows the entry of what was open, unless its state says so.
  skipStaleEntry(load instanceof PerformanceNavigationTiming && load.type === 'reload')
  addEventListener('popstate', () => skipStaleEntry())
  // A page from the back/forward cache still shows what was open. It may be reached from pages that were opened
  // there, whose entries follow, or from pages before it.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && stateOf().liesOver && history.length > historyLengthAtPush)
      history.replaceState({ ...stateOf(), hasMore: true }, '')
  })
}
