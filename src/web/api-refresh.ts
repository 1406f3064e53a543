import { useEffect, useRef } from 'react'
import { useDispatch } from 'react-redux'
import { isUnanswered } from './api-failure.ts'
import { api } from './api.ts'

type Tags = Parameters<typeof api.util.invalidateTags>[0]

/**
 * For a dialog that shows why its change was refused. The list below is out of date then, but it is refetched only
 * once the dialog is closed: before that the row might leave the list, and take the dialog with it.
 *
 * @returns a function to be called with the error and the tags that are out of date
 */
export function useRefreshWhenClosed(): (error: unknown, tags: Tags) => void {
  const dispatch = useDispatch()
  const stale = useRef<Tags>([])
  useEffect(
    () => () => {
      if (stale.current.length > 0) dispatch(api.util.invalidateTags(stale.current))
    },
    [dispatch],
  )
  return (error, tags) => {
    if (!isUnanswered(error)) stale.current = tags
  }
}
