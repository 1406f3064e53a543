import { useSelector } from 'react-redux'
import { Outlet, useLocation } from 'react-router'
import type { Role, User } from '#shop/accounts/contract.ts'
import { useLogOut } from '#shop/accounts/web/log-out.ts'
import { RequireUser } from '#shop/accounts/web/require-role.tsx'
import { selectUser } from '#shop/accounts/web/session.ts'
import { ErrorBoundary } from './error-page.tsx'
import { paths } from './paths.ts'
import { Link, NavLink } from './ui/link.tsx'
import { Skeleton } from './ui/skeleton.tsx'

const { dashboard } = paths
const sidebars: Record<Role, { title: string; links: { to: string; label: string }[] }> = {
  user: {
    title: 'User dashboard',
    links: [
      { to: dashboard.home, label: 'Dashboard' },
      { to: dashboard.orders, label: 'Orders' },
      { to: dashboard.payments, label: 'Payments' },
      { to: dashboard.profile, label: 'Profile' },
      { to: dashboard.reviews, label: 'Reviews' },
    ],
  },
  admin: {
    title: 'Admin dashboard',
    links: [
      { to: dashboard.admin, label: 'Dashboard' },
      { to: dashboard.addProduct, label: 'Add Product' },
      { to: dashboard.manageProducts, label: 'Manage Items' },
      { to: dashboard.users, label: 'Users' },
      { to: dashboard.manageOrders, label: 'All Orders' },
      { to: dashboard.profile, label: 'Profile' },
    ],
  },
}

export function DashboardLayout() {
  return (
    <RequireUser waiting={<DashboardSkeleton />}>
      <Dashboard />
    </RequireUser>
  )
}

function Dashboard() {
  const user = useSelector(selectUser)
  const { pathname } = useLocation()
  if (!user) return null
  return (
    <div className={frame}>
      <Sidebar user={user} />
      <div className={page}>
        <ErrorBoundary place={pathname}>
          <Outlet />
        </ErrorBoundary>
      </div>
    </div>
  )
}

function DashboardSkeleton() {
  return (
    <div aria-busy="true" className={`${frame} min-h-dvh`}>
      <div className="weave-chalk h-33 md:h-22 lg:h-auto" />
      <div className={page}>
        <span className="sr-only">Loading…</span>
        <Skeleton className="h-12 w-72 max-w-full" />
        <Skeleton className="mt-10 h-40 w-full" />
      </div>
    </div>
  )
}

/** Beside the page on wide screens; above it on narrow ones, where it wraps, so that no link is out of view. */
function Sidebar({ user }: { user: User }) {
  const { title, links } = sidebars[user.role]
  const logOut = useLogOut()
  return (
    <nav
      data-sidebar
      aria-label={title}
      className="weave-chalk text-on-cloth [--color-accent:var(--color-thread)]"
    >
      <div className="lg:sticky lg:top-[calc(var(--spacing-bar)+6px)] lg:flex lg:h-[calc(100dvh-var(--spacing-bar)-6px)] lg:flex-col lg:overflow-y-auto lg:py-8 lg:pr-4 lg:pl-[calc(var(--spacing-gutter)-0.75rem+var(--beside))]">
        <div className="flex items-center gap-3 px-gutter pt-3 lg:px-3 lg:pt-0">
          <Link to={paths.home} className="-m-2 shrink-0 p-2">
            <img
              src="/icon.svg"
              alt="Haberdash"
              width="32"
              height="32"
              className="size-7 ring-1 ring-cloth-line lg:size-9"
            />
          </Link>
          <p className="font-display text-name font-medium">{title}</p>
        </div>
        <ul className="flex flex-wrap px-[calc(var(--spacing-gutter)-0.75rem)] pt-1 lg:mt-8 lg:grow lg:flex-col lg:flex-nowrap lg:gap-1 lg:p-0">
          {links.map(({ to, label }) => (
            <li key={to}>
              <NavLink to={to} end className={entry}>
                {label}
              </NavLink>
            </li>
          ))}
          <li className="lg:mt-auto lg:border-t lg:border-cloth-line lg:pt-3">
            <button type="button" className={entry} onClick={() => void logOut()}>
              Logout
            </button>
          </li>
        </ul>
      </div>
    </nav>
  )
}

// On screens wider than the shop, the cloth extends to the edge; its links stay below the bar's first link.
const frame =
  'min-h-[calc(100dvh-var(--spacing-bar))] [--beside:max(0px,calc((100vw-100rem)/2))] lg:grid lg:grid-cols-[calc(15rem+var(--beside))_minmax(0,1fr)]'
const page = 'w-full max-w-[84rem] min-w-0 px-gutter pt-8 pb-room lg:px-12 lg:pt-12'
const entry =
  'relative flex min-h-11 w-full items-center px-3 -outline-offset-2 text-small font-medium whitespace-nowrap text-cloth-muted transition-colors after:absolute after:inset-x-3 after:bottom-2 after:h-px hover:text-on-cloth aria-[current=page]:text-on-cloth aria-[current=page]:after:stitch aria-[current=page]:after:[--stitch:var(--color-thread)]'
