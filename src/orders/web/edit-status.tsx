import { useState } from 'react'
import type { Order } from '#shop/orders/contract.ts'
import { orderStatuses } from '#shop/orders/steps.ts'
import { failureOf } from '#shop/web/api-failure.ts'
import { currentStateOf } from '#shop/web/api-problem.ts'
import { useRefreshWhenClosed } from '#shop/web/api-refresh.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { DialogButton } from '#shop/web/ui/dialog-button.tsx'
import { DialogForm } from '#shop/web/ui/dialog-form.tsx'
import { SelectField } from '#shop/web/ui/field.tsx'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { tagsOfOrder, useUpdateOrderStatusMutation } from './manage-api.ts'

export function EditStatus({ order }: { order: Order }) {
  return (
    <DialogButton label="Edit" title="Edit order status">
      {(close) => (
        <>
          <p className="mb-5 text-small text-muted wrap-anywhere">{order.orderId}</p>
          <StatusForm order={order} onClose={close} />
        </>
      )}
    </DialogButton>
  )
}

type Seen = Pick<Order, 'status' | 'updatedAt'>

/** Sets an order's status; closes what it is in when that is done. */
export function StatusForm({ order, onClose }: { order: Order; onClose: () => void }) {
  const [updateStatus, { isLoading }] = useUpdateOrderStatusMutation()
  const [status, setStatus] = useState(order.status)
  // The order as it was shown when the form opened; after a conflict, as somebody else left it.
  const [seen, setSeen] = useState<Seen>(order)
  const [isStale, setStale] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const showAlert = useAlert()
  const refreshWhenClosed = useRefreshWhenClosed()

  const save = async () => {
    setRefusal(undefined)
    const { error } = await updateStatus({ id: order._id, body: { status }, seenAt: seen.updatedAt })
    if (error) refreshWhenClosed(error, tagsOfOrder(order._id))
    const current = currentOrder(error)
    if (current) {
      setSeen(current)
      setStale(true)
      return
    }
    if (error) {
      console.error('Error updating order status', error)
      setRefusal(failureOf(error, 'The status was not changed.'))
      return
    }
    onClose()
    showAlert('Updated order status')
  }
  return (
    <DialogForm
      onSave={save}
      onClose={onClose}
      isBusy={isLoading}
      refusal={refusal}
      cancel={isStale ? `Leave it ${seen.status}` : undefined}
    >
      {isStale && (
        <p role="alert" className="border-l-4 border-accent bg-sunken px-4 py-3 text-small">
          Somebody else has changed this order in the meantime: it is <strong>{seen.status}</strong> now. Save
          again to replace that with yours, or leave it as it is.
        </p>
      )}
      <SelectField
        label="Status"
        value={status}
        onChange={({ currentTarget }) => setStatus(orderStatuses[currentTarget.selectedIndex] ?? status)}
      >
        {orderStatuses.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </SelectField>
    </DialogForm>
  )
}

/** Checks what the page needs; the contract promises the rest. */
function currentOrder(error: unknown): Order | undefined {
  const state = currentStateOf(error)
  const isOrder = isRecord(state) && 'status' in state && 'updatedAt' in state
  return isOrder ? (state as Order) : undefined
}
