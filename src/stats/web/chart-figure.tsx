import { useId } from 'react'
import { part } from '#shop/web/ui/part.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import type { ChartProps } from './charts.tsx'

const charts = {
  bars: part(async () => (await import('./charts.tsx')).Bars),
  months: part(async () => (await import('./charts.tsx')).Months),
  shares: part(async () => (await import('./charts.tsx')).Shares),
}

type ChartFigureProps = ChartProps & {
  kind: keyof typeof charts
  /** What one has to know to read it. */
  note?: string
  /** The headings of the table: what is counted, and how much. */
  columns: readonly [string, string]
}

/** A chart, and the same as a table for those who cannot see it or want the figures. */
export function ChartFigure({ title, kind, note, columns, data, format }: ChartFigureProps) {
  const id = useId()
  const Chart = charts[kind]
  return (
    // A chart gets its new width a moment after its figure; until then it must not make the page wider.
    <figure aria-labelledby={id} className="min-w-0 overflow-x-clip border border-line bg-raised p-4 sm:p-6">
      <figcaption className="mb-5">
        <h2 id={id} className="text-name">
          {title}
        </h2>
        {note && <p className="mt-1 text-fine text-muted">{note}</p>}
      </figcaption>
      <Chart
        title={title}
        data={data}
        format={format}
        fallback={<Skeleton className="h-72 w-full" />}
        instead={
          <p className="text-small text-muted">The chart could not be loaded; its figures are below.</p>
        }
      />
      <details className="group mt-3">
        <summary className="inline-flex min-h-11 items-center text-small text-muted underline underline-offset-4 hover:text-ink">
          As a table
        </summary>
        <table className="mt-2 w-full max-w-md text-small">
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr className="border-b border-line text-left text-muted">
              <th scope="col" className="py-2 font-medium">
                {columns[0]}
              </th>
              <th scope="col" className="py-2 text-right font-medium">
                {columns[1]}
              </th>
            </tr>
          </thead>
          <tbody className="tabular-nums">
            {data.map(({ name, value, valueText }) => (
              <tr key={name} className="border-b border-line">
                <th scope="row" className="py-2 text-left font-normal">
                  {name}
                </th>
                <td className="py-2 text-right">{valueText ?? (value === null ? '–' : format(value))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

/** As high as the figure that takes its place. */
export function ChartFigureSkeleton() {
  return <Skeleton className="h-[27.5rem] w-full" />
}
