import { useRef, type ReactNode, type RefObject } from 'react'
import { Button } from './button.tsx'

type Query<T> = {
  /** The response to the previous query, until there is a new one. */
  data?: T
  currentData?: T
  isError: boolean
  isSuccess?: boolean
  error?: object
  isFetching: boolean
  refetch: () => unknown
}

type QueryStateProps<T> = {
  query: Query<T>
  /** Skeletons that are as large as what will come. */
  loading: ReactNode
  /** The exact text that is shown when the query fails. */
  failed: string
  /** Beside 'Try again', where trying again may not help. */
  wayOn?: ReactNode
  /** Shown when there is nothing, or can be nothing, with a way to go on. */
  empty?: ReactNode
  isEmpty?: (data: T) => boolean
  /** What is pressed to load something else, such as a pager: it stays, with its focus, while that is loading. */
  below?: (data: T) => ReactNode
  children: (data: T) => ReactNode
}

/**
 * Tells loading, failed, empty and ready apart: a list that failed never says that it is empty. When a refetch
 * fails, what is shown stays, and the message about it does not move it.
 */
export function QueryState<T>({
  query,
  loading,
  failed,
  wayOn,
  empty,
  isEmpty,
  below,
  children,
}: QueryStateProps<T>) {
  const { data, currentData, isError, isSuccess, error, isFetching, refetch } = query
  const isNothing = currentData !== undefined && isEmpty?.(currentData) === true
  const shown = staysShown(error, !isNothing) ? currentData : undefined
  const start = useRef<HTMLSpanElement>(null)
  const end = useRef<HTMLSpanElement>(null)
  const askAgain = async (place: Place) => {
    await refetch()
    // The button may be gone with its message, and the focus with it.
    requestAnimationFrame(() => {
      const isLost = document.activeElement === document.body
      if (isLost) (place.current ?? start.current)?.focus({ preventScroll: true })
    })
  }
  const tryAgain = (place: Place) => (
    <Button
      variant="outline"
      isBusy={isFetching}
      onClick={() => void askAgain(place)}
      className="whitespace-nowrap max-sm:px-3"
    >
      Try again
    </Button>
  )
  const content = () => {
    // A response without the data counts as a failure.
    if (shown === undefined && (isError || isSuccess) && !isFetching) {
      // The server does not accept such a query, so nothing can match it, and trying again would not help.
      if (empty && statusOf(error) === 400) return empty
      return (
        <Notice role="alert" text={failed}>
          {tryAgain(start)}
          {wayOn}
        </Notice>
      )
    }
    if (shown !== undefined && isNothing) return empty
    return (
      <>
        {shown === undefined ? (
          <div aria-busy="true">
            <span className="sr-only">Loading…</span>
            {loading}
          </div>
        ) : (
          children(shown)
        )}
        {data !== undefined && below?.(data)}
        <PlaceOfFocus ref={end} />
        {shown !== undefined && error && (
          <div
            role="alert"
            className="sticky bottom-2 z-10 mx-auto mt-6 flex w-fit items-center gap-4 rounded-cut border border-line bg-raised py-2 pr-2 pl-4 shadow-lift max-sm:gap-2 max-sm:pl-3 md:max-lg:mr-0"
          >
            <p className="max-sm:text-small max-sm:whitespace-nowrap">
              <span className="max-sm:sr-only">{failed} </span>This may have changed.
            </p>
            {tryAgain(end)}
          </div>
        )}
      </>
    )
  }
  return (
    <>
      <PlaceOfFocus ref={start} />
      {content()}
    </>
  )
}

type Place = RefObject<HTMLSpanElement | null>

/** A place for the focus, from which the keyboard goes on; it takes no room, and no gap in a layout. */
function PlaceOfFocus({ ref }: { ref: Place }) {
  return <span ref={ref} tabIndex={-1} className="absolute outline-none" />
}

type Failure = object | undefined
const statusOf = (error: Failure) => error && 'status' in error && error.status

/**
 * Whether what is shown stays after a failed refetch. It does not if the server refused the query (other than by
 * being busy or unreachable), nor if the list was empty, which may no longer be true.
 */
export function staysShown(error: Failure, isSomething: boolean): boolean {
  const status = statusOf(error)
  const isRefused = typeof status === 'number' && status < 500 && status !== 429
  return !error || (isSomething && !isRefused)
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
