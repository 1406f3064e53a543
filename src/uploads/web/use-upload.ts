import { useEffect, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import { signedOut } from '#shop/accounts/web/session.ts'
import { uploadFailed } from '#shop/uploads/picture-limits.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { dataUrlOf, PictureRefused, sendPicture, SessionEnded, whyRefused } from './send-picture.ts'

export type Upload = { progress: number; preview: string }

/**
 * Uploads pictures one after the other. A picture that is refused does not hold up the others.
 *
 * @param areAllKept whether pictures chosen meanwhile are queued behind the others, instead of replacing them
 */
export function useUpload(onDone: (address: string) => void, { areAllKept = false } = {}) {
  const showAlert = useAlert()
  const dispatch = useDispatch()
  const [upload, setUpload] = useState<Upload | null>(null)
  const [refusal, setRefusal] = useState<string>()
  const running = useRef<AbortController>(null)
  const waiting = useRef<readonly Blob[]>([])
  useEffect(() => () => running.current?.abort(), [])

  const cancel = () => {
    running.current?.abort()
    running.current = null
    waiting.current = []
    setUpload(null)
  }
  const start = (files: readonly Blob[]) => {
    if (!areAllKept) cancel()
    waiting.current = [...waiting.current, ...files]
    if (!running.current) void sendAll()
  }
  const sendAll = async () => {
    const own = new AbortController()
    running.current = own
    setRefusal(undefined)
    const refusals: ReturnType<typeof nameAndReason>[] = []
    let sent = 0
    for (let file = waiting.current[0]; file; file = waiting.current[0]) {
      waiting.current = waiting.current.slice(1)
      sent += 1
      try {
        await send(file, own.signal)
      } catch (error) {
        if (own.signal.aborted) return
        console.error('Error uploading image', error)
        refusals.push(nameAndReason(file, error))
        // With several pictures, the message names each.
        const areSeveral = sent + waiting.current.length > 1
        setRefusal(refusals.map(([name, reason]) => (areSeveral ? `${name}: ${reason}` : reason)).join(' '))
        if (error instanceof SessionEnded) {
          dispatch(signedOut())
          break
        }
      }
      if (own.signal.aborted) return
    }
    cancel()
    if (refusals.length === 0) return showAlert('Uploaded image successfully!')
    showAlert(uploadFailed, { tone: 'error' })
  }
  const send = async (file: Blob, signal: AbortSignal) => {
    const reason = whyRefused(file)
    if (reason) throw new PictureRefused(reason)
    const preview = await dataUrlOf(file)
    signal.throwIfAborted()
    const onProgress = (progress: number) => signal.aborted || setUpload({ progress, preview })
    onProgress(0)
    onDone(await sendPicture(preview, { onProgress, signal }))
  }
  return { upload, refusal, start, cancel }
}

/** The file's name, and why it was refused. */
function nameAndReason(file: Blob, error: unknown): [name: string, reason: string] {
  const reason = error instanceof PictureRefused ? error.message : 'The file cannot be read.'
  return [file instanceof File ? file.name : 'A picture', reason]
}
