import { Link } from 'react-router'

type PagerProps = {
  page: number
  totalPages: number
  /** The address of a page, such as `?page=2`. */
  hrefOf: (page: number) => string
  label?: string
}

/** Links, so that a page can be opened in a tab or without script; at the ends, buttons that are really disabled. */
export function Pager({ page, totalPages, hrefOf, label = 'Pages' }: PagerProps) {
  if (totalPages < 1) return null
  return (
    <nav
      aria-label={label}
      className="grid grid-cols-2 items-center justify-items-center gap-1 sm:flex sm:justify-center"
    >
      <Step label="Previous" to={page > 1 ? hrefOf(page - 1) : null} />
      <ul className="order-last col-span-2 flex flex-wrap items-center justify-center gap-1 sm:order-none">
        {numbersAround(page, totalPages).map((number) =>
          number < 0 ? (
            <li key={number} aria-hidden className="px-1 text-muted">
              …
            </li>
          ) : (
            <li key={number}>
              <Link
                to={hrefOf(number)}
                aria-label={`Page ${number}`}
                aria-current={number === page ? 'page' : undefined}
                className={`${step} min-w-11 tabular-nums aria-[current=page]:bg-action aria-[current=page]:text-on-action`}
              >
                {number}
              </Link>
            </li>
          ),
        )}
      </ul>
      <Step label="Next" to={page < totalPages ? hrefOf(page + 1) : null} />
    </nav>
  )
}

function Step({ label, to }: { label: string; to: string | null }) {
  if (to === null) {
    return (
      <button type="button" disabled className={`${step} cursor-not-allowed px-4 text-muted opacity-70`}>
        {label}
      </button>
    )
  }
  return (
    <Link to={to} className={`${step} px-4`}>
      {label}
    </Link>
  )
}

/** First, last and the neighbours of the page; a negative number stands for those left out. */
function numbersAround(page: number, totalPages: number): number[] {
  const wanted = [1, page - 1, page, page + 1, totalPages].filter(
    (number) => number >= 1 && number <= totalPages,
  )
  const numbers = [...new Set(wanted)].sort((a, b) => a - b)
  return numbers.flatMap((number, index) => {
    const before = numbers[index - 1] ?? 0
    if (number - before === 2) return [number - 1, number]
    return number - before > 2 ? [-number, number] : [number]
  })
}

const step =
  'inline-flex min-h-11 items-center justify-center rounded-cut text-small font-medium transition-colors hover:not-disabled:not-aria-[current=page]:bg-sunken'
