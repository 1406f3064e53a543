import { useEffect, useRef } from 'react'
import { useDispatch } from 'react-redux'
import { isUnanswered } from './api-failure.ts'
import { api } from './api.ts'

type Tags = Parameters<typeof api.util.invalidateTags>[0]

/**
 * What a dialog's change was refused for stands in the dialog. Its list, which is out of date then, is asked for anew once
 * the dialog is closed: before that the row might leave the list, and take the dialog with it.
 *
 * @returns to be told of the error and of what it makes out of date
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
