import { invalidInput, type ShopError } from '#shop/platform/errors.ts'
import { maxPictureBytes, notOfTheseTypes, pictureTypes, tooManyBytes } from '#shop/uploads/picture-limits.ts'
import { tooLarge, wrongType } from './pictures.ts'

/** The bytes of a picture in a base64 data URL. `storePicture` finds out what they really are. */
export function bytesOfDataUrl(image: string): Buffer {
  const headerLength = image.slice(0, 200).indexOf(',')
  const [, type, encoding] = /^data:([^;,]*)(.*)$/i.exec(image.slice(0, Math.max(0, headerLength))) ?? []
  if (type === undefined) throw noDataUrl()
  // Many programs name the type of a JPEG after its file extension.
  const named = type
    .trim()
    .toLowerCase()
    .replace(/^image\/jpg$/, 'image/jpeg')
  if (!pictureTypes.some((each) => each === named)) {
    throw wrongType(notOfTheseTypes)
  }
  if (!/;\s*base64$/i.test(encoding ?? '')) throw noDataUrl()
  const letters = image.slice(headerLength + 1)
  const bytes = Buffer.from(letters, 'base64')
  if (bytes.length > maxPictureBytes) throw tooLarge(tooManyBytes)
  if (!isWhole(letters, bytes)) throw noDataUrl()
  return bytes
}

/** `Buffer.from` silently skips characters that are not base64, and then makes fewer bytes than expected. */
function isWhole(letters: string, bytes: Buffer): boolean {
  const padding = /={0,2}$/.exec(letters.slice(-2))?.[0].length ?? 0
  const count = letters.length - padding
  // A single character after whole groups of four encodes no byte: valid base64 never ends so.
  return count % 4 !== 1 && bytes.length === Math.floor((count * 3) / 4)
}

function noDataUrl(): ShopError {
  return invalidInput([{ path: 'image', message: 'must be a base64 data URL' }])
}
