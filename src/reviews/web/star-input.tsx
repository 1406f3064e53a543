import { useState } from 'react'
import { starPath } from '#shop/web/ui/stars.tsx'

const choices = [1, 2, 3, 4, 5] as const

type StarInputProps = { rating: number; onChange: (rating: number) => void; error?: string }

/** One to five stars, none at first: radio buttons, so that arrow keys and screen readers know what to do. */
export function StarInput({ rating, onChange, error }: StarInputProps) {
  const [pointedAt, setPointedAt] = useState(0)
  const shown = pointedAt || rating
  return (
    <fieldset
      aria-describedby={error ? 'rating-error' : undefined}
      onPointerLeave={() => setPointedAt(0)}
      className="min-w-0"
    >
      <legend className="text-small font-medium">Rating</legend>
      <div className="-ml-2 flex">
        {choices.map((stars) => (
          <label
            key={stars}
            onPointerEnter={(event) => event.pointerType === 'mouse' && setPointedAt(stars)}
            className="relative grid size-11 min-w-0 place-items-center rounded-cut has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="rating"
              value={stars}
              aria-label={stars === 1 ? '1 star' : `${stars} stars`}
              checked={rating === stars}
              onChange={() => onChange(stars)}
              className="absolute inset-0 size-full cursor-pointer opacity-0"
            />
            <svg
              viewBox="0 0 24 24"
              aria-hidden
              className={`size-8 max-w-full stroke-[1.2] ${stars <= shown ? 'fill-ink stroke-ink' : 'fill-transparent stroke-edge'}`}
            >
              <path d={starPath} strokeLinejoin="round" />
            </svg>
          </label>
        ))}
      </div>
      {error && (
        <p id="rating-error" role="alert" className="text-fine font-medium text-accent">
          {error}
        </p>
      )}
    </fieldset>
  )
}
