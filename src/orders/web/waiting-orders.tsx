import { paths } from '#shop/web/paths.ts'
import { Link } from '#shop/web/ui/link.tsx'
import { useListOrdersQuery } from './manage-api.ts'

/** How many orders are still pending, refunded ones included, with a link to them. */
export function WaitingOrders() {
  const { data, isError } = useListOrdersQuery(
    { status: 'pending', search: '', page: 1, limit: 1 },
    { refetchOnMountOrArgChange: true, refetchOnFocus: true },
  )
  return (
    <p className="flex min-h-11 flex-wrap items-center gap-x-2 text-muted">
      {isError && <span>Could not check for pending orders.</span>}
      {data?.total === 0 && <span>No orders are pending.</span>}
      {data && data.total > 0 && (
        <Link to={`${paths.dashboard.manageOrders}?status=pending`} className="thread-link py-2.5">
          {data.total === 1
            ? '1 order is pending'
            : `${data.total.toLocaleString('en-US')} orders are pending`}
        </Link>
      )}
    </p>
  )
}
