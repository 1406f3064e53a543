type DateOfProps = { iso: string; withTime?: boolean }

/** A day as the reader writes it, with the exact time for whoever points at it. */
export function DateOf({ iso, withTime = false }: DateOfProps) {
  const date = new Date(iso)
  return (
    <time dateTime={iso} title={date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })}>
      {date.toLocaleString(undefined, { dateStyle: 'long', timeStyle: withTime ? 'short' : undefined })}
    </time>
  )
}
