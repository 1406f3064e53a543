import { useDeferredValue, useEffect, useState, useSyncExternalStore } from 'react'
import { whenIdle } from './idle.ts'

const styles = {
  day: { dateStyle: 'long' },
  moment: { dateStyle: 'long', timeStyle: 'short' },
  exact: { dateStyle: 'full', timeStyle: 'long' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

const formats: Partial<Record<keyof typeof styles, Intl.DateTimeFormat>> = {}

/** Formats in the reader's locale. The first of each style takes some hundredths of a second on a slow phone. */
function readersDate(style: keyof typeof styles): Intl.DateTimeFormat {
  return (formats[style] ??= new Intl.DateTimeFormat(undefined, styles[style]))
}

type DateOfProps = { iso: string; withTime?: boolean; className?: string }

/** A day as the reader writes it, with the exact time as its title. */
export function DateOf({ iso, withTime = false, className }: DateOfProps) {
  const isIdle = useIdle()
  // The server knows neither the language nor the time zone of the reader: its text stays until the page is
  // hydrated, because on a slow phone a browser takes a tenth of a second before it can format any dates.
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
  if (Number.isNaN(Date.parse(iso))) return null
  return (
    <time
      dateTime={iso}
      title={import.meta.env.SSR || isIdle ? inWords('exact') : undefined}
      className={className}
      suppressHydrationWarning
    >
      {inWords(withTime ? 'moment' : 'day')}
    </time>
  )
}

/** Whether the browser has been idle once. */
function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => whenIdle(() => setIdle(true)), [])
  return isIdle
}

const neverChanges = () => () => {}
