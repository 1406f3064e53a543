import { useEffect, useState, type ReactNode } from 'react'
import { useSelector } from 'react-redux'
import { Outlet, useLocation, useNavigate } from 'react-router'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { closeOver } from '#shop/web/ui/over-page.ts'
import { useGetMeQuery } from './api.ts'
import { selectUser } from './session.ts'

type RequireUserProps = {
  /** Keeps the place until it is known. */
  waiting: ReactNode
  children: ReactNode
}

/**
 * Shows its children to whoever is signed in. It waits until the server has said who that is: the stored user could
 * have been written by anybody. What a child may load or change is decided by the server, with every call.
 */
export function RequireUser({ waiting, children }: RequireUserProps) {
  const user = useSelector(selectUser)
  const { isLoading } = useGetMeQuery(undefined, { skip: !user })
  // Where the server could not say, it may be asked once more: what is there by then stays.
  const [shownTo, setShownTo] = useState<string>()
  if (!user) return <Refused text="You must be logged in" />
  if (!isLoading && shownTo !== user._id) setShownTo(user._id)
  return isLoading && shownTo !== user._id ? waiting : children
}

/** Around the admin's pages, in the table of routes, within `RequireUser`: only that asks the server, and only once. */
export function AdminPages() {
  const user = useSelector(selectUser)
  return user?.role === 'admin' ? <Outlet /> : <Refused text="Access denied! You must be an admin" />
}

function Refused({ text }: { text: string }) {
  const here = useLocation()
  const navigate = useNavigate()
  const showAlert = useAlert()
  useEffect(() => {
    // Whoever has just logged out is on their way home already, and is not sent anywhere else.
    if (window.location.pathname !== here.pathname) return
    showAlert(text, { tone: 'error' })
    closeOver(() => void navigate(paths.login, { replace: true, state: { from: here } }))
  }, [here, navigate, showAlert, text])
  return null
}
