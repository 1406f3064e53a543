import { useDeferredValue, useSyncExternalStore } from 'react'

type DateOfProps = { iso: string; withTime?: boolean; className?: string }

/** A day as the reader writes it, with the exact time for whoever points at it. */
export function DateOf({ iso, withTime = false, className }: DateOfProps) {
  // The server knows neither language nor place of the reader: what it said stays until the page has come to life. Not
  // before, because a browser takes a tenth of a second on a slow phone to begin to format dates.
  const isReaderKnown = useDeferredValue(
    useSyncExternalStore(
      neverChanges,
      () => true,
      () => false,
    ),
  )
  const inWords = (options: Intl.DateTimeFormatOptions) => {
    if (import.meta.env.SSR) return new Date(iso).toLocaleString('en-US', { ...options, timeZone: 'UTC' })
    return isReaderKnown ? new Date(iso).toLocaleString(undefined, options) : ''
  }
  return (
    <time
      dateTime={iso}
      title={inWords({ dateStyle: 'full', timeStyle: 'long' })}
      className={className}
      suppressHydrationWarning
    >
      {inWords({ dateStyle: 'long', timeStyle: withTime ? 'short' : undefined })}
    </time>
  )
}

const neverChanges = () => () => {}
