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
import { closeOver } from './over-page.ts'

/** Goes to an address of the shop without loading the page anew; `state` goes with it. */
type Follow = (to: string, state?: unknown) => void

export const FollowContext = createContext<Follow>(() => undefined)

/**
 * For all links of the page, and the same for ever: React Router's own is another one after each change of the address.
 *
 * @param shown of the page that the links are on, which may still be the one before
 */
export function useFollowing(shown: Location): Follow {
  const navigate = useNavigate()
  const latest = useRef({ navigate, shown })
  useEffect(() => {
    latest.current = { navigate, shown }
  })
  return useCallback((to, state) => {
    closeOver(() => {
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
 * A link within the shop. React Router's own works out where it leads whenever any address changes, also in parts that
 * are left alone; a page has thirty.
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

/** Marked while one is there, or, unless it is an `end`, below it. */
export function NavLink({ end = false, ...props }: LinkProps & { end?: boolean }) {
  const { pathname } = useLocation()
  const isHere = pathname === props.to || (!end && pathname.startsWith(`${props.to}/`))
  return <Link {...props} aria-current={isHere ? 'page' : undefined} />
}

/** Any other press asks the browser for another tab, a window or a file. */
function isPlain({ button, metaKey, altKey, ctrlKey, shiftKey }: MouseEvent): boolean {
  return button === 0 && !metaKey && !altKey && !ctrlKey && !shiftKey
}
