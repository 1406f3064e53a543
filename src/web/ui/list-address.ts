import { useSearchParams } from 'react-router'

type Change = Record<string, string | number>

export type ListAddress = {
  /** Trimmed, empty when the address does not say. */
  get: (name: string) => string
  page: number
  /** The same list with something changed; what is chosen anew begins on page 1. */
  hrefWith: (change: Change) => string
}

/** What a list's address says: which page, which filter. Anything odd counts as if it were not there. */
export function useListAddress(): ListAddress {
  const [params] = useSearchParams()
  const page = params.get('page') ?? ''
  return {
    get: (name) => textOf(params.get(name) ?? ''),
    page: /^\d{1,6}$/.test(page) ? Math.max(1, Number(page)) : 1,
    hrefWith: (change) => {
      const next = new URLSearchParams(params)
      next.delete('page')
      for (const [name, value] of Object.entries(change)) {
        if (value === '' || (name === 'page' && value === 1)) next.delete(name)
        else next.set(name, String(value))
      }
      return `?${next.toString()}`
    },
  }
}

/** As somebody could have typed it into a search field, so that the server takes it. */
function textOf(value: string): string {
  const characters = [...value.toWellFormed()].slice(0, 200)
  return characters
    .join('')
    .replace(/\p{Cc}/gu, ' ')
    .trim()
}
