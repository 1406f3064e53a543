import { useSelector } from 'react-redux'
import type { ListedUser } from '#shop/accounts/contract.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { DataTable, DataTableSkeleton, type Column } from '#shop/web/ui/data-table.tsx'
import { DateOf } from '#shop/web/ui/date.tsx'
import { Email } from '#shop/web/ui/email.tsx'
import { DeleteButton } from '#shop/web/ui/delete-button.tsx'
import { staysInPlace } from '#shop/web/ui/scroll-restoration.ts'
import { useListAddress, type ListAddress } from '#shop/web/ui/list-address.ts'
import { ListCount, ListPage, ListPager } from '#shop/web/ui/list-page.tsx'
import { ListSearch } from '#shop/web/ui/list-search.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { EditRole } from './edit-role.tsx'
import { useEndOwnAccess } from './end-own-access.ts'
import { selectUser } from './session.ts'
import { userFailure } from './user-failure.ts'
import { useDeleteUserMutation, useListUsersQuery } from './users-api.ts'

const pageSize = 50

export function UsersPage() {
  const address = useListAddress()
  const query = useListUsersQuery(
    { search: address.get('search'), page: address.page, limit: pageSize },
    { refetchOnMountOrArgChange: true },
  )
  const { users, total = 0 } = query.currentData ?? {}
  return (
    <div className="@container">
      <PageTitle title="Users" />
      <h1 className="text-title">Users</h1>
      <div className="mt-8 mb-3">
        <ListSearch label="Search by name or email" address={address} />
      </div>
      <ListCount
        query={query}
        shown={users && { page: address.page, limit: pageSize, count: users.length, total, of: 'users' }}
        waiting="Looking through the address book…"
      />
      <QueryState
        query={query}
        loading={<DataTableSkeleton rows={8} cardHeight="h-52" />}
        failed="Failed to load users!"
        isEmpty={(list) => list.total === 0}
        empty={<NobodyFound address={address} />}
        below={({ total }) => <ListPager address={address} totalPages={Math.ceil(total / pageSize)} />}
      >
        {(list) => (
          <ListPage address={address} totalPages={Math.ceil(list.total / pageSize)}>
            <DataTable caption="Users" columns={columns} rows={list.users} keyOf={({ _id }) => _id} />
          </ListPage>
        )}
      </QueryState>
    </div>
  )
}

const columns: Column<ListedUser>[] = [
  {
    name: 'Email',
    isHead: true,
    cell: ({ email, username }) => (
      <>
        <span className="block wrap-anywhere">
          <Email address={email} />
        </span>
        <span className="block font-normal text-muted wrap-anywhere">{username}</span>
      </>
    ),
  },
  { name: 'Role', className: '@4xl:whitespace-nowrap', cell: ({ role }) => <RoleName role={role} /> },
  {
    name: 'Joined',
    className: '@4xl:whitespace-nowrap',
    cell: ({ createdAt }) => <DateOf iso={createdAt} />,
  },
  {
    name: 'Actions',
    isActions: true,
    cell: (user) => (
      <>
        <EditRole user={user} />
        <DeleteUser user={user} />
      </>
    ),
  },
]

function RoleName({ role }: { role: ListedUser['role'] }) {
  return <span className={role === 'admin' ? 'font-semibold text-accent' : ''}>{role}</span>
}

function DeleteUser({ user }: { user: ListedUser }) {
  const [deleteUser] = useDeleteUserMutation()
  const showAlert = useAlert()
  const endOwnAccess = useEndOwnAccess()
  const isOwn = useSelector(selectUser)?._id === user._id
  const act = async () => {
    const { error } = await deleteUser(user._id)
    if (error) {
      console.error('Error deleting user', error)
      showAlert(userFailure(error, 'The user was not deleted.'), { tone: 'error' })
      return false
    }
    showAlert('User deleted successfully!')
    if (isOwn) endOwnAccess()
    return true
  }
  return (
    <DeleteButton
      question={isOwn ? 'Delete your own account?' : 'Delete this user?'}
      text={`${user.email} will be logged out at once and cannot log in again. Orders and reviews stay, without the name.`}
      onDelete={act}
    />
  )
}

function NobodyFound({ address }: { address: ListAddress }) {
  return (
    <Notice text="Nobody found" detail="No name or email contains that.">
      <ButtonLink variant="outline" to={address.hrefWith({ search: '' })} state={staysInPlace}>
        Show all users
      </ButtonLink>
    </Notice>
  )
}
