import type { FormEvent } from 'react'
import { useNavigate } from 'react-router'
import { Button, ButtonLink } from './button.tsx'
import { SearchField } from './field.tsx'
import type { ListAddress } from './list-address.ts'
import { navigateBelowOverlay } from './overlay.ts'
import { staysInPlace } from './scroll-restoration.ts'

type ListSearchProps = { label: string; address: ListAddress }

/** Searches a list; the search text is in the address, as `search`. */
export function ListSearch({ label, address }: ListSearchProps) {
  const navigate = useNavigate()
  const search = address.get('search')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = new FormData(event.currentTarget).get('search')
    if (typeof typed !== 'string') return
    const href = address.hrefWith({ search: typed.trim() })
    navigateBelowOverlay((replace) => void navigate(href, { replace, state: staysInPlace }))
  }
  return (
    <form role="search" onSubmit={submit} className="flex w-full max-w-xl flex-wrap items-end gap-2">
      <div className="min-w-[min(12rem,100%)] grow">
        <SearchField label={label} name="search" search={search} />
      </div>
      <Button type="submit" variant="outline">
        Search
      </Button>
      {search && (
        <ButtonLink variant="outline" to={address.hrefWith({ search: '' })} state={staysInPlace}>
          Show all
        </ButtonLink>
      )}
    </form>
  )
}
