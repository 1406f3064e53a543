/** One figure and what it counts. */
export function StatCard({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-2 border border-line bg-raised p-4 sm:flex-col sm:px-6 sm:py-5">
      <dt className="text-small text-muted">{name}</dt>
      <dd className="font-display text-section font-medium tabular-nums wrap-anywhere">{value}</dd>
    </div>
  )
}
