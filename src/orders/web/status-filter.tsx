import { orderStatuses, type OrderStatus } from '#shop/orders/steps.ts'
import { staysInPlace } from '#shop/web/ui/scroll-restoration.ts'
import { Link } from '#shop/web/ui/link.tsx'
import type { ListAddress } from '#shop/web/ui/list-address.ts'

type StatusFilterProps = { chosen: OrderStatus | ''; address: ListAddress }

export function StatusFilter({ chosen, address }: StatusFilterProps) {
  return (
    <nav aria-label="Status">
      <ul className="-mx-3.5 text-balance">
        {(['', ...orderStatuses] as const).map((status) => (
          <li key={status} className="inline-block">
            <Link
              to={address.hrefWith({ status })}
              state={staysInPlace}
              aria-current={status === chosen ? 'true' : undefined}
              className="relative inline-flex min-h-11 items-center px-3.5 text-small font-medium text-muted after:absolute after:inset-x-3.5 after:bottom-1.5 after:h-px hover:text-ink aria-[current]:text-ink aria-[current]:after:stitch aria-[current]:after:[--stitch:var(--color-accent)]"
            >
              <span className="first-letter:uppercase">{status || 'all'}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
