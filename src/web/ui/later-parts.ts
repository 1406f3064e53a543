import { createContext, use, useDeferredValue, useEffect, type ReactNode } from 'react'
import type { Location } from 'react-router'

const root = () => document.documentElement.classList

/** When the next frame has been painted: then the page is laid out, and can be asked for its measures at no cost. */
export const afterPaint = (work: () => void) => requestAnimationFrame(() => setTimeout(work))

/** What lies further down (`below-*` in `theme.css`) has its true height from now on: whoever scrolls there needs it. */
export function layOutAll(): void {
  root().add('laid-out')
  root().remove('seen-first')
}

/** For a new page: what lies further down is laid out after what is seen. */
export function layOutSeen(): void {
  root().remove('laid-out')
  root().add('seen-first')
}

/** What a page can do without at first: the text's own font, and in the same go what lies further down. */
export function useLaterParts({ key }: Location): void {
  useEffect(() => {
    const complete = () => {
      root().add('lettered')
      layOutAll()
    }
    const completeSoon = () => afterPaint(complete)
    // What is hidden does not wait for a font.
    if (root().contains('seen-first')) afterPaint(layOutAll)
    void document.fonts.load('1em "Instrument Sans"').then(completeSoon, completeSoon)
  }, [key])
}

/** Whether the browser came to the page by itself: it was sent whole by the server, or somebody has been there before. */
export const ReturnContext = createContext(true)

/** What lies further down, after what is seen; at once for whoever may have been down there. */
export function Later({ children }: { children: ReactNode }): ReactNode {
  return useDeferredValue(true, use(ReturnContext)) && children
}
