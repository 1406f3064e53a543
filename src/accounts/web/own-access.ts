import { useDispatch } from 'react-redux'
import { useNavigate } from 'react-router'
import { paths } from '#shop/web/paths.ts'
import { closeOver } from '#shop/web/ui/over-page.ts'
import { signedOut } from './session.ts'

/** After an admin has taken their own rights away: their session has ended, so the page is no longer theirs. */
export function useOwnAccess(): () => void {
  const dispatch = useDispatch()
  const navigate = useNavigate()
  return () =>
    closeOver(() => {
      void navigate(paths.home)
      dispatch(signedOut())
    })
}
