import type { FormEvent, ReactNode } from 'react'
import { Button } from './button.tsx'
import { Refusal } from './field.tsx'

type DialogFormProps = {
  /** Not called while `isBusy`; tells the user about the result itself. */
  onSave: () => Promise<void>
  onClose: () => void
  isBusy: boolean
  /** Why the last attempt failed. */
  refusal: string | undefined
  /** The texts of the buttons. */
  save?: string
  cancel?: string
  children: ReactNode
}

/** The fields of a dialog, why they were not saved, and the buttons to save and to cancel. */
export function DialogForm(props: DialogFormProps) {
  const { onSave, onClose, isBusy, refusal, save = 'Save', cancel = 'Cancel', children } = props
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void onSave()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      {children}
      <Refusal text={refusal} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="outline" onClick={onClose}>
          {cancel}
        </Button>
        <Button type="submit" isBusy={isBusy}>
          {save}
        </Button>
      </div>
    </form>
  )
}
