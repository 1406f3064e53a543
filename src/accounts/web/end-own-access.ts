import { useDispatch } from 'react-redux'
import { useNavigate } from 'react-router'
import { paths } from '#shop/web/paths.ts'
import { closeOverlay } from '#shop/web/ui/overlay.ts'
import { signedOut } from './session.ts'

/** For an admin who has removed their own rights: their session has ended, so they leave the admin's pages. */
export function useEndOwnAccess(): () => void {
  const dispatch = useDispatch()
  const navigate = useNavigate()
  return () =>
    closeOverlay(() => {
      void navigate(paths.home)
      dispatch(signedOut())
    })
}
