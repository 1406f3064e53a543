export const styles = {
  day: { dateStyle: 'long' },
  moment: { dateStyle: 'long', timeStyle: 'short' },
  exact: { dateStyle: 'full', timeStyle: 'long' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

let formats: Record<keyof typeof styles, Intl.DateTimeFormat> | undefined

/** As the reader writes dates. The first time takes a tenth of a second on a slow phone. */
export function readersDates() {
  return (formats ??= {
    day: new Intl.DateTimeFormat(undefined, styles.day),
    moment: new Intl.DateTimeFormat(undefined, styles.moment),
    exact: new Intl.DateTimeFormat(undefined, styles.exact),
  })
}
