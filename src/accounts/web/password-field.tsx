import { useState, type ComponentProps } from 'react'
import { Field } from '#shop/web/ui/field.tsx'

type PasswordFieldProps = ComponentProps<typeof Field> & {
  /** Tells a password manager what to fill in, or to keep. */
  autoComplete: 'current-password' | 'new-password'
}

export function PasswordField(props: PasswordFieldProps) {
  const [isShown, setShown] = useState(false)
  return (
    <Field
      {...props}
      type={isShown ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      className="pr-18"
      end={
        <button
          type="button"
          // Does not say "password", so that looking for that label finds the field alone.
          aria-label={isShown ? 'Hide what is typed' : 'Show what is typed'}
          onClick={() => setShown(!isShown)}
          className="absolute inset-y-0 right-0 min-w-16 rounded-cut px-3 text-small font-medium text-muted -outline-offset-4 hover:text-ink"
        >
          {isShown ? 'Hide' : 'Show'}
        </button>
      }
    />
  )
}
