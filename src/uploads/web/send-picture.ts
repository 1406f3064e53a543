import type { UploadImage } from '#shop/uploads/contract.ts'
import { maxPictureBytes, notOfTheseTypes, pictureTypes, tooManyBytes } from '#shop/uploads/picture-limits.ts'
import { isRecord } from '#shop/web/ui/is-record.ts'

/** Why a picture was not kept, in words for the person who chose it. */
export class PictureRefused extends Error {}
export class SessionEnded extends PictureRefused {}

type Sending = {
  /** From 0 to 1; at 1 everything is sent, and the server is still processing it. */
  onProgress: (part: number) => void
  signal: AbortSignal
}

const path: UploadImage['path'] = '/uploadImage'

/** A reason that is known before anything is sent; undefined when the picture may be sent. */
export function whyRefused({ type, size }: Blob): string | undefined {
  if (!pictureTypes.some((each) => each === type)) return notOfTheseTypes
  if (size > maxPictureBytes) return tooManyBytes
  return undefined
}

export function dataUrlOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => (typeof reader.result === 'string' ? resolve(reader.result) : reject(new Error()))
    reader.onerror = () => reject(new PictureRefused('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
}

/**
 * Sends a picture and returns its address. Not with RTK Query: `fetch` does not report the progress of an upload.
 *
 * @throws PictureRefused or SessionEnded, or whatever aborted it
 */
export function sendPicture(dataUrl: string, { onProgress, signal }: Sending): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('Content-Type', 'application/json')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      if (request.status === 200) resolve(request.responseText)
      else if (request.status === 401)
        reject(new SessionEnded('Your session has ended: please log in again.'))
      else reject(new PictureRefused(reasonOf(request.responseText)))
    }
    request.onerror = () => reject(new PictureRefused('The shop could not be reached.'))
    request.onabort = () => reject(new DOMException('Given up', 'AbortError'))
    signal.addEventListener('abort', () => request.abort())
    request.send(JSON.stringify({ image: dataUrl }))
  })
}

function reasonOf(text: string): string {
  try {
    const problem: unknown = JSON.parse(text)
    if (isRecord(problem) && typeof problem.detail === 'string') return problem.detail
  } catch {
    // The response came from a proxy, not from the shop.
  }
  return 'The shop did not accept the picture.'
}
