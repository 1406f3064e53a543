/** A placeholder while something loads; the caller gives it its size. */
export function Skeleton({ className = '' }: { className?: string }) {
  return <span aria-hidden className={`block animate-wait rounded-cut bg-sunken ${className}`} />
}
