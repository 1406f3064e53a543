import { useState, type FormEvent } from 'react'
import { flushSync } from 'react-dom'

type Texts<Name extends string> = Record<Name, string>
type Errors<Name extends string> = Partial<Texts<Name>>

/**
 * For a form whose fields are named and labelled by `labels`: reads them, shows which are empty or not a number
 * and which the server refused, and focuses the first wrong one.
 *
 * @param optional the fields that may stay empty
 */
export function useForm<Name extends string>(labels: Texts<Name>, optional: readonly Name[] = []) {
  const [errors, setErrors] = useState<Errors<Name>>({})
  const [refusal, setRefusal] = useState<string>()
  const clearError = (name: string) =>
    setErrors((before) => (name in before ? { ...before, [name]: undefined } : before))
  const names = Object.keys(labels).filter((name): name is Name => name in labels)

  const show = (form: HTMLFormElement, next: Errors<Name>) => {
    // Synchronously, so that a screen reader finds the error when the field gets the focus.
    flushSync(() => setErrors(next))
    form.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }
  const labelledErrorsOf = (messageOf: (name: Name) => string | undefined): Errors<Name> => {
    const labelled = names.flatMap((name) => {
      const message = messageOf(name)
      return message ? [[name, `${labels[name]} ${message}`] as const] : []
    })
    // `fromEntries` loses the types of the keys.
    return Object.fromEntries(labelled) as Errors<Name>
  }

  return {
    errors,
    /** Why the last attempt failed, until the next one. */
    refusal,
    clearError,
    /** Clears the error of a field that is being corrected. */
    onInput: ({ target }: FormEvent) => {
      if (target instanceof HTMLElement) clearError(target.getAttribute('name') ?? '')
    },
    /** The fields as typed; undefined, with errors shown, when one is not a number or a required one is empty. */
    read(form: HTMLFormElement): Texts<Name> | undefined {
      setRefusal(undefined)
      const data = new FormData(form)
      const textOf = (name: Name) => {
        const value = data.get(name)
        return typeof value === 'string' ? value : ''
      }
      // For text that is not a number the browser reports an empty value; an invalid e-mail it reports as typed.
      const isNoNumber = (name: Name) => {
        const field = form.elements.namedItem(name)
        return field instanceof HTMLInputElement && field.type === 'number' && field.validity.badInput
      }
      const isMissing = (name: Name) => !optional.includes(name) && textOf(name).trim() === ''
      const wrong = labelledErrorsOf((name) =>
        isNoNumber(name) ? 'must be a number' : isMissing(name) ? 'is required' : undefined,
      )
      show(form, wrong)
      if (Object.keys(wrong).length > 0) return undefined
      // It has every name of `labels`.
      return Object.fromEntries(names.map((name) => [name, textOf(name)])) as Texts<Name>
    },
    /** Shows `why` it failed, and beside the fields the errors that, for example, the server reports for them. */
    showRefusal(form: HTMLFormElement, why: string | undefined, refused: Record<string, string> = {}) {
      show(
        form,
        labelledErrorsOf((name) => refused[name]),
      )
      setRefusal(why)
    },
  }
}
