import type { ComponentProps } from 'react'
import { Link } from './link.tsx'

export type ButtonVariant = 'primary' | 'danger' | 'warning' | 'outline' | 'quiet' | 'onCloth'

type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant
  /** While its action runs: shown as busy and without effect, but still focused. */
  isBusy?: boolean
}

export function Button({ variant = 'primary', isBusy = false, className, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || props['aria-disabled']}
      onClick={isBusy ? (event) => event.preventDefault() : props.onClick}
      className={buttonClass(variant, className)}
    />
  )
}

export function ButtonLink({
  variant = 'primary',
  className,
  ...props
}: ComponentProps<typeof Link> & { variant?: ButtonVariant }) {
  return <Link {...props} className={buttonClass(variant, className)} />
}

/** An icon alone: it needs an `aria-label`. */
export function IconButton({ className = '', ...props }: ComponentProps<'button'>) {
  return <button type="button" {...props} className={`${iconButtonClass} ${className}`} />
}

export const iconButtonClass =
  'relative inline-flex size-[44px] shrink-0 items-center justify-center rounded-round text-ink transition-colors hover:bg-sunken'

// The transparent border becomes visible in forced colors, where it is all that shows of a button.
const shape =
  'inline-flex min-h-11 items-center justify-center gap-2 rounded-cut border px-6 py-2.5 text-small font-semibold leading-5 text-center transition-colors active:translate-y-px aria-busy:animate-wait'

const looks: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-action text-on-action hover:bg-action-hover',
  danger: 'border-transparent bg-accent text-on-accent hover:bg-ink hover:text-ground',
  /** Leads to a confirmation, and does not look like a button to press in passing. */
  warning: 'border-edge text-accent hover:border-accent hover:bg-sunken',
  outline: 'border-edge text-ink hover:border-ink hover:bg-sunken',
  quiet: 'border-transparent text-ink hover:bg-sunken',
  onCloth:
    'border-transparent bg-on-cloth text-cloth hover:bg-raised hover:text-ink focus-visible:outline-on-cloth',
}

/** For elements of other libraries (a dialog's close button) that should look like ours. */
export function buttonClass(variant: ButtonVariant, className = ''): string {
  return `${shape} ${looks[variant]} ${className}`
}
