import { useState, type FormEvent } from 'react'
import { flushSync } from 'react-dom'

type Texts<Name extends string> = Record<Name, string>
type Errors<Name extends string> = Partial<Texts<Name>>

/**
 * A form whose fields are named and labelled by `labels`: reads them, tells which are empty or no number, and which
 * the server refused, and puts the focus into the first that is wrong.
 *
 * @param optional what may stay empty
 */
export function useForm<Name extends string>(labels: Texts<Name>, optional: readonly Name[] = []) {
  const [errors, setErrors] = useState<Errors<Name>>({})
  const [refusal, setRefusal] = useState<string>()
  const forgive = (name: string) =>
    setErrors((before) => (name in before ? { ...before, [name]: undefined } : before))
  const names = Object.keys(labels).filter((name): name is Name => name in labels)

  const show = (form: HTMLFormElement, next: Errors<Name>) => {
    // Now, so that a screen reader that comes to the field finds its error there.
    flushSync(() => setErrors(next))
    form.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }
  const say = (messageOf: (name: Name) => string | undefined): Errors<Name> => {
    const said = names.flatMap((name) => {
      const message = messageOf(name)
      return message ? [[name, `${labels[name]} ${message}`] as const] : []
    })
    // `fromEntries` forgets the names that its entries have.
    return Object.fromEntries(said) as Errors<Name>
  }

  return {
    errors,
    /** Why the last time did not work, until the next one. */
    refusal,
    forgive,
    /** What is being put right is no longer called wrong. */
    onInput: ({ target }: FormEvent) => {
      if (target instanceof HTMLElement) forgive(target.getAttribute('name') ?? '')
    },
    /** The fields as typed; undefined when one is no number, or nothing is in one that is needed, which is then said. */
    read(form: HTMLFormElement): Texts<Name> | undefined {
      setRefusal(undefined)
      const data = new FormData(form)
      const textOf = (name: Name) => {
        const value = data.get(name)
        return typeof value === 'string' ? value : ''
      }
      // What is no number the browser keeps to itself, and says that there is nothing. What is no e-mail it hands out.
      const isNoNumber = (name: Name) => {
        const field = form.elements.namedItem(name)
        return field instanceof HTMLInputElement && field.type === 'number' && field.validity.badInput
      }
      const isMissing = (name: Name) => !optional.includes(name) && textOf(name).trim() === ''
      const wrong = say((name) =>
        isNoNumber(name) ? 'must be a number' : isMissing(name) ? 'is required' : undefined,
      )
      show(form, wrong)
      if (Object.keys(wrong).length > 0) return undefined
      // Every name of `labels` is there.
      return Object.fromEntries(names.map((name) => [name, textOf(name)])) as Texts<Name>
    },
    /** Says `why` it did not work, and beside the fields what somebody else, the server say, has to say about them. */
    showRefusal(form: HTMLFormElement, why: string | undefined, refused: Record<string, string> = {}) {
      show(
        form,
        say((name) => refused[name]),
      )
      setRefusal(why)
    },
  }
}
