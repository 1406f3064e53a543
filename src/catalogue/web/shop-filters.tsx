import { useSyncExternalStore } from 'react'
import { paths } from '#shop/web/paths.ts'
import { Button, buttonClass } from '#shop/web/ui/button.tsx'
import { FilterIcon } from '#shop/web/ui/icons.tsx'
import { useOverlay } from '#shop/web/ui/overlay.ts'
import { part } from '#shop/web/ui/part.tsx'
import { countChosen, type FilterName, type Filters } from './filters.ts'
import { ProductFilters } from './product-filters.tsx'

const FilterSheet = part(async () => (await import('./filter-sheet.tsx')).FilterSheet)

/** Screens where the filters are beside the grid. */
export const wide = '(min-width: 80rem)'

type FilterProps = {
  filters: Filters
  choose: (name: FilterName, value: string) => void
  clear: () => void
}

/** The server cannot know how wide the screen is, so its page has this for all; a narrow one then drops it. */
export function FilterColumn({ filters, choose, clear }: FilterProps) {
  const isWide = useSyncExternalStore(
    onWidth,
    () => matchMedia(wide).matches,
    () => true,
  )
  if (!isWide) return null
  return (
    <aside
      id="filters"
      aria-label="Filters"
      className="hidden scroll-mt-28 noscript:block max-xl:order-last max-xl:mt-12 xl:block"
    >
      <ProductFilters filters={filters} onChoose={choose} />
      <ClearAll onClear={clear} />
    </aside>
  )
}

function onWidth(listener: () => void): () => void {
  const query = matchMedia(wide)
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

export function PhoneFilters({ filters, total, choose, clear }: FilterProps & { total: number | undefined }) {
  const { isOpen, wasOpened, open, close, giveUp } = useOverlay()
  const chosen = countChosen(filters)
  return (
    <div className="shrink-0 xl:hidden">
      <noscript>
        {import.meta.env.SSR && (
          <a href="#filters" className={buttonClass('outline')}>
            Filters
          </a>
        )}
      </noscript>
      <Button variant="outline" aria-haspopup="dialog" onClick={open} className="noscript:hidden">
        <FilterIcon />
        <span>{chosen > 0 ? `Filters (${chosen})` : 'Filters'}</span>
      </Button>
      {wasOpened && (
        <FilterSheet
          isOpen={isOpen}
          onClose={close}
          onMissing={giveUp}
          total={total}
          clearAll={<ClearAll onClear={clear} />}
        >
          <ProductFilters filters={filters} onChoose={choose} />
        </FilterSheet>
      )}
    </div>
  )
}

function ClearAll({ onClear }: { onClear: () => void }) {
  return (
    <>
      <Button variant="outline" onClick={onClear} className="mt-8 w-full noscript:hidden max-xl:mt-0">
        Clear All Filters
      </Button>
      <noscript>
        {import.meta.env.SSR && (
          <a href={paths.shop} className={buttonClass('outline', 'mt-4 w-full')}>
            Clear All Filters
          </a>
        )}
      </noscript>
    </>
  )
}
