import { useDispatch } from 'react-redux'
import { useNavigate } from 'react-router'
import { statusOf } from '#shop/web/api-problem.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { useLogOutMutation } from './api.ts'
import { signedOut } from './session.ts'

/** Ends the session and forgets the user, also when the session had ended already. */
export function useLogOut() {
  const [logOut, { isLoading }] = useLogOutMutation()
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const showAlert = useAlert()
  return async () => {
    if (isLoading) return
    const { error } = await logOut()
    if (error && statusOf(error) !== 401) {
      console.error('Error logging out', error)
      showAlert('You could not be logged out. Please try again.', { tone: 'error' })
      return
    }
    // In this order: a page that needs a user then sees that it is being left, and does not ask to log in.
    void navigate(paths.home)
    dispatch(signedOut())
    showAlert('Logout successful!')
  }
}
