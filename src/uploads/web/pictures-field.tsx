import { useEffect, useRef, useState } from 'react'
import { pictureTypes } from '#shop/uploads/picture-limits.ts'
import { Button, IconButton } from '#shop/web/ui/button.tsx'
import { TextField } from '#shop/web/ui/field.tsx'
import { CloseIcon } from '#shop/web/ui/icons.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'
import { UploadState } from './upload-state.tsx'
import { useUpload } from './use-upload.ts'

type PicturesFieldProps = {
  label: string
  /** The name under which the form finds the addresses, one on each line. */
  name: string
  defaultValue: string
  error: string | undefined
  hint: string
  /** The form cannot be saved while a picture is being uploaded. */
  onBusy: (isBusy: boolean) => void
  /** Pictures were added or removed other than by typing. */
  onPut: () => void
}

/** Several pictures, from files or by their addresses. */
export function PicturesField(props: PicturesFieldProps) {
  const { label, name, defaultValue, error, hint, onBusy, onPut } = props
  const [text, setText] = useState(defaultValue)
  const put = (change: (addresses: string[]) => string[]) => {
    setText((before) => change(addressesIn(before)).join('\n'))
    onPut()
  }
  const add = (address: string) => put((before) => [...before, address])
  const { upload, refusal, start, cancel } = useUpload(add, { areAllKept: true })
  const isBusy = upload !== null
  useEffect(() => onBusy(isBusy), [onBusy, isBusy])
  const addresses = addressesIn(text)
  const addFiles = useRef<HTMLButtonElement>(null)
  const remove = (removed: number) => {
    put((before) => before.filter((_, index) => index !== removed))
    addFiles.current?.focus()
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-4 border border-dashed border-edge p-4">
      <legend className="w-fit px-1 text-small font-medium">{label}</legend>
      <p className="text-small text-muted">{hint}</p>
      {(addresses.length > 0 || upload) && (
        <ul className="flex flex-wrap gap-3">
          {addresses.map((address, index) => (
            <li key={`${index} ${address}`} className="relative">
              <Picture src={address} alt="" ratio="portrait" sizes="96px" className="w-24" />
              <span className="absolute right-0 top-0 rounded-round bg-raised">
                <IconButton aria-label={`Remove picture ${index + 1}`} onClick={() => remove(index)}>
                  <CloseIcon />
                </IconButton>
              </span>
            </li>
          ))}
          {upload && (
            <li>
              <img
                src={upload.preview}
                alt=""
                className="aspect-4/5 w-24 bg-backdrop object-cover opacity-60"
              />
            </li>
          )}
        </ul>
      )}
      <Button ref={addFiles} variant="outline" className="self-start" onClick={() => chooseFiles(start)}>
        Add files
      </Button>
      <UploadState upload={upload} refusal={refusal} onCancel={cancel} />
      <TextField
        label="Picture URLs, one per line"
        name={name}
        rows={3}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={error}
      />
    </fieldset>
  )
}

export function addressesIn(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}

/** Kept from the click until the choice: a browser may forget an input that is neither on the page nor held. */
let chooser: HTMLInputElement

function chooseFiles(take: (files: File[]) => void): void {
  chooser = Object.assign(document.createElement('input'), {
    type: 'file',
    multiple: true,
    accept: pictureTypes.join(','),
  })
  chooser.onchange = (event) => take([...((event.currentTarget as HTMLInputElement).files ?? [])])
  chooser.click()
}
