import { useNavigate } from 'react-router'
import { productSorts } from '#shop/catalogue/choices.ts'
import { SelectField } from '#shop/web/ui/field.tsx'
import type { ListAddress } from '#shop/web/ui/list-address.ts'
import { navigateBelowOverlay } from '#shop/web/ui/overlay.ts'
import { staysInPlace } from '#shop/web/ui/scroll-restoration.ts'
import { sortLabels, sortOf } from './sorting.ts'

/** For narrow screens: where rows are cards, there are no headings to sort by. */
export function SortSelect({ address }: { address: ListAddress }) {
  const navigate = useNavigate()
  return (
    <div className="w-full @4xl:hidden">
      <SelectField
        label="Sort by"
        value={sortOf(address)}
        onChange={({ currentTarget }) => {
          const href = address.hrefWith({ sort: currentTarget.value })
          navigateBelowOverlay((replace) => void navigate(href, { replace, state: staysInPlace }))
        }}
      >
        {productSorts.map((sort) => (
          <option key={sort} value={sort}>
            {sortLabels[sort]}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
