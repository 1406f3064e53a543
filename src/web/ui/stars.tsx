import { useId } from 'react'

export const starPath = 'M12 2.6l2.9 6 6.5.9-4.7 4.6 1.1 6.5L12 17.5l-5.8 3.1 1.1-6.5L2.6 9.5l6.5-.9z'
const places = [0, 26, 52, 78, 104]

/** A rating to read, from 0 to 5, also in part. The class gives its height. */
export function Stars({ rating, className = 'h-4' }: { rating: number; className?: string }) {
  const id = useId()
  const shown = Math.min(5, Math.max(0, rating))
  return (
    <svg
      viewBox="0 0 128 24"
      role="img"
      aria-label={`Rated ${Number(shown.toFixed(1))} of 5`}
      className={`inline-block w-auto shrink-0 ${className}`}
    >
      <clipPath id={id}>
        <rect width={Math.floor(shown) * 26 + (shown % 1) * 24} height="24" />
      </clipPath>
      <g className="fill-line">
        {places.map((x) => (
          <path key={x} d={starPath} transform={`translate(${x} 0)`} />
        ))}
      </g>
      <g className="fill-ink" clipPath={`url(#${id})`}>
        {places.map((x) => (
          <path key={x} d={starPath} transform={`translate(${x} 0)`} />
        ))}
      </g>
    </svg>
  )
}
