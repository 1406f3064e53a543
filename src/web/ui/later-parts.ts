import { createContext, use, useDeferredValue, useEffect, type ReactNode } from 'react'
import type { Location } from 'react-router'

const root = () => document.documentElement.classList

/** After the next frame has been painted: the page is laid out then, and measuring it costs nothing. */
export const afterPaint = (work: () => void) => requestAnimationFrame(() => setTimeout(work))

/** Gives what lies further down (`below-*` in `theme.css`) its true height, which scrolling there needs. */
export function layOutAll(): void {
  root().add('laid-out')
  root().remove('seen-first')
}

/** For a new page: what lies further down is laid out after what is seen. */
export function layOutSeen(): void {
  root().remove('laid-out')
  root().add('seen-first')
}

/** Adds what a page can do without at first: the body font and, at the same time, what lies further down. */
export function useLaterParts({ key }: Location): void {
  useEffect(() => {
    const complete = () => {
      root().add('lettered')
      layOutAll()
    }
    const completeSoon = () => afterPaint(complete)
    // Hidden parts do not wait for the font.
    if (root().contains('seen-first')) afterPaint(layOutAll)
    void document.fonts.load('1em "Instrument Sans"').then(completeSoon, completeSoon)
  }, [key])
}

/** Whether the page was loaded or returned to: the server has rendered it, or the reader has been there before. */
export const ReturnContext = createContext(true)

/** Renders what lies further down after what is seen; at once if the reader may have been down there before. */
export function Later({ children }: { children: ReactNode }): ReactNode {
  return useDeferredValue(true, use(ReturnContext)) && children
}
