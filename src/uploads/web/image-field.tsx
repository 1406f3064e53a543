import { useEffect, useState } from 'react'
import { pictureTypes } from '#shop/uploads/picture-limits.ts'
import { Button, buttonClass } from '#shop/web/ui/button.tsx'
import { Field } from '#shop/web/ui/field.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import { useDroppedPicture } from './use-dropped-picture.ts'
import { UploadState } from './upload-state.tsx'
import { useUpload } from './use-upload.ts'

type ImageFieldProps = {
  label: string
  /** The name under which the form finds the picture's address. */
  name: string
  defaultValue: string
  error: string | undefined
  /** The form cannot be saved while a picture is being uploaded. */
  onBusy: (isBusy: boolean) => void
  /** The field was filled or emptied other than by typing. */
  onPut: () => void
  /** Shows the picture round, as it is shown elsewhere. */
  isRound?: boolean
}

/** Takes a picture as a file, dropped or pasted, or by its address; the form gets the address. */
export function ImageField(props: ImageFieldProps) {
  const { label, name, defaultValue, error, onBusy, onPut, isRound = false } = props
  const [address, setAddress] = useState(defaultValue)
  const put = (address: string) => {
    setAddress(address)
    onPut()
  }
  const { upload, refusal, start, cancel } = useUpload(put)
  const isBusy = upload !== null
  const isOver = useDroppedPicture((file) => start([file]))
  useEffect(() => onBusy(isBusy), [onBusy, isBusy])

  return (
    <fieldset
      className={`grid min-w-0 grid-cols-[minmax(0,1fr)] items-start gap-5 border border-dashed p-4 sm:grid-cols-[9rem_minmax(0,1fr)] ${isOver ? 'border-accent bg-sunken' : 'border-edge'}`}
    >
      <legend className="px-1 text-small font-medium">{label}</legend>
      {upload ? (
        <img
          src={upload.preview}
          alt=""
          className={`w-36 max-w-full bg-backdrop object-cover opacity-60 ${isRound ? 'aspect-square rounded-round' : 'aspect-4/5'}`}
        />
      ) : (
        <Picture
          src={/^(https?:\/\/|\/)/i.test(address) ? address : null}
          alt=""
          ratio={isRound ? 'square' : 'portrait'}
          sizes="144px"
          className={`w-36 max-w-full ${isRound ? 'rounded-round' : ''}`}
        />
      )}
      <div className="flex min-w-0 flex-col gap-4">
        <p className="text-small text-muted">
          Drop a picture here, paste one, or choose a file. JPEG, PNG, WebP or AVIF, up to 8&nbsp;MiB.
        </p>
        <div className="flex flex-wrap gap-2">
          <label
            className={buttonClass(
              'outline',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-3 has-focus-visible:outline-accent',
            )}
          >
            Choose a file
            <input
              type="file"
              accept={pictureTypes.join(',')}
              className="sr-only"
              onChange={(event) => {
                const file = event.currentTarget.files?.[0]
                // Lets the same file be chosen again, for example after the connection was lost.
                event.currentTarget.value = ''
                if (file) start([file])
              }}
            />
          </label>
          {address && !isBusy && (
            <Button variant="outline" onClick={() => put('')}>
              Remove picture
            </Button>
          )}
        </div>
        <UploadState upload={upload} refusal={refusal} onCancel={cancel} />
        <Field
          label={`${label} URL`}
          name={name}
          type="text"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://…"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          error={error}
        />
      </div>
    </fieldset>
  )
}
