import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

type Draft = Record<string, string>

/**
 * What was typed into a form and not saved, for as long as the tab lives: whoever has followed a link, gone back or loaded
 * the page again finds it where it was.
 *
 * @param of what the form is about, and which version of it
 * @returns `draft` that an earlier visit left, and `drop` for when it is saved or not wanted
 */
export function useDraft(form: RefObject<HTMLFormElement | null>, of: string) {
  const storedAs = `draft of ${of}`
  const [draft] = useState(() => readDraft(storedAs))
  const isOver = useRef(false)
  useLayoutEffect(() => {
    const element = form.current
    if (!element) return
    const atStart = textOf(element)
    const keep = () => {
      const text = textOf(element)
      if (!isOver.current && (draft || text !== atStart)) store(storedAs, text)
    }
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [form, draft, storedAs])
  const drop = () => {
    isOver.current = true
    store(storedAs, null)
  }
  return { draft, drop }
}

function textOf(form: HTMLFormElement): string {
  const fields = [...new FormData(form)].filter(([, value]) => typeof value === 'string')
  return JSON.stringify(Object.fromEntries(fields))
}

function readDraft(storedAs: string): Draft | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storedAs) ?? 'null')
    return typeof stored === 'object' && stored !== null ? (stored as Draft) : undefined
  } catch {
    return undefined
  }
}

function store(storedAs: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(storedAs)
    else sessionStorage.setItem(storedAs, text)
  } catch {
    // A browser without storage forgets it.
  }
}
