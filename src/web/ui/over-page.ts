import { useEffect, useRef, useState } from 'react'
import { pageHasMoved } from './double-clicks.ts'

/** The last entry of the browser's history, when that is one of something that lies open over its page. */
let entry: 'none' | 'there' | 'leaving' = 'none'

/** What React Router and we say in an entry: the number of its page, whether something lies over it, and something is beyond. */
type EntryState = { idx?: number; liesOver?: true; hasMore?: true }

const stateOf = () => (history.state ?? {}) as EntryState

/** How many entries there were when the last one was made: more of them lie beyond it. */
let madeAt = Infinity

/** An entry over the page, after which there is nothing yet. */
function pushOver(): void {
  history.pushState({ ...stateOf(), liesOver: true }, '')
  madeAt = history.length
}

/**
 * For what opens over a page, from a file of its own: `part()` is in the page once it `wasOpened`, and what does not come
 * is closed by `giveUp`; `leave` closes it and goes on when it is gone. Back closes it and does not leave the page. Once it
 * is closed nothing here does anything: another may lie there by then.
 */
export function useOver() {
  const [isOpen, setOpen] = useState(false)
  const [wasOpened, setOpened] = useState(false)
  const isThere = useRef(false)
  const hide = () => {
    isThere.current = false
    setOpen(false)
  }
  const leave = (next: () => void) => {
    if (!isThere.current) return
    closeOver(() => {
      hide()
      next()
    })
  }
  const open = () => {
    if (isThere.current) return
    isThere.current = true
    setOpened(true)
    setOpen(true)
    openOver(hide)
  }
  const close = () => leave(() => undefined)
  // A page without it may come while it is open.
  useEffect(
    () => () => {
      if (isThere.current) closeOver(() => undefined)
    },
    [],
  )
  const giveUp = () => {
    setOpened(false)
    close()
  }
  return { isOpen, wasOpened, open, close, leave, giveUp }
}

/** Gives it an entry in the browser's history. To React Router it is the page's own once more: nothing has moved. */
function openOver(close: () => void): void {
  entry = 'there'
  landedOn = undefined
  // Its own button may lie where the one was that opened it.
  pageHasMoved()
  pushOver()
  addEventListener('popstate', close, { once: true })
}

/**
 * Changes the address of the page below: Back closes what lies over it first, and then takes the change back.
 *
 * @param go goes there, in place of the entry that is open over the page if it is told to `replace` it
 */
export function goBelow(go: (replace: boolean) => void): void {
  const isOver = entry === 'there' && stateOf().liesOver === true
  go(isOver)
  if (isOver) pushOver()
}

/** Leaves for what lies beyond that entry then, which a history that is full does not tell: it grows no longer. */
export function goBeyond(address: string): void {
  madeAt = 0
  location.assign(address)
}

/** Takes that entry back, so that the next Back leaves the page; `next` comes when it is gone, or at once without one. */
export function closeOver(next: () => void): void {
  pageHasMoved()
  if (entry === 'none' || !stateOf().liesOver) return next()
  addEventListener('popstate', next, { once: true })
  if (entry === 'there') history.back()
  entry = 'leaving'
}

/** React Router's number of the page that Back or Forward came to last, while nothing has been opened over it since. */
let landedOn: unknown

/**
 * Called once, in the browser: an entry whose panel is gone, after Forward or a reload, would make the next Back do nothing.
 * It is passed by: backwards, or forwards where there was something beyond it.
 */
export function keepOutOfOldEntries(): void {
  const passBy = (isLast = false) => {
    entry = 'none'
    const state = stateOf()
    if (!state.liesOver) landedOn = state.idx
    else if (landedOn !== state.idx) {
      if (!isLast) history.replaceState({ ...state, hasMore: true }, '')
      history.back()
    } else history.go(state.hasMore ? 1 : -1)
  }
  const [load] = performance.getEntriesByType('navigation')
  // What was open when the page was loaded anew has nothing beyond it, unless it says so.
  passBy(load instanceof PerformanceNavigationTiming && load.type === 'reload')
  addEventListener('popstate', () => passBy())
  // A page that the browser has kept comes back with what was open, from what was opened there or from pages before it.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && stateOf().liesOver && history.length > madeAt)
      history.replaceState({ ...stateOf(), hasMore: true }, '')
  })
}
