import { memo, useId } from 'react'
import { Button } from '#shop/web/ui/button.tsx'
import { filterGroups, type FilterName, type Filters } from './filters.ts'

type ProductFiltersProps = {
  filters: Filters
  /** Called with an empty `value` if the current choice is taken back. Must be the same function each time. */
  onChoose: (name: FilterName, value: string) => void
}

/** One choice per group. A form, so that without JavaScript the browser makes the URL. */
export function ProductFilters({ filters, onChoose }: ProductFiltersProps) {
  return (
    <form
      method="get"
      action="/shop"
      className="flex flex-col gap-8"
      // On reload, Firefox would restore the choices by their position in the form, which a sort order shifts.
      autoComplete="off"
      onSubmit={(event) => event.preventDefault()}
    >
      {filters.sort && <input type="hidden" name="sort" value={filters.sort} />}
      {filterGroups(filters).map(({ name, title, choices }) => (
        <fieldset key={name}>
          <legend className="mb-1 font-display text-name font-medium">{title}</legend>
          <div className={name === 'color' ? 'grid grid-cols-2' : 'flex flex-col'}>
            {choices.map((choice) => (
              <Option
                key={choice.value}
                name={name}
                value={choice.value}
                label={choice.label}
                isChosen={filters[name] === choice.value}
                onChoose={onChoose}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <noscript>
        {import.meta.env.SSR && (
          <Button type="submit" className="w-full">
            Show products
          </Button>
        )}
      </noscript>
    </form>
  )
}

type OptionProps = {
  name: FilterName
  value: string
  label: string
  isChosen: boolean
  onChoose: ProductFiltersProps['onChoose']
}

/** Memoized: most options stay the same, whatever is chosen. */
const Option = memo(function Option({ name, value, label, isChosen, onChoose }: OptionProps) {
  const id = useId()
  const swatch = (name === 'color' && swatches[value]) || ''
  return (
    <label
      htmlFor={id}
      // Pressing the text focuses the radio, without focusing the sheet first: to do both takes a phone ten
      // milliseconds. Other mouse buttons do what they always do, such as scroll.
      onMouseDown={(event) => {
        const isOnWords = !(event.target instanceof HTMLInputElement)
        if (event.button === 0 && isOnWords) event.preventDefault()
      }}
      className="group relative flex min-h-11 cursor-pointer items-center gap-3 text-small has-checked:font-semibold xl:min-h-9"
    >
      <input
        id={id}
        type="radio"
        name={name}
        value={value}
        checked={isChosen}
        // React gets no change event if it hydrates between press and click, or if the current choice is chosen
        // again. The arrow keys cause clicks, too.
        onChange={() => undefined}
        onClick={() => onChoose(name, isChosen ? '' : value)}
        onKeyDown={(event) => {
          if (event.key !== ' ' || !isChosen) return
          event.preventDefault()
          onChoose(name, '')
        }}
        // Invisible, on top of its mark; the text beside it is its label.
        className="peer absolute inset-y-0 left-0 h-full w-8 cursor-pointer opacity-0"
      />
      <span
        aria-hidden
        className={`forced-color-adjust-none grid size-5 shrink-0 place-items-center rounded-round border border-edge peer-checked:border-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-3 peer-focus-visible:outline-accent group-hover:border-ink ${swatch && `${swatch} group-has-checked:outline-2 group-has-checked:outline-offset-2 group-has-checked:outline-ink`}`}
      >
        {!swatch && <span className="hidden size-2.5 rounded-round bg-accent group-has-checked:block" />}
      </span>
      <span className="first-letter:uppercase">{label}</span>
    </label>
  )
})

const swatches: Record<string, string> = {
  black: 'bg-black',
  red: 'bg-[#9c2a2e]',
  gold: 'bg-[#c19a4b]',
  blue: 'bg-[#3a5a86]',
  silver: 'bg-[#b9bcc1]',
  beige: 'bg-[#d8c8ae]',
  green: 'bg-[#3f5b45]',
}
