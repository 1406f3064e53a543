import type { MouseEvent } from 'react'
import { useNavigate } from 'react-router'
import { navigateBelowOverlay } from './overlay.ts'

type PagerProps = {
  page: number
  totalPages: number
  /** The address of a page, such as `?page=2`. */
  hrefOf: (page: number) => string
}

/**
 * Buttons of a form, so that they work without script too; hidden fields carry the other parameters of the
 * address. At the ends the buttons are really disabled.
 */
export function Pager({ page, totalPages, hrefOf }: PagerProps) {
  const navigate = useNavigate()
  if (page > totalPages) return null
  const [path, query] = hrefOf(page).split('?')
  const numbers = numbersAround(page, totalPages)
  /** Few enough to fit on a phone together with `Previous` and `Next`. */
  const isFew = numbers.length <= 3
  const others = [...new URLSearchParams(query)].filter(([name]) => name !== 'page')
  const buttonFor = (number: number) => ({
    type: 'submit' as const,
    name: 'page',
    value: number,
    disabled: number < 1 || number > totalPages,
    onClick: (event: MouseEvent<HTMLButtonElement>) => {
      event.preventDefault()
      if (number === page) return
      // The `Previous` or `Next` that leads there is about to be disabled, and would lose the focus.
      if (number === 1 || number === totalPages) focusNumber(event.currentTarget.form, number)
      // A cart pressed just before may open only once the list has changed.
      navigateBelowOverlay((replace) => void navigate(hrefOf(number), { replace }))
    },
  })
  return (
    <nav aria-label="Pages">
      <form
        method="get"
        action={path || undefined}
        className={`items-center gap-1 sm:flex sm:justify-center ${isFew ? 'flex justify-center' : 'mx-auto grid w-fit grid-cols-2'}`}
      >
        {others.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <button {...buttonFor(page - 1)} className={`${step} justify-self-start px-4`}>
          Previous
        </button>
        <ul
          className={`flex flex-wrap items-center justify-center gap-1 sm:order-none ${isFew ? '' : 'order-last'} col-span-2 ${rowsOf(numbers.length)}`}
        >
          {numbers.map((number) =>
            number < 0 ? (
              <li key={number} aria-hidden className="px-1 text-muted">
                …
              </li>
            ) : (
              <li key={number}>
                <button
                  {...buttonFor(number)}
                  aria-current={number === page ? 'page' : undefined}
                  className={`${step} min-w-11 tabular-nums aria-[current=page]:bg-action aria-[current=page]:text-on-action`}
                >
                  {number}
                </button>
              </li>
            ),
          )}
        </ul>
        <button {...buttonFor(page + 1)} className={`${step} justify-self-end px-4`}>
          Next
        </button>
      </form>
    </nav>
  )
}

/** Puts more numbers than fit on a phone into two even rows. */
function rowsOf(count: number): string {
  if (count > 7) return 'max-sm:max-w-60'
  return count === 7 ? 'max-[23rem]:max-w-48' : ''
}

function focusNumber(form: HTMLFormElement | null, number: number): void {
  form?.querySelector<HTMLButtonElement>(`li > button[value="${number}"]`)?.focus()
}

/** All numbers of a few pages; of many, the first, the last and those around the page. Negative for a gap. */
function numbersAround(page: number, totalPages: number): number[] {
  if (totalPages <= 10) return Array.from({ length: totalPages }, (_, index) => index + 1)
  // Always seven places, also near the ends.
  const from = Math.max(2, Math.min(page - 1, totalPages - 4))
  const upTo = Math.min(totalPages - 1, Math.max(page + 1, 5))
  const between = Array.from({ length: upTo - from + 1 }, (_, index) => from + index)
  const numbers = [1, ...between, totalPages]
  return numbers.flatMap((number, index) => {
    const before = numbers[index - 1] ?? 0
    if (number - before === 2) return [number - 1, number]
    return number - before > 2 ? [-number, number] : [number]
  })
}

const step =
  'inline-flex min-h-11 items-center justify-center rounded-cut text-small font-medium hover:not-disabled:not-aria-[current=page]:bg-sunken disabled:cursor-not-allowed disabled:text-muted disabled:opacity-70'
