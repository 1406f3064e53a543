import type { ReactNode } from 'react'
import type { Distribution, Review } from '#shop/reviews/contract.ts'
import { DateOf } from '#shop/web/ui/date.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import { Stars } from '#shop/web/ui/stars.tsx'
import { CommentText } from './comment-text.tsx'

type ReviewListProps = {
  reviews: readonly Review[]
  rating: number
  distribution: Distribution
  /** The button for adding a review. */
  children?: ReactNode
}

export function ReviewList({ reviews, rating, distribution, children }: ReviewListProps) {
  const count = countReviews(distribution)
  return (
    <section aria-labelledby="reviews" className="grid gap-x-16 gap-y-8 lg:grid-cols-[18rem_1fr]">
      <div className="flex flex-col items-start gap-4">
        <h2 id="reviews" className="text-section">
          Reviews
        </h2>
        {count > 0 && (
          <>
            <p className="flex flex-wrap items-center gap-x-3 text-small text-muted">
              <Stars rating={rating} className="h-5" />
              {/* The stars have this number as their accessible name. */}
              <span aria-hidden className="font-semibold text-ink tabular-nums">
                {rating.toFixed(1)}
              </span>
              <span>{count === 1 ? 'from 1 review' : `from ${count} reviews`}</span>
            </p>
            <Spread distribution={distribution} count={count} />
          </>
        )}
        {children}
      </div>
      {reviews.length === 0 ? (
        <p className="border-t border-line py-8 text-muted">No reviews yet.</p>
      ) : (
        <div className="min-w-0">
          <ul className="divide-y divide-line border-y border-line">
            {reviews.map((review) => (
              <ReviewItem key={review._id} review={review} />
            ))}
          </ul>
          {count > reviews.length && (
            <p className="mt-4 text-small text-muted">{`The newest ${reviews.length} reviews.`}</p>
          )}
        </div>
      )}
    </section>
  )
}

export function countReviews(distribution: Distribution): number {
  return Object.values(distribution).reduce((sum, count) => sum + count, 0)
}

const starCounts = [5, 4, 3, 2, 1] as const

/** How many gave how many stars, best first. */
function Spread({ distribution, count }: { distribution: Distribution; count: number }) {
  return (
    <ul className="grid w-full max-w-64 grid-cols-[3.5rem_1fr_minmax(1.5rem,max-content)] gap-x-3 gap-y-1.5 text-fine text-muted tabular-nums">
      {starCounts.map((stars) => (
        <li key={stars} className="col-span-full grid grid-cols-subgrid items-center">
          <span>{stars === 1 ? '1 star' : `${stars} stars`}</span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" className="h-1 w-full bg-line" aria-hidden>
            <rect width={(100 * distribution[stars]) / count} height="4" className="fill-ink" />
          </svg>
          <span className="text-right">{distribution[stars]}</span>
        </li>
      ))}
    </ul>
  )
}

function ReviewItem({ review }: { review: Review }) {
  const { username, profileImage } = review.userId
  return (
    <li className="grid grid-cols-[2.75rem_1fr] gap-x-4 py-6">
      <Picture
        src={profileImage}
        alt=""
        ratio="square"
        sizes="44px"
        className="size-11 rounded-round"
        emblem={<span className="font-semibold text-muted">{[...username][0]?.toUpperCase()}</span>}
      />
      <div className="min-w-0">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h3 className="font-body text-small font-semibold tracking-normal wrap-anywhere">{username}</h3>
          <DateOf iso={review.createdAt} className="text-fine text-muted" />
        </div>
        <Stars rating={review.rating} />
        {review.comment && <CommentText text={review.comment} className="mt-2 max-w-prose" />}
      </div>
    </li>
  )
}
