import { useSelector, useStore } from 'react-redux'
import { useLocation, useNavigate } from 'react-router'
import { selectUser, type SessionRoot } from '#shop/accounts/web/session.ts'
import type { Review } from '#shop/reviews/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button } from '#shop/web/ui/button.tsx'
import { useOverlay } from '#shop/web/ui/overlay.ts'
import { part } from '#shop/web/ui/part.tsx'

const ReviewDialog = part(async () => (await import('./review-dialog.tsx')).ReviewDialog)

/** Opens the review dialog for signed-in users; everybody else is asked to sign in first. */
export function AddComment({ productId, reviews }: { productId: string; reviews: readonly Review[] }) {
  const { isOpen, wasOpened, open, close, leave, giveUp } = useOverlay()
  const user = useSelector(selectUser)
  const store = useStore<SessionRoot>()
  const showAlert = useAlert()
  const navigate = useNavigate()
  const here = useLocation()
  const askToLogIn = () => {
    showAlert('You must be logged in to post a review.', { tone: 'error' })
    // A second press while the login page loads must not add another history entry.
    void navigate(paths.login, {
      // Back to where the button is, not to the top of the page.
      state: { from: { ...here, hash: '#reviews' } },
      replace: window.location.pathname === paths.login,
    })
  }
  // During hydration `user` is nobody for a moment, as the server sent it; the store knows better.
  const press = () => (selectUser(store.getState()) ? open() : askToLogIn())
  return (
    <>
      <Button
        variant="outline"
        aria-haspopup="dialog"
        onClick={press}
        className="noscript:hidden print:hidden"
      >
        Add A Comment
      </Button>
      <noscript>
        <p className="text-small text-muted">Writing a review needs JavaScript.</p>
      </noscript>
      {wasOpened && (
        <ReviewDialog
          productId={productId}
          earlier={reviews.find(({ userId }) => userId._id === user?._id)}
          isOpen={isOpen}
          onClose={close}
          onSignedOut={() => leave(askToLogIn)}
          onMissing={giveUp}
        />
      )}
    </>
  )
}
