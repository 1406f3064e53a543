import { useSyncExternalStore } from 'react'

type DateOfProps = { iso: string; withTime?: boolean; className?: string }

/** A day as the reader writes it, with the exact time for whoever points at it. */
export function DateOf({ iso, withTime = false, className }: DateOfProps) {
  const isReaderKnown = useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  )
  const date = new Date(iso)
  const locale = isReaderKnown ? undefined : 'en-US'
  const timeZone = isReaderKnown ? undefined : 'UTC'
  return (
    <time
      dateTime={iso}
      title={date.toLocaleString(locale, { dateStyle: 'full', timeStyle: 'long', timeZone })}
      className={className}
    >
      {date.toLocaleString(locale, {
        dateStyle: 'long',
        timeStyle: withTime ? 'short' : undefined,
        timeZone,
      })}
    </time>
  )
}

/** The server knows neither language nor place of the reader: its page says another day until it comes to life. */
const neverChanges = () => () => {}
