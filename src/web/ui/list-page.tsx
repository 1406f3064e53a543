import type { ReactNode } from 'react'
import { Navigate } from 'react-router'
import type { ListAddress } from './list-address.ts'
import { Pager } from './pager.tsx'
import { staysShown } from './query-state.tsx'
import { showing, type Shown } from './showing.ts'

/** The id of a list's count, which gets the focus when the row that had it is gone. */
export const listCountId = 'list-count'

type ListPageProps = { address: ListAddress; totalPages: number }

/** A page of a list; one beyond the end redirects to the last page. */
export function ListPage({ address, totalPages, children }: ListPageProps & { children: ReactNode }) {
  if (totalPages > 0 && address.page > totalPages) {
    return <Navigate replace to={address.hrefWith({ page: totalPages })} />
  }
  return children
}

/** The pager of a list, if that has other pages. */
export function ListPager({ address, totalPages }: ListPageProps) {
  if (totalPages <= 1) return null
  return (
    <div className="mt-10">
      <Pager page={address.page} totalPages={totalPages} hrefOf={(page) => address.hrefWith({ page })} />
    </div>
  )
}

type ListCountProps = {
  query: { isError: boolean; error?: object }
  /** Undefined until the list is there. */
  shown: Shown | undefined
  waiting: string
}

/**
 * Says which rows of how many are shown, and announces changes. Says nothing about a list that failed, which
 * reports that itself, nor that a list is empty after a refetch has failed.
 */
export function ListCount({ query: { isError, error }, shown, waiting }: ListCountProps) {
  const summary = shown && staysShown(error, shown.total > 0) ? showing(shown) : !isError && waiting
  return (
    <div aria-live="polite" className="flex min-h-11 items-center">
      {summary && (
        <h2
          id={listCountId}
          tabIndex={-1}
          className="font-body text-small font-normal tracking-normal text-muted wrap-anywhere"
        >
          {summary}
        </h2>
      )}
    </div>
  )
}
