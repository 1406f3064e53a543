import { useLayoutEffect, useRef } from 'react'
import { NavigationType, type Location } from 'react-router'
import { notePageMoved } from './double-clicks.ts'
import { isRecord } from './is-record.ts'
import { afterPaint, layOutAll, layOutSeen } from './later-parts.ts'
import { readStored, writeStored } from './stored.ts'

/** As the `state` of a link or navigation: it is the same page, so the scroll position stays. */
export const staysInPlace = { staysInPlace: true } as const

const storedAs = 'scroll'
const giveUpAfterMs = 3000
/** In pixels. Somebody who has scrolled no further sees as much as at the top. */
const nearTop = 100
// The last stands for the scrollbar, whose use fires no other event of these.
const readerEvents = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const

/**
 * A new page starts at its top or its `#hash`; Back, Forward and Reload return to the last scroll position.
 *
 * @param location of the page that is shown
 * @param type how it was reached
 */
export function useScrollRestoration(location: Location, type: NavigationType): void {
  const { key, hash, pathname, search } = location
  const state: unknown = location.state
  // Every page that the browser itself has loaded has the key `default`.
  const place = key === 'default' ? pathname + search : key
  const lastPath = useRef<string>(null)
  const lastPlace = useRef(place)

  useLayoutEffect(() => {
    history.scrollRestoration = 'manual'
    positions ??= readPositions()
    const isFirst = lastPath.current === null
    if (isFirst && !isLoadedAgain()) positions.delete(place)
    const isSamePath = lastPath.current === pathname
    lastPath.current = pathname
    const isReturn = type === NavigationType.Pop
    // Remembered, because reading `scrollY` here would force one more layout.
    const last = positions.get(lastPlace.current) ?? 0
    lastPlace.current = place
    const stop = isReturn
      ? returnTo(positions.get(place), isFirst, isSamePath, hash)
      : scrollToStart(state, hash, last)
    if (!isReturn) positions.set(place, staysHere(state) ? last : scrollY)
    const remember = () => {
      if (!isScrollingToTarget) positions?.set(place, scrollY)
    }
    // Somebody may leave while they scroll, before the page gets the scroll event.
    const leave = () => {
      remember()
      writePositions(positions)
    }
    addEventListener('scroll', remember, { passive: true })
    addEventListener('pagehide', leave)
    // Somebody may have scrolled before this listener was added.
    if (isFirst && !positions.has(place)) afterPaint(remember)
    return () => {
      stop?.()
      removeEventListener('scroll', remember)
      removeEventListener('pagehide', leave)
    }
  }, [place, hash, pathname, type, state])
}

/** Whether Reload, Back or Forward loaded the page: after a link from elsewhere, old positions mean nothing. */
function isLoadedAgain(): boolean {
  const [entry] = performance.getEntriesByType('navigation')
  return entry instanceof PerformanceNavigationTiming && entry.type !== 'navigate'
}

let positions: Map<string, number> | undefined

const staysHere = (state: unknown) => isRecord(state) && 'staysInPlace' in state

/** @param last the scroll position of the previous page, in pixels */
function scrollToStart(state: unknown, hash: string, last: number): (() => void) | undefined {
  if (staysHere(state)) {
    if (last < nearTop) layOutSeen()
    return undefined
  }
  notePageMoved()
  if (hash) {
    layOutAll()
    return scrollUntilReached(() => scrollToTarget(hash))
  }
  layOutSeen()
  scrollTo(0, 0)
  return undefined
}

function returnTo(
  y: number | undefined,
  isFirst: boolean,
  isSamePath: boolean,
  hash: string,
): (() => void) | undefined {
  // The browser itself has followed a plain `#` link.
  if (isSamePath && hash) return undefined
  // The browser starts at the top by itself, too; `scrollTo` would force a layout before the page takes any input.
  if (isFirst && !y && !hash) return undefined
  layOutAll()
  if (y === undefined && hash) return scrollToStart(null, hash, 0)
  return scrollUntilReached(() => {
    scrollTo(0, y ?? 0)
    return Math.abs(scrollY - (y ?? 0)) < 2
  })
}

function scrollToTarget(hash: string): boolean {
  const target = document.getElementById(hash.slice(1))
  target?.scrollIntoView()
  return target !== null
}

/** While the page is still scrolling to its target, its position is none that the reader has chosen. */
let isScrollingToTarget = false

/** Tries again while the page still grows, until the reader scrolls or it has taken too long. */
function scrollUntilReached(attempt: () => boolean): (() => void) | undefined {
  if (attempt()) return undefined
  const growth = new ResizeObserver(() => {
    if (attempt()) stop()
  })
  isScrollingToTarget = true
  const stop = () => {
    isScrollingToTarget = false
    growth.disconnect()
    clearTimeout(timer)
    for (const event of readerEvents) removeEventListener(event, stop)
  }
  const timer = setTimeout(stop, giveUpAfterMs)
  growth.observe(document.body)
  for (const event of readerEvents) addEventListener(event, stop, { passive: true })
  return stop
}

function readPositions(): Map<string, number> {
  const stored = readStored(storedAs, 'sessionStorage')
  const entries = Array.isArray(stored) ? stored : []
  return new Map(entries.filter(isPosition))
}

function isPosition(entry: unknown): entry is [string, number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number'
}

/** Without storage, only a reload forgets the positions and begins at the top. */
function writePositions(byPlace: Map<string, number> | undefined): void {
  if (byPlace) writeStored(storedAs, [...byPlace].slice(-100), 'sessionStorage')
}
