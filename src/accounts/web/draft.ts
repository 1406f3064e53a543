import { useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { useSelector } from 'react-redux'
import { selectUser } from './session.ts'

type Draft = Record<string, string>

/**
 * What somebody typed into a form and did not save, for as long as the tab lives: when they have followed a link, gone
 * back or loaded the page again, they find it where it was. The next one at this screen does not.
 *
 * @param of what the form is about, and which version of it
 * @returns `draft` that an earlier visit left, and `drop` for when it is saved or not wanted
 */
export function useDraft(form: RefObject<HTMLFormElement | null>, of: string) {
  const user = useSelector(selectUser)
  // The page outlives its user by a moment.
  const [storedAs] = useState(`draft by ${user?._id} of ${of}`)
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
