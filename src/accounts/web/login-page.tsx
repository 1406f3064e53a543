import type { FormEvent } from 'react'
import { useSelector } from 'react-redux'
import { useLocation, useNavigate } from 'react-router'
import { failureOf, fieldErrorsOf, tooOften } from '#shop/web/api-failure.ts'
import { statusOf } from '#shop/web/api-problem.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button } from '#shop/web/ui/button.tsx'
import { Field, Refusal } from '#shop/web/ui/field.tsx'
import { useForm } from '#shop/web/ui/form.ts'
import { Link } from '#shop/web/ui/link.tsx'
import { useLogInMutation } from './api.ts'
import { SignInLayout } from './sign-in-layout.tsx'
import { PasswordField } from './password-field.tsx'
import { originOf, returnAddress } from './return-address.ts'
import { selectUser } from './session.ts'

export function LoginPage() {
  const origin = originOf(useLocation().state)
  const { errors, onInput, refusal, isLoading, submit } = useLogIn(returnAddress(origin))
  return (
    <SignInLayout
      title="Please Login!"
      tab="Log in"
      other={
        <>
          New here?{' '}
          <Link to={paths.register} state={origin} className="thread-link -my-3 inline-block py-3 text-ink">
            Register
          </Link>
          .{' '}
          <span className="inline-block">
            Forgot your password?{' '}
            <Link to={paths.contact} className="thread-link -my-3 inline-block py-3 text-ink">
              Write to us
            </Link>
            .
          </span>
        </>
      }
    >
      <Welcome registered={origin.registered} />
      <form
        noValidate
        onInput={onInput}
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-5"
      >
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          defaultValue={origin.registered}
          required
          error={errors.email}
        />
        <PasswordField
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          error={errors.password}
        />
        <Refusal text={refusal} />
        <Button type="submit" isBusy={isLoading}>
          Login
        </Button>
      </form>
    </SignInLayout>
  )
}

/** For users who have just registered, and for those who are signed in already. */
function Welcome({ registered }: { registered: string | undefined }) {
  const user = useSelector(selectUser)
  if (user) {
    return (
      <p className="border-l-4 border-edge bg-sunken px-4 py-3 text-small wrap-anywhere">
        <span>{`You are logged in as ${user.username}.`}</span>{' '}
        <Link
          to={user.role === 'admin' ? paths.dashboard.admin : paths.dashboard.home}
          className="thread-link -my-3 inline-block py-3 font-semibold"
        >
          Go to your dashboard
        </Link>
      </p>
    )
  }
  if (!registered) return null
  return (
    <p className="border-l-4 border-edge bg-sunken px-4 py-3 text-small">
      Your account is ready: please log in.
    </p>
  )
}

function useLogIn(returnTo: string) {
  const { errors, refusal, onInput, read, showRefusal } = useForm({ email: 'Email', password: 'Password' })
  const [logIn, { isLoading }] = useLogInMutation()
  const navigate = useNavigate()
  const showAlert = useAlert()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const typed = read(form)
    if (!typed || isLoading) return
    if (!keepsCookies()) return showRefusal(form, noCookies)
    const { data: user, error } = await logIn(typed)
    if (!user) {
      showRefusal(form, refusalOf(error), fieldErrorsOf(error))
      return
    }
    showAlert('Login successful!')
    void navigate(returnTo, { replace: true })
  }
  return { errors, onInput, refusal, isLoading, submit }
}

/** Tries it out: browsers that keep no cookies still set `navigator.cookieEnabled`. */
function keepsCookies(): boolean {
  document.cookie = 'kept=yes; SameSite=Lax'
  const isKept = document.cookie.includes('kept=yes')
  document.cookie = 'kept=; Max-Age=0'
  return isKept
}

// Without a cookie the login would seem to work, but the next page would not be logged in.
const noCookies =
  'Your browser keeps no cookies of this shop. Please allow them: without one you can not be logged in.'

function refusalOf(error: unknown): string {
  if (statusOf(error) === 400 || statusOf(error) === 401) return 'Please Provide a valid email and password!'
  return tooOften(error) ?? failureOf(error, 'You could not be logged in.')
}
