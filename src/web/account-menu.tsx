import { useEffect, useRef, useState, type RefObject } from 'react'
import { useLocation } from 'react-router'
import type { User } from '#shop/accounts/contract.ts'
import { useLogOut } from '#shop/accounts/web/log-out.ts'
import { paths } from './paths.ts'
import { useRoomFromAlerts } from './ui/alert.tsx'
import { useOutsideInteraction } from './ui/outside-interaction.ts'
import { Link } from './ui/link.tsx'
import { Picture } from './ui/picture.tsx'

const { dashboard } = paths
const menus: Record<User['role'], { to: string; label: string }[]> = {
  user: [
    { to: dashboard.home, label: 'Dashboard' },
    { to: dashboard.profile, label: 'Profile' },
    { to: dashboard.payments, label: 'Payments' },
    { to: dashboard.orders, label: 'Orders' },
  ],
  admin: [
    { to: dashboard.admin, label: 'Dashboard' },
    { to: dashboard.manageProducts, label: 'Manage Items' },
    { to: dashboard.manageOrders, label: 'All Orders' },
    { to: dashboard.addProduct, label: 'Add Product' },
  ],
}

/** The avatar and what it opens: links, so a plain disclosure rather than a menu of commands. */
export function AccountMenu({ user }: { user: User }) {
  // Renders with each navigation: the menu stays open only at the address where it was opened, which may be that
  // of a page that is still loading.
  useLocation()
  const [openAt, setOpenAt] = useState<string | null>(null)
  const isOpen = openAt === document.URL
  const box = useRef<HTMLDivElement>(null)
  const logOut = useLogOut()
  const close = () => setOpenAt(null)
  useOutsideInteraction(box, close, isOpen)
  useEscape(isOpen, box, close)
  useRoomFromAlerts(isOpen)

  return (
    <div ref={box} className="relative">
      <button
        type="button"
        aria-label="Account menu"
        aria-expanded={isOpen}
        aria-controls="account-menu"
        onClick={() => setOpenAt(isOpen ? null : document.URL)}
        className="grid size-[44px] place-items-center rounded-round"
      >
        <Picture
          src={user.profileImage || '/pictures/avatar.webp'}
          alt=""
          ratio="square"
          sizes="32px"
          className="size-[32px] rounded-round"
          emblem={<span className="text-fine font-semibold">{[...user.username][0]?.toUpperCase()}</span>}
        />
      </button>
      <div
        id="account-menu"
        hidden={!isOpen}
        // A low window (a phone on its side, a page at 400 %) is not as high as the menu.
        className="absolute right-0 top-full mt-2 max-h-[calc(100dvh-5rem)] w-60 overflow-y-auto rounded-cut border border-line bg-raised py-2 shadow-lift"
      >
        {isOpen && (
          <>
            <p className="truncate border-b border-line px-4 pb-2 text-small text-muted">{user.username}</p>
            <ul className="pt-2">
              {menus[user.role].map((link) => (
                <li key={link.to}>
                  <Link to={link.to} onClick={close} className={entry}>
                    {link.label}
                  </Link>
                </li>
              ))}
              <li>
                <button type="button" className={entry} onClick={() => void logOut()}>
                  Logout
                </button>
              </li>
            </ul>
          </>
        )}
      </div>
    </div>
  )
}

/** Closes the menu and gives the focus back to the avatar. */
function useEscape(isOpen: boolean, box: RefObject<HTMLElement | null>, close: () => void) {
  useEffect(() => {
    if (!isOpen) return
    const look = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      close()
      box.current?.querySelector('button')?.focus()
    }
    document.addEventListener('keydown', look)
    return () => document.removeEventListener('keydown', look)
  })
}

const entry =
  'flex min-h-11 w-full items-center px-4 -outline-offset-2 text-small font-medium hover:bg-sunken'
