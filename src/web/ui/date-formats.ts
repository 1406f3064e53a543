export const styles = {
  day: { dateStyle: 'long' },
  moment: { dateStyle: 'long', timeStyle: 'short' },
  exact: { dateStyle: 'full', timeStyle: 'long' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

const formats: Partial<Record<keyof typeof styles, Intl.DateTimeFormat>> = {}

/** As the reader writes dates. The first of each style takes some hundredths of a second on a slow phone. */
export function readersDate(style: keyof typeof styles): Intl.DateTimeFormat {
  return (formats[style] ??= new Intl.DateTimeFormat(undefined, styles[style]))
}
