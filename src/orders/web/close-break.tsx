import { useState } from 'react'
import { failureOf } from '#shop/web/api-failure.ts'
import { useRefreshWhenClosed } from '#shop/web/api-refresh.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { DialogButton } from '#shop/web/ui/dialog-button.tsx'
import { DialogForm } from '#shop/web/ui/dialog-form.tsx'
import { breakList, useClosePaymentBreakMutation } from './manage-api.ts'

/** For a break that no full refund at the provider takes off the list. */
export function CloseBreak({ sessionId }: { sessionId: string }) {
  return (
    <DialogButton label="Mark as settled" title="Mark as settled">
      {(close) => <ClosingForm sessionId={sessionId} onClose={close} />}
    </DialogButton>
  )
}

function ClosingForm({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const [closeBreak, { isLoading }] = useClosePaymentBreakMutation()
  const [refusal, setRefusal] = useState<string>()
  const showAlert = useAlert()
  const refreshWhenClosed = useRefreshWhenClosed()
  const close = async () => {
    setRefusal(undefined)
    const { error } = await closeBreak(sessionId)
    if (error) {
      refreshWhenClosed(error, breakList)
      console.error('Error settling a payment', error)
      setRefusal(failureOf(error, 'The payment was not marked as settled.'))
      return
    }
    onClose()
    showAlert('The payment is marked as settled')
  }
  return (
    <DialogForm onSave={close} onClose={onClose} isBusy={isLoading} refusal={refusal} save="Mark as settled">
      <p className="text-small text-muted wrap-anywhere">{sessionId}</p>
      <p>
        Do this once the customer has their money back or what they paid for. The payment leaves this list for
        every admin; it stays in the books, with your name.
      </p>
    </DialogForm>
  )
}
