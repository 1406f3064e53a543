import { useRef, useState, type FormEvent } from 'react'
import { useSelector } from 'react-redux'
import { useDraft } from '#shop/accounts/web/draft.ts'
import { selectUser } from '#shop/accounts/web/session.ts'
import { failureOf, fieldErrorsOf, waitOf } from '#shop/web/api-failure.ts'
import { statusOf } from '#shop/web/api-problem.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button } from '#shop/web/ui/button.tsx'
import { Dialog } from '#shop/web/ui/dialog.tsx'
import { Refusal, TextField } from '#shop/web/ui/field.tsx'
import type { Review } from '#shop/reviews/contract.ts'
import { maxCommentLength } from '#shop/reviews/limits.ts'
import { usePostReviewMutation } from './api.ts'
import { StarInput } from './star-input.tsx'

type ReviewDialogProps = {
  productId: string
  /** The customer's earlier review, which this one replaces. */
  earlier: Pick<Review, 'rating' | 'comment'> | undefined
  isOpen: boolean
  onClose: () => void
  /** Called when the session has ended while the customer was writing. */
  onSignedOut: () => void
}

const replaces = 'This will replace your earlier review.'
const mayReplace = 'If you have reviewed it before, this will replace that review.'

/** Shown only near the limit; the server counts too. */
function lengthOf(comment: string): string {
  const isNear = comment.length > maxCommentLength * 0.9
  return isNear ? `${comment.length} of ${maxCommentLength} characters.` : ''
}

export function ReviewDialog({ isOpen, onClose, ...form }: ReviewDialogProps) {
  // A new key gives the next review an empty form, even while this dialog still fades out.
  const [ended, setEnded] = useState(0)
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Post a Review">
      <ReviewForm
        key={ended}
        {...form}
        onEnd={() => {
          setEnded(ended + 1)
          onClose()
        }}
      />
    </Dialog>
  )
}

type ReviewFormProps = Omit<ReviewDialogProps, 'isOpen' | 'onClose'> & { onEnd: () => void }

/** Keeps a draft when it is closed by mistake and across a new login; posting or giving up drops the draft. */
function ReviewForm({ productId, earlier, onEnd, onSignedOut }: ReviewFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const { draft, drop } = useDraft(form, `a review of ${productId}`)
  const [rating, setRating] = useState(Number(draft?.rating ?? 0))
  const [comment, setComment] = useState(draft?.comment ?? '')
  const { post, isLoading, error } = usePost(productId)
  const refused = fieldErrorsOf(error)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isLoading) return
    const outcome = await post(rating, comment)
    if (outcome === 'signed out') onSignedOut()
    if (outcome === 'posted') end()
    // As in other forms, the first invalid field gets the focus.
    if (outcome === 'refused' && rating === 0)
      form.current?.querySelector<HTMLElement>('[name=rating]')?.focus()
  }
  const end = () => {
    drop()
    onEnd()
  }
  const startFrom = (review: Pick<Review, 'rating' | 'comment'>) => {
    setRating(review.rating)
    setComment(review.comment)
    // The pressed button disappears; what is typed next goes into the comment.
    const field = form.current?.elements.namedItem('comment')
    if (field instanceof HTMLElement) field.focus()
  }
  return (
    <form ref={form} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      <StarInput
        rating={rating}
        onChange={setRating}
        error={rating === 0 && refused.rating ? 'Please choose from 1 to 5 stars.' : undefined}
      />
      <TextField
        label="Comment"
        name="comment"
        rows={5}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
        hint={`How does it fit, feel and wear? ${earlier ? replaces : mayReplace} ${lengthOf(comment)}`}
        error={refused.comment && `Your comment ${refused.comment}.`}
      />
      {earlier && rating === 0 && comment === '' && (
        <button
          type="button"
          onClick={() => startFrom(earlier)}
          className="thread-link -my-3 self-start py-3 text-small font-semibold"
        >
          Start from your earlier review
        </button>
      )}
      <Refusal
        text={error !== undefined && !refused.rating && !refused.comment ? reasonOf(error) : undefined}
      />
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="outline" onClick={end}>
          Cancel
        </Button>
        <Button type="submit" isBusy={isLoading}>
          Post review
        </Button>
      </div>
    </form>
  )
}

function usePost(productId: string) {
  const user = useSelector(selectUser)
  const [postReview, { isLoading, error }] = usePostReviewMutation()
  const showAlert = useAlert()
  const post = async (rating: number, comment: string): Promise<'posted' | 'refused' | 'signed out'> => {
    const answer = await postReview({ comment, rating, userId: user?._id, productId })
    if (!answer.error) {
      showAlert('Review posted successfully!')
      return 'posted'
    }
    if (statusOf(answer.error) === 401) return 'signed out'
    console.error('Error posting review', answer.error)
    showAlert('Error posting review', { tone: 'error' })
    return 'refused'
  }
  return { post, isLoading, error }
}

function reasonOf(error: unknown): string {
  const wait = waitOf(error)
  const notPosted = 'Your review was not posted; what you wrote is still here.'
  if (wait) return `${notPosted} Please wait ${wait}, then try again.`
  return statusOf(error) === 404
    ? `${notPosted} This product is no longer sold.`
    : failureOf(error, notPosted)
}
