import type { FormEvent } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { failureOf, fieldErrorsOf, tooOften } from '#shop/web/api-failure.ts'
import { statusOf } from '#shop/web/api-problem.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button } from '#shop/web/ui/button.tsx'
import { Field, Refusal } from '#shop/web/ui/field.tsx'
import { useForm } from '#shop/web/ui/form.ts'
import { Link } from '#shop/web/ui/link.tsx'
import { useRegisterMutation } from './api.ts'
import { SignInLayout } from './sign-in-layout.tsx'
import { PasswordField } from './password-field.tsx'
import { originOf, type Origin } from './return-address.ts'

export function RegisterPage() {
  const origin = originOf(useLocation().state)
  const { errors, onInput, refusal, isBusy, submit } = useRegister(origin)
  return (
    <SignInLayout
      title="Please Register!"
      tab="Register"
      other={
        <>
          Already have an account?{' '}
          <Link to={paths.login} state={origin} className="thread-link -my-3 inline-block py-3 text-ink">
            Login
          </Link>
        </>
      }
    >
      <form
        noValidate
        onInput={onInput}
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-5"
      >
        <Field
          label="Username"
          name="username"
          autoComplete="nickname"
          hint="Others see it beside your reviews."
          required
          error={errors.username}
        />
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          required
          error={errors.email}
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="new-password"
          hint="At least 8 characters."
          required
          error={errors.password}
        />
        <Refusal text={refusal} />
        <Button type="submit" isBusy={isBusy}>
          Register
        </Button>
      </form>
    </SignInLayout>
  )
}

function useRegister(origin: Origin) {
  const { errors, refusal, onInput, read, showRefusal } = useForm({
    username: 'Username',
    email: 'Email',
    password: 'Password',
  })
  const [register, { isLoading, isSuccess }] = useRegisterMutation()
  // This page stays, and stays busy, until the login page has loaded.
  const isBusy = isLoading || isSuccess
  const navigate = useNavigate()
  const showAlert = useAlert()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const typed = read(form)
    if (!typed || isBusy) return
    const { data: user, error } = await register(typed)
    if (error) {
      console.error('Registration failed!', error)
      showRefusal(form, refusalOf(error), fieldErrorsOf(error))
      return
    }
    showAlert('Registration successful!')
    void navigate(paths.login, { state: { ...origin, registered: user.email } })
  }
  return { errors, onInput, refusal, isBusy, submit }
}

function refusalOf(error: unknown): string {
  if (statusOf(error) === 400) return 'Your given info is not valid.'
  return tooOften(error) ?? failureOf(error, 'Your account could not be created.')
}
