import type { ReactNode } from 'react'
import { staysInPlace } from './scroll-restoration.ts'
import { Link } from './link.tsx'
import { Skeleton } from './skeleton.tsx'

export type Column<Row> = {
  name: string
  cell: (row: Row) => ReactNode
  /** Names the row: its heading in the table, its title on the card. */
  isHead?: boolean
  /** Buttons: below the rest on the card. */
  isActions?: boolean
  /** The link of its heading, and how the list is sorted by this column now. */
  sort?: { href: string; is: 'ascending' | 'descending' | undefined }
  className?: string
}

type DataTableProps<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}

/** Without room for columns, each row becomes a card. The table must be inside an `@container`. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>) {
  // Explicit roles, because tables that are not laid out as tables lose theirs in some browsers.
  return (
    <table role="table" className="block w-full text-small @4xl:table @4xl:border-y @4xl:border-line">
      <caption className="sr-only">{caption}</caption>
      <thead role="rowgroup" className="hidden @4xl:table-header-group">
        <tr role="row">
          {columns.map((column) => (
            <Head key={column.name} column={column} />
          ))}
        </tr>
      </thead>
      <tbody
        role="rowgroup"
        className="grid grid-cols-[minmax(0,1fr)] gap-4 @xl:grid-cols-2 @4xl:table-row-group"
      >
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            role="row"
            className="flex flex-col border border-line bg-raised p-4 @4xl:table-row @4xl:border-0 @4xl:border-t @4xl:bg-transparent @4xl:hover:bg-raised"
          >
            {columns.map((column) => (
              <Cell key={column.name} column={column}>
                {column.cell(row)}
              </Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Head<Row>({ column }: { column: Column<Row> }) {
  const { name, sort, isActions, className = '' } = column
  return (
    <th
      scope="col"
      role="columnheader"
      aria-sort={sort?.is}
      className={`px-3 text-fine font-medium text-muted ${isActions ? 'text-right print:hidden' : 'text-left'} ${className}`}
    >
      {sort ? (
        <Link
          to={sort.href}
          state={staysInPlace}
          aria-current={sort.is && 'true'}
          className="-mx-3 inline-flex min-h-11 items-center gap-1.5 px-3 whitespace-nowrap hover:text-ink aria-[current]:text-ink"
        >
          {name}
          <span aria-hidden className="w-3">
            {sort.is === 'ascending' ? '↑' : sort.is === 'descending' ? '↓' : ''}
          </span>
        </Link>
      ) : (
        <span className="inline-flex min-h-11 items-center whitespace-nowrap">{name}</span>
      )}
    </th>
  )
}

const places = '@4xl:table-cell @4xl:px-3 @4xl:py-3 @4xl:align-middle'

function Cell<Row>({ column, children }: { column: Column<Row>; children: ReactNode }) {
  const { name, isHead, isActions, className = '' } = column
  if (isHead) {
    return (
      <th scope="row" role="rowheader" className={`block pb-2 text-left font-medium ${places} ${className}`}>
        {children}
      </th>
    )
  }
  if (isActions) {
    return (
      <td role="cell" className={`mt-auto block pt-3 print:hidden ${places} ${className}`}>
        <span className="flex flex-wrap gap-2 border-t border-line pt-3 @4xl:border-0 @4xl:pt-0 @4xl:flex-nowrap @4xl:justify-end">
          {children}
        </span>
      </td>
    )
  }
  return (
    <td
      role="cell"
      className={`grid grid-cols-[min(5rem,34%)_minmax(0,1fr)] gap-3 py-1 ${places} ${className}`}
    >
      <span className="text-muted wrap-normal @4xl:hidden">{name}</span>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </td>
  )
}

/** As high as the rows or cards that will come. */
export function DataTableSkeleton({ rows, cardHeight }: { rows: number; cardHeight: string }) {
  return (
    <div className="grid gap-4 @xl:grid-cols-2 @4xl:grid-cols-1 @4xl:gap-0 @4xl:border-y @4xl:border-line">
      <Skeleton className="my-3 hidden h-5 w-1/2 @4xl:block" />
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="@4xl:border-t @4xl:border-line @4xl:py-3">
          <Skeleton className={`w-full @4xl:h-11 ${cardHeight}`} />
        </div>
      ))}
    </div>
  )
}
