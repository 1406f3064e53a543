import {
  createContext,
  use,
  useCallback,
  useEffect,
  useRef,
  type ComponentProps,
  type MouseEvent,
} from 'react'
import { useLocation, useNavigate, type Location } from 'react-router'
import { closeOverlay } from './overlay.ts'

/** Navigates to an address of the shop without reloading the page; `state` goes with it. */
type Follow = (to: string, state?: unknown) => void

export const FollowContext = createContext<Follow>(() => undefined)

/**
 * A function for all links of the page that never changes: React Router's changes with each change of the address.
 *
 * @param shown the location of the page that the links are on, which may still be the previous one
 */
export function useFollowing(shown: Location): Follow {
  const navigate = useNavigate()
  const latest = useRef({ navigate, shown })
  useEffect(() => {
    latest.current = { navigate, shown }
  })
  return useCallback((to, state) => {
    closeOverlay(() => {
      const { navigate, shown } = latest.current
      const { pathname, search, hash, href } = new URL(to, location.origin + shown.pathname + shown.search)
      void navigate(pathname + search + hash, { state, replace: href === document.URL })
    })
  }, [])
}

type LinkProps = Omit<ComponentProps<'a'>, 'href'> & {
  /** As in `href`, within the shop: a path, or only what follows `?` or `#`. */
  to: string
  state?: unknown
}

/**
 * A link within the shop. React Router's own resolves its target at every change of the address, also in parts
 * that are not rendered again; a page has thirty links.
 */
export function Link({ to, state, onClick, ...props }: LinkProps) {
  const follow = use(FollowContext)
  return (
    <a
      {...props}
      href={to}
      onClick={(event) => {
        onClick?.(event)
        if (event.defaultPrevented || !isPlain(event)) return
        event.preventDefault()
        follow(to, state)
      }}
    />
  )
}

/** Marked as current on its page and, unless it is an `end`, on pages below that. */
export function NavLink({ end = false, ...props }: LinkProps & { end?: boolean }) {
  const { pathname } = useLocation()
  const below = `${props.to}/`
  const isHere = pathname === props.to || (end ? pathname === below : pathname.startsWith(below))
  return <Link {...props} aria-current={isHere ? 'page' : undefined} />
}

/** Any other click asks the browser to open a tab or window, or to save a file. */
function isPlain({ button, metaKey, altKey, ctrlKey, shiftKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !altKey && !ctrlKey && !shiftKey
}
