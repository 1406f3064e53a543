import { useSelector } from 'react-redux'
import type { User } from '#shop/accounts/contract.ts'
import { selectUser } from '#shop/accounts/web/session.ts'
import type { OwnReview } from '#shop/reviews/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { DateOf } from '#shop/web/ui/date.tsx'
import { PlusIcon } from '#shop/web/ui/icons.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { useListAddress } from '#shop/web/ui/list-address.ts'
import { ListPage, ListPager } from '#shop/web/ui/list-page.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { QueryState } from '#shop/web/ui/query-state.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { Stars } from '#shop/web/ui/stars.tsx'
import { useListOwnReviewsQuery } from './api.ts'
import { CommentText } from './comment-text.tsx'

const pageSize = 20

export function MyReviewsPage() {
  const user = useSelector(selectUser)
  return user && <YourReviews user={user} />
}

function YourReviews({ user }: { user: User }) {
  const address = useListAddress()
  const query = useListOwnReviewsQuery(
    { userId: user._id, page: address.page, limit: pageSize },
    { refetchOnMountOrArgChange: true },
  )
  return (
    <>
      <PageTitle title="Your reviews" />
      <h1 className="mb-8 text-title">Your Reviews</h1>
      <QueryState
        query={query}
        failed="Failed to show payments!"
        loading={<CardsSkeleton />}
        isEmpty={({ total }) => total === 0}
        empty={
          <>
            <p className="mb-6 max-w-prose text-lead text-muted">
              You have not reviewed anything yet. A word from somebody who wears it helps others choose.
            </p>
            <ul className={cards}>
              <NewReviewCard />
            </ul>
          </>
        }
        below={({ total }) => <ListPager address={address} totalPages={Math.ceil(total / pageSize)} />}
      >
        {({ reviews, total }) => (
          <ListPage address={address} totalPages={Math.ceil(total / pageSize)}>
            <ul className={cards}>
              {reviews.map((review) => (
                <ReviewCard key={review._id} review={review} />
              ))}
              <NewReviewCard />
            </ul>
          </ListPage>
        )}
      </QueryState>
    </>
  )
}

function ReviewCard({ review }: { review: OwnReview }) {
  const { productId, productName, isForSale, rating, comment, createdAt } = review
  return (
    <li className="flex flex-col gap-3 border border-line bg-raised p-5">
      <Stars rating={rating} className="h-4.5 self-start" />
      <h2 className="font-body text-body font-semibold tracking-normal wrap-anywhere">
        {isForSale ? (
          <Link to={paths.product(productId)} className="-my-2 inline-block py-2.5 thread-link">
            {productName}
          </Link>
        ) : (
          productName
        )}
      </h2>
      {comment ? <CommentText text={comment} /> : <p className="text-muted">Stars only, no comment.</p>}
      <p className="mt-auto border-t border-line pt-3 text-fine text-muted wrap-anywhere">
        <DateOf iso={createdAt} />
        <br />
        <span>{`Product ${productId}${isForSale ? '' : ', no longer for sale'}`}</span>
      </p>
    </li>
  )
}

function NewReviewCard() {
  return (
    <li>
      <Link
        to={paths.shop}
        className="flex h-full min-h-44 flex-col items-center justify-center gap-3 border border-dashed border-edge p-5 text-center font-medium transition-colors hover:border-ink hover:bg-sunken"
      >
        <PlusIcon className="size-7" />
        Add New Review
      </Link>
    </li>
  )
}

function CardsSkeleton() {
  return (
    <div className={cards}>
      {Array.from({ length: 6 }, (_, card) => (
        <Skeleton key={card} className="h-52 w-full" />
      ))}
    </div>
  )
}

const cards = 'grid grid-cols-[minmax(0,1fr)] gap-4 sm:grid-cols-2 xl:grid-cols-3'
