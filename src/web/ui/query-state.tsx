import type { ReactNode } from 'react'
import { Button } from './button.tsx'

type Query<T> = { currentData?: T | undefined; isError: boolean; isFetching: boolean; refetch: () => unknown }

type QueryStateProps<T> = {
  query: Query<T>
  /** Skeletons that take the room of what will come. */
  loading: ReactNode
  /** What is said when it fails, to the letter. */
  failed: string
  /** Beside 'Try again', where trying again may not help. */
  wayOn?: ReactNode
  /** What stands there when there is nothing, and where to go on from there. */
  empty?: ReactNode
  isEmpty?: (data: T) => boolean
  children: (data: T) => ReactNode
}

/** Loading, failed, empty and ready, told apart: a list that failed never says that it is empty. */
export function QueryState<T>({
  query,
  loading,
  failed,
  wayOn,
  empty,
  isEmpty,
  children,
}: QueryStateProps<T>) {
  const { currentData, isError, isFetching, refetch } = query
  if (isError && !isFetching) {
    return (
      <Notice role="alert" text={failed}>
        <Button variant="outline" onClick={() => void refetch()}>
          Try again
        </Button>
        {wayOn}
      </Notice>
    )
  }
  if (currentData === undefined) {
    return (
      <div aria-busy="true">
        <span className="sr-only">Loading…</span>
        {loading}
      </div>
    )
  }
  return isEmpty?.(currentData) ? empty : children(currentData)
}

type NoticeProps = { text: string; role?: 'alert'; detail?: ReactNode; children?: ReactNode }

/** A place that is empty or failed: one sentence, and a way on. */
export function Notice({ text, role, detail, children }: NoticeProps) {
  return (
    <div role={role} className="flex flex-col items-center gap-4 px-4 py-16 text-center md:py-24">
      <hr className="stitch w-24" aria-hidden />
      <p className="max-w-prose font-display text-section text-balance">{text}</p>
      {detail && <p className="max-w-prose text-muted">{detail}</p>}
      {children && <div className="mt-2 flex flex-wrap justify-center gap-3">{children}</div>}
    </div>
  )
}
