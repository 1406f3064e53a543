import { useState } from 'react'
import { useSelector } from 'react-redux'
import type { ListedUser } from '#shop/accounts/contract.ts'
import { useRefreshWhenClosed } from '#shop/web/api-refresh.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { DialogButton } from '#shop/web/ui/dialog-button.tsx'
import { DialogForm } from '#shop/web/ui/dialog-form.tsx'
import { Field, SelectField } from '#shop/web/ui/field.tsx'
import { useEndOwnAccess } from './end-own-access.ts'
import { selectUser } from './session.ts'
import { userFailure } from './user-failure.ts'
import { useChangeRoleMutation, userList } from './users-api.ts'

export function EditRole({ user }: { user: ListedUser }) {
  return (
    <DialogButton label="Edit" title="Edit user">
      {(close) => <RoleForm user={user} onClose={close} />}
    </DialogButton>
  )
}

function RoleForm({ user, onClose }: { user: ListedUser; onClose: () => void }) {
  const [changeRole, { isLoading }] = useChangeRoleMutation()
  const [role, setRole] = useState(user.role)
  const [refusal, setRefusal] = useState<string>()
  const showAlert = useAlert()
  const refreshWhenClosed = useRefreshWhenClosed()
  const endOwnAccess = useEndOwnAccess()
  const isOwn = useSelector(selectUser)?._id === user._id
  const save = async () => {
    // There are two roles: sending only a changed one cannot undo what another admin did meanwhile.
    if (role === user.role) return onClose()
    setRefusal(undefined)
    const { error } = await changeRole({ userId: user._id, role })
    if (error) {
      refreshWhenClosed(error, userList)
      console.error('Error updating user role', error)
      setRefusal(userFailure(error, 'The role was not changed.'))
      return
    }
    onClose()
    showAlert('User role updated successfully!')
    if (isOwn) endOwnAccess()
  }
  return (
    <DialogForm onSave={save} onClose={onClose} isBusy={isLoading} refusal={refusal}>
      <Field label="Email" type="email" value={user.email} readOnly className="bg-sunken" />
      <SelectField
        label="Role"
        value={role}
        onChange={({ currentTarget }) => setRole(currentTarget.value === 'admin' ? 'admin' : 'user')}
        hint={
          isOwn
            ? 'This is you: as a user you lose access to these pages and are logged out.'
            : 'A new role logs them out: they have to log in again.'
        }
      >
        <option value="user">user</option>
        <option value="admin">admin</option>
      </SelectField>
    </DialogForm>
  )
}
