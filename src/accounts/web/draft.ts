import { useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { useSelector } from 'react-redux'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'
import { selectUser } from './session.ts'

type Draft = Record<string, string>
/** `blank` is what the form contains without the draft. */
type StoredDraft = { blank: Draft; draft: Draft }

/**
 * Keeps what a user typed into a form and did not save, for as long as the tab lives: it is there again after
 * following a link, going back or reloading. Another user at the same screen does not see it.
 *
 * @param of what the form is about, and which version of it
 * @returns `draft` that an earlier visit left, and `drop` for when it is saved or not wanted
 */
export function useDraft(form: RefObject<HTMLFormElement | null>, of: string) {
  const user = useSelector(selectUser)
  // Fixed at the first rendering: the page stays for a moment after its user has signed out.
  const [storedAs] = useState(nameOf(user?._id, of))
  const [stored] = useState(() => readStoredDraft(storedAs))
  const isDropped = useRef(false)
  useLayoutEffect(() => {
    const element = form.current
    if (!element) return
    let last = draftOf(element)
    const blank = stored?.blank ?? last
    const keep = () => {
      const draft = draftOf(element)
      // An unchanged draft is stored already, or was saved meanwhile from another form that began with it.
      if (isDropped.current || isSame(draft, last)) return
      last = draft
      store(storedAs, isSame(draft, blank) ? undefined : { blank, draft })
    }
    addEventListener('pagehide', keep)
    return () => {
      removeEventListener('pagehide', keep)
      keep()
    }
  }, [form, stored, storedAs])
  const drop = () => {
    isDropped.current = true
    store(storedAs, undefined)
  }
  return { draft: stored?.draft, drop }
}

/** Whether an earlier visit of this user left a draft. */
export function hasDraft(userId: string | undefined, of: string): boolean {
  return readStoredDraft(nameOf(userId, of)) !== undefined
}

const nameOf = (userId: string | undefined, of: string) => `draft by ${userId} of ${of}`

function draftOf(form: HTMLFormElement): Draft {
  const fields = [...new FormData(form)].filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  )
  return Object.fromEntries(fields)
}

function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function readStoredDraft(storedAs: string): StoredDraft | undefined {
  const stored = readStored(storedAs, 'sessionStorage')
  if (!isRecord(stored)) return undefined
  const { blank, draft } = stored
  return isDraft(blank) && isDraft(draft) ? { blank, draft } : undefined
}

function isDraft(stored: unknown): stored is Draft {
  return isRecord(stored) && Object.values(stored).every((value) => typeof value === 'string')
}

/** In a browser without storage, drafts are lost. */
function store(storedAs: string, stored: StoredDraft | undefined): void {
  writeStored(storedAs, stored, 'sessionStorage')
}
