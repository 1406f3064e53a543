import { useDeferredValue, useState, useSyncExternalStore } from 'react'
import { readersDate, styles } from './date-formats.ts'

type DateOfProps = { iso: string; withTime?: boolean; className?: string }

/** A day as the reader writes it, with the exact time for whoever points at it. */
export function DateOf({ iso, withTime = false, className }: DateOfProps) {
  const [isPointedAt, setPointedAt] = useState(false)
  // The server knows neither language nor place of the reader: what it said stays until the page has come to life. Not
  // before, because a browser takes a tenth of a second on a slow phone to begin to format dates.
  const isReaderKnown = useDeferredValue(
    useSyncExternalStore(
      neverChanges,
      () => true,
      () => false,
    ),
  )
  const inWords = (style: keyof typeof styles) => {
    if (import.meta.env.SSR) {
      return new Date(iso).toLocaleString('en-US', { ...styles[style], timeZone: 'UTC' })
    }
    return isReaderKnown ? readersDate(style).format(new Date(iso)) : ''
  }
  return (
    <time
      dateTime={iso}
      title={isPointedAt ? inWords('exact') : undefined}
      onPointerEnter={() => setPointedAt(true)}
      className={className}
      suppressHydrationWarning
    >
      {inWords(withTime ? 'moment' : 'day')}
    </time>
  )
}

const neverChanges = () => () => {}
