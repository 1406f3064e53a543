import { useEffect, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import { signedOut } from '#shop/accounts/web/session.ts'
import { uploadFailed } from '#shop/uploads/picture-limits.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { dataUrlOf, PictureRefused, sendPicture, SessionEnded, whyRefused } from './send-picture.ts'

export type Upload = { progress: number; preview: string }

/** Pictures on their way to the shop, one after the other; what is chosen next takes the place of what is still to be sent. */
export function useUpload(onDone: (address: string) => void) {
  const showAlert = useAlert()
  const dispatch = useDispatch()
  const [upload, setUpload] = useState<Upload | null>(null)
  const [refusal, setRefusal] = useState<string>()
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  const cancel = () => {
    running.current?.abort()
    setUpload(null)
  }
  const start = async (files: readonly Blob[]) => {
    cancel()
    const own = new AbortController()
    running.current = own
    setRefusal(undefined)
    try {
      for (const file of files) {
        const reason = whyRefused(file)
        if (reason) throw new PictureRefused(reason)
        const preview = await dataUrlOf(file)
        own.signal.throwIfAborted()
        const onProgress = (progress: number) => own.signal.aborted || setUpload({ progress, preview })
        onProgress(0)
        onDone(await sendPicture(preview, { onProgress, signal: own.signal }))
      }
      showAlert('Uploaded image successfully!')
    } catch (error) {
      if (own.signal.aborted) return
      console.error('Error uploading image', error)
      if (error instanceof SessionEnded) dispatch(signedOut())
      setRefusal(error instanceof PictureRefused ? error.message : 'The file cannot be read.')
      showAlert(uploadFailed, { tone: 'error' })
    }
    if (!own.signal.aborted) setUpload(null)
  }
  return { upload, refusal, start: (files: readonly Blob[]) => void start(files), cancel }
}
