import type { FormEvent, ReactNode } from 'react'
import { Button } from './button.tsx'
import { Refusal } from './field.tsx'

type DialogFormProps = {
  /** Asked for once at a time, and says by itself what became of it. */
  onSave: () => Promise<void>
  onClose: () => void
  isBusy: boolean
  /** Why the last time did not work. */
  refusal: string | undefined
  /** What the buttons say. */
  save?: string
  cancel?: string
  children: ReactNode
}

/** What a dialog asks, why it was not saved, and the two ways out. */
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
