import { useEffect, type ReactNode } from 'react'
import { useSelector } from 'react-redux'
import { Outlet, useLocation, useNavigate } from 'react-router'
import type { Role } from '#shop/accounts/contract.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { closeOver } from '#shop/web/ui/over-page.ts'
import { useGetMeQuery } from './api.ts'
import { selectUser } from './session.ts'

type RequireRoleProps = {
  role?: Role
  /** Keeps the place until it is known. */
  waiting?: ReactNode
  children: ReactNode
}

/**
 * Shows its children to whoever may see them. It waits until the server has said who that is: the stored user could
 * have been written by anybody. What a child may load or change is decided by the server, with every call.
 */
export function RequireRole({ role, waiting, children }: RequireRoleProps) {
  const user = useSelector(selectUser)
  const { isLoading } = useGetMeQuery(undefined, { skip: !user })
  if (!user) return <Refused text="You must be logged in" />
  if (isLoading) return waiting
  if (role && user.role !== role) return <Refused text="Access denied! You must be an admin" />
  return children
}

/** Around the admin's pages, in the table of routes. */
export function AdminPages() {
  return (
    <RequireRole role="admin">
      <Outlet />
    </RequireRole>
  )
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
