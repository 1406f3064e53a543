import type { FormEvent } from 'react'
import { failureOf, fieldErrorsOf, tooOften } from '#shop/web/api-failure.ts'
import { statusOf } from '#shop/web/api-problem.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button } from '#shop/web/ui/button.tsx'
import { useForm } from '#shop/web/ui/form.ts'
import { Refusal } from '#shop/web/ui/field.tsx'
import { useChangePasswordMutation } from './api.ts'
import { PasswordField } from './password-field.tsx'

export function PasswordForm({ email }: { email: string }) {
  const { errors, onInput, refusal, isLoading, submit } = useChange()
  return (
    <form
      noValidate
      onInput={onInput}
      onSubmit={(event) => void submit(event)}
      className="flex max-w-md flex-col gap-5"
    >
      {/* Tells a password manager whose password is changed. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Current password"
        name="currentPassword"
        autoComplete="current-password"
        required
        error={errors.currentPassword}
      />
      <PasswordField
        label="New password"
        name="newPassword"
        autoComplete="new-password"
        hint="At least 8 characters. You will be logged out everywhere else."
        required
        error={errors.newPassword}
      />
      <Refusal text={refusal} />
      <Button type="submit" variant="outline" isBusy={isLoading} className="self-start">
        Change password
      </Button>
    </form>
  )
}

function useChange() {
  const { errors, refusal, onInput, read, showRefusal } = useForm({
    currentPassword: 'Current password',
    newPassword: 'New password',
  })
  const [changePassword, { isLoading }] = useChangePasswordMutation()
  const showAlert = useAlert()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const typed = read(form)
    if (!typed || isLoading) return
    const { error } = await changePassword(typed)
    if (error) {
      showRefusal(form, refusalOf(error), fieldErrorsOf(error))
      return
    }
    form.reset()
    showAlert('Password changed successfully!')
  }
  return { errors, onInput, refusal, isLoading, submit }
}

/** Undefined when the reason is shown beside the fields already. */
function refusalOf(error: unknown): string | undefined {
  if (statusOf(error) === 400) return undefined
  return tooOften(error) ?? failureOf(error, 'Your password was not changed.')
}
