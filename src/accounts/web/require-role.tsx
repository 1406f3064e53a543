import { useEffect, useState, type ReactNode } from 'react'
import { useSelector } from 'react-redux'
import { Outlet, useLocation, useNavigate } from 'react-router'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { closeOverlay } from '#shop/web/ui/overlay.ts'
import { useGetMeQuery } from './api.ts'
import { selectUser } from './session.ts'

type RequireUserProps = {
  /** Takes the place of the children until it is known who is signed in. */
  waiting: ReactNode
  children: ReactNode
}

/**
 * Shows its children to signed-in users. It waits until the server has said who that is: the stored user could
 * have been written by anybody. With every request the server decides what a child may load or change.
 */
export function RequireUser({ waiting, children }: RequireUserProps) {
  const user = useSelector(selectUser)
  const { isLoading } = useGetMeQuery(undefined, { skip: !user })
  // After a failed request the server may be asked once more: children that are shown by then stay.
  const [shownTo, setShownTo] = useState<string>()
  if (!user) return <Refused text="You must be logged in" />
  if (!isLoading && shownTo !== user._id) setShownTo(user._id)
  return isLoading && shownTo !== user._id ? waiting : children
}

/** Wraps the admin's pages in the route table, within `RequireUser`: only that asks the server, and only once. */
export function AdminPages() {
  const user = useSelector(selectUser)
  return user?.role === 'admin' ? <Outlet /> : <Refused text="Access denied! You must be an admin" />
}

function Refused({ text }: { text: string }) {
  const here = useLocation()
  const navigate = useNavigate()
  const showAlert = useAlert()
  useEffect(() => {
    // A user who has just logged out is already being taken home, and is not redirected again.
    if (window.location.pathname !== here.pathname) return
    showAlert(text, { tone: 'error' })
    closeOverlay(() => void navigate(paths.login, { replace: true, state: { from: here } }))
  }, [here, navigate, showAlert, text])
  return null
}
