export const starPath = 'M12 2.6l2.9 6 6.5.9-4.7 4.6 1.1 6.5-5.8-3.1-5.8 3.1 1.1-6.5-4.7-4.6 6.5-.9z'

// Two elements for five stars: a list has many of them, and every element costs a page time.
const fiveStars = starPath + starPath.replace('M12 2.6', 'm26 0').repeat(4)
const [leftEnd, width] = [2.6, 122.8]

/** A read-only rating from 0 to 5, drawn in halves: less would be only a speck. The class gives its height. */
export function Stars({ rating, className = 'h-4' }: { rating: number; className?: string }) {
  const shown = Math.min(5, Math.max(0, rating))
  const drawn = Math.round(shown * 2) / 2
  const end = Math.floor(drawn) * 26 + (drawn % 1) * 24
  const unfilled = Math.min(100, 100 - ((end - leftEnd) / width) * 100)
  return (
    <svg
      viewBox="0 0 128 24"
      role="img"
      aria-label={`Rated ${Number(shown.toFixed(1))} of 5`}
      className={`inline-block w-auto shrink-0 ${className}`}
    >
      <path className="fill-line" d={fiveStars} />
      <path className="fill-ink" d={fiveStars} style={{ clipPath: `inset(0 ${unfilled.toFixed(1)}% 0 0)` }} />
    </svg>
  )
}
