import { useEffect, useId, useRef, type ComponentProps, type ReactNode } from 'react'

type Common = { label: string; error?: string; hint?: string; id?: never }

type FieldProps = Common &
  ComponentProps<'input'> & {
    /** A button at the end of the field, placed over it. */
    end?: ReactNode
  }

export function Field({ label, error, hint, end, ...input }: FieldProps) {
  return (
    <Labelled label={label} error={error} hint={hint}>
      {(tied) => (
        <span className="relative block">
          <input {...input} {...tied} className={`${control} ${input.className ?? ''}`} />
          {end}
        </span>
      )}
    </Labelled>
  )
}

type SearchFieldProps = FieldProps & {
  /** The search text in the address. */
  search: string
}

/** Follows the address, also after Back, and keeps the focus meanwhile: a typo can be corrected at once. */
export function SearchField({ search, ...field }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const shown = useRef(search)
  useEffect(() => {
    // What is typed before hydration stays.
    if (input.current && shown.current !== search) input.current.value = search
    shown.current = search
  }, [search])
  return (
    <Field {...field} ref={input} type="search" maxLength={200} defaultValue={search} enterKeyHint="search" />
  )
}

/** An amount of dollars. */
export function MoneyField({ label, error, hint, ...input }: Common & ComponentProps<'input'>) {
  return (
    <Labelled label={label} error={error} hint={hint}>
      {(tied) => (
        <span className="relative block">
          <span
            aria-hidden
            className="pointer-events-none absolute inset-y-0 left-3.5 grid place-items-center"
          >
            $
          </span>
          <input
            type="number"
            inputMode="decimal"
            min="0.01"
            max="999999.99"
            step="0.01"
            // Scrolling past a number that has the focus would change it.
            onWheel={(event) => event.currentTarget.blur()}
            {...input}
            {...tied}
            className={`${control} pl-7 tabular-nums`}
          />
        </span>
      )}
    </Labelled>
  )
}

export function TextField({ label, error, hint, ...area }: Common & ComponentProps<'textarea'>) {
  return (
    <Labelled label={label} error={error} hint={hint}>
      {(tied) => <textarea rows={4} {...area} {...tied} className={control} />}
    </Labelled>
  )
}

export function SelectField({ label, error, hint, ...select }: Common & ComponentProps<'select'>) {
  return (
    <Labelled label={label} error={error} hint={hint}>
      {(tied) => <select {...select} {...tied} className={`${control} pr-10`} />}
    </Labelled>
  )
}

/** Why something failed, read out at once; the live region exists before its text does. */
export function Refusal({ text }: { text: string | undefined }) {
  return (
    <div role="alert" className="empty:hidden">
      {text && <p className="border-l-4 border-accent bg-sunken px-4 py-3 text-small font-medium">{text}</p>}
    </div>
  )
}

type Tied = { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined }

/** Ties label, hint and error to the control, for the eye and for a screen reader alike. */
function Labelled({ label, error, hint, children }: Common & { children: (tied: Tied) => ReactNode }) {
  const controlId = useId()
  const errorId = `${controlId}-error`
  const hintId = `${controlId}-hint`
  const described = [error && errorId, hint && hintId].filter(Boolean).join(' ')
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={controlId} className="text-small font-medium">
        {label}
      </label>
      {children({
        id: controlId,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': described || undefined,
      })}
      {error && (
        <p id={errorId} className="text-fine font-medium text-accent">
          {error}
        </p>
      )}
      {hint && (
        <p id={hintId} className="text-fine text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}

// 16 px at least: with less, a phone zooms into the page at the first touch.
const control =
  'min-h-11 w-full rounded-cut border border-edge bg-raised px-3.5 py-2 text-body text-ink placeholder:text-muted aria-invalid:border-2 aria-invalid:border-accent'
