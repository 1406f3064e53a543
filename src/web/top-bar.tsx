import { useEffect, useRef } from 'react'
import { useSelector } from 'react-redux'
import { useLocation } from 'react-router'
import { selectUser } from '#shop/accounts/web/session.ts'
import { CartButton } from '#shop/cart/web/cart-button.tsx'
import { paths } from './paths.ts'
import { useOutsideInteraction } from './ui/outside-interaction.ts'
import { iconButtonClass } from './ui/button.tsx'
import { MenuIcon, PersonIcon, SearchIcon } from './ui/icons.tsx'
import { Link, NavLink } from './ui/link.tsx'
import { part } from './ui/part.tsx'

const AccountMenu = part(async () => (await import('./account-menu.tsx')).AccountMenu)

const links = [
  { to: paths.home, label: 'Home' },
  { to: paths.shop, label: 'Shop' },
  { to: paths.pages, label: 'Pages' },
  { to: paths.contact, label: 'Contact' },
]

export function TopBar() {
  const user = useSelector(selectUser)
  const here = useLocation()
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-ground print:hidden">
      <div className="selvedge" aria-hidden />
      <div className="frame grid h-bar grid-cols-[auto_1fr_auto] items-center gap-1 md:grid-cols-[1fr_auto_1fr]">
        <nav aria-label="Main" className="-ml-2.5 md:-ml-3">
          <PhoneMenu />
          <ul className="hidden md:flex">
            {links.map((link) => (
              <li key={link.to}>
                <NavLink to={link.to} end={link.to === '/'} className={barLink}>
                  {link.label}
                </NavLink>
              </li>
            ))}
          </ul>
        </nav>
        <Link
          to={paths.home}
          className="inline-flex min-h-11 items-center font-display text-[min(1.375rem,6.9vw)] font-medium tracking-tight md:text-[1.75rem]"
        >
          Haberdash
        </Link>
        <div className="-mr-2.5 flex items-center justify-end">
          <Link to={paths.search} aria-label="Search" className={iconButtonClass}>
            <SearchIcon />
          </Link>
          {user ? (
            <AccountMenu
              user={user}
              fallback={
                <span className={iconButtonClass}>
                  <PersonIcon />
                </span>
              }
              instead={
                <Link to={paths.dashboard.home} aria-label="Dashboard" className={iconButtonClass}>
                  <PersonIcon />
                </Link>
              }
            />
          ) : (
            <Link to={paths.login} state={{ from: here }} aria-label="Log in" className={iconButtonClass}>
              <PersonIcon />
            </Link>
          )}
          <CartButton />
        </div>
      </div>
    </header>
  )
}

/** A `details`, so that it opens without script too. A navigation closes it. */
function PhoneMenu() {
  const details = useRef<HTMLDetailsElement>(null)
  const { key } = useLocation()
  /** The address where it was opened, which may be that of a page that is still loading. */
  const openedAt = useRef<string>(undefined)
  const close = () => {
    if (details.current) details.current.open = false
  }
  useEffect(() => {
    openedAt.current ??= document.URL
    if (openedAt.current !== document.URL) close()
  }, [key])
  useOutsideInteraction(details, close)
  return (
    <details
      ref={details}
      className="group md:hidden"
      onToggle={() => {
        openedAt.current = document.URL
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return
        close()
        details.current.querySelector('summary')?.focus()
      }}
    >
      <summary
        aria-label="Menu"
        className={`${iconButtonClass} list-none [&::-webkit-details-marker]:hidden`}
      >
        <MenuIcon />
      </summary>
      <ul className="absolute inset-x-0 top-full max-h-[calc(100dvh-100%)] overflow-y-auto border-b border-line bg-ground px-gutter pb-6 pt-2 shadow-lift">
        {links.map((link) => (
          <li key={link.to} className="border-b border-line last:border-0">
            <NavLink
              to={link.to}
              end={link.to === '/'}
              onClick={close}
              className="flex min-h-14 items-center font-display text-section font-medium aria-[current=page]:text-accent"
            >
              {link.label}
            </NavLink>
          </li>
        ))}
      </ul>
    </details>
  )
}

// The link to the current page is stitched, not boxed.
const barLink =
  'relative inline-flex min-h-11 items-center px-3 text-small font-medium after:absolute after:inset-x-3 after:bottom-2 after:h-px hover:after:bg-edge aria-[current=page]:after:stitch aria-[current=page]:after:[--stitch:var(--color-accent)]'
