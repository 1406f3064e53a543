import { useSearchParams } from 'react-router'
import { toDisplayableText } from '#shop/contract/displayable-text.ts'
import { pageOf } from './page-number.ts'

type Change = Record<string, string | number>

export type ListAddress = {
  /** Trimmed; empty when the address does not have it. */
  get: (name: string) => string
  page: number
  /** The address of the same list with a change; any change but that of the page leads to page 1. */
  hrefWith: (change: Change) => string
}

/** Reads a list's page and filters from the address. Odd values count as if they were not there. */
export function useListAddress(): ListAddress {
  const [params] = useSearchParams()
  return {
    get: (name) => toDisplayableText(params.get(name) ?? ''),
    page: pageOf(params),
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
