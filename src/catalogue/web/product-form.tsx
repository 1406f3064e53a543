import { useEffect, useRef, useState, type FormEvent } from 'react'
import { DraftNotice } from '#shop/accounts/web/draft-notice.tsx'
import { useDraft } from '#shop/accounts/web/draft.ts'
import { colors } from '#shop/catalogue/choices.ts'
import type { CreateProduct, DatedProduct } from '#shop/catalogue/contract.ts'
import type { Body } from '#shop/contract/endpoint.ts'
import { ImageField } from '#shop/uploads/web/image-field.tsx'
import { addressesIn, PicturesField } from '#shop/uploads/web/pictures-field.tsx'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button, ButtonLink } from '#shop/web/ui/button.tsx'
import { Field, MoneyField, SelectField, TextField } from '#shop/web/ui/field.tsx'

export type ProductValues = Body<CreateProduct>

/** For a button elsewhere on the page that saves what the form holds. */
export const productFormId = 'product'

type ProductFormProps = {
  product?: DatedProduct
  categories: readonly string[]
  /** What the server found wrong, by field; the same object until it is asked again. */
  errors: Record<string, string>
  isBusy: boolean
  /** Answers whether it is saved. */
  onSave: (values: ProductValues) => Promise<boolean>
  submit: string
}

const labels = {
  name: 'Name',
  category: 'Category',
  price: 'Price',
  oldPrice: 'Old price',
  color: 'Color',
  description: 'Description',
  image: 'Image',
  views: 'Further pictures',
} as const
type FieldName = keyof typeof labels
const required = ['name', 'category', 'price', 'color', 'description'] as const satisfies FieldName[]

/** One form for a new product and for one that is changed; give it a `key` per product. */
export function ProductForm(props: ProductFormProps) {
  const [starts, setStarts] = useState(0)
  return <FormFromDraft key={starts} {...props} onStartOver={() => setStarts(starts + 1)} />
}

function FormFromDraft(props: ProductFormProps & { onStartOver: () => void }) {
  const { product, categories, errors, isBusy, onSave, submit, onStartOver } = props
  const showAlert = useAlert()
  const [missing, setMissing] = useState<readonly FieldName[]>([])
  /** What is being put right since it was last sent is no longer called wrong. */
  const [mended, setMended] = useState<readonly string[]>([])
  const mend = (name: string) => setMended((before) => [...before, name])
  const [isUploadingImage, setUploadingImage] = useState(false)
  const [isUploadingViews, setUploadingViews] = useState(false)
  const isUploading = isUploadingImage || isUploadingViews
  const form = useRef<HTMLFormElement>(null)
  const { draft, drop } = useDraft(form, product ? `${product._id} ${product.updatedAt}` : 'a new product')
  useEffect(() => focusField(form.current, Object.keys(errors)[0]), [errors])
  const tied = (name: FieldName) => ({
    name,
    label: labels[name],
    error: mended.includes(name) ? undefined : errorOf(name, missing, errors),
    defaultValue: draft?.[name] ?? textOf(product, name),
  })

  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy || isUploading) return
    const typed = new FormData(event.currentTarget)
    const typedIn = (name: FieldName) => {
      const value = typed.get(name)
      return typeof value === 'string' ? value.trim() : ''
    }
    const empty = required.filter((name) => typedIn(name) === '')
    setMissing(empty)
    setMended((before) =>
      empty.length > 0 ? before.filter((name) => !empty.some((each) => each === name)) : [],
    )
    if (empty.length > 0) {
      focusField(form.current, empty[0])
      showAlert('Please fill in all fields.', { tone: 'error' })
      return
    }
    const oldPrice = typedIn('oldPrice')
    void onSave({
      name: typedIn('name'),
      category: typedIn('category'),
      price: Number(typedIn('price')),
      oldPrice: oldPrice === '' ? null : Number(oldPrice),
      color: typedIn('color'),
      description: typedIn('description'),
      image: typedIn('image'),
      views: addressesIn(typedIn('views')),
    }).then((isSaved) => isSaved && drop())
  }
  return (
    // The specification's own alert comes instead of the browser's messages.
    <form
      ref={form}
      id={productFormId}
      noValidate
      onInput={({ target }) => target instanceof HTMLElement && mend(target.getAttribute('name') ?? '')}
      onSubmit={save}
      className="grid max-w-3xl gap-x-6 gap-y-6 sm:grid-cols-2"
    >
      {draft && (
        <DraftNotice
          className="sm:col-span-2"
          onStartOver={() => {
            drop()
            onStartOver()
          }}
        />
      )}
      <div className="sm:col-span-2">
        <Field {...tied('name')} maxLength={120} autoComplete="off" required />
      </div>
      <Choice {...tied('category')} values={categories} />
      <Choice {...tied('color')} values={colors} />
      <MoneyField {...tied('price')} required />
      <MoneyField
        {...tied('oldPrice')}
        hint="Optional. Shown struck through beside the price when it is the higher one."
      />
      <div className="sm:col-span-2">
        <TextField {...tied('description')} rows={6} maxLength={5000} required />
      </div>
      <div className="sm:col-span-2">
        <ImageField {...tied('image')} onBusy={setUploadingImage} onPut={() => mend('image')} />
      </div>
      <div className="sm:col-span-2">
        <PicturesField
          {...tied('views')}
          hint="Optional, at most eight; shown on the product’s own page."
          onBusy={setUploadingViews}
          onPut={() => mend('views')}
        />
      </div>
      <div className="flex flex-wrap gap-3 sm:col-span-2">
        <Button type="submit" isBusy={isBusy || isUploading}>
          {submit}
        </Button>
        <ButtonLink variant="quiet" to={paths.dashboard.manageProducts} onClick={drop}>
          Cancel
        </ButtonLink>
      </div>
    </form>
  )
}

type ChoiceProps = {
  name: string
  label: string
  error: string | undefined
  defaultValue: string
  values: readonly string[]
}

function Choice({ values, ...field }: ChoiceProps) {
  const chosen = field.defaultValue
  // What a product has stays to be chosen, also when it is no longer offered.
  const offered = chosen === '' || values.includes(chosen) ? values : [chosen, ...values]
  return (
    <SelectField {...field} required>
      <option value="">Choose one</option>
      {offered.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </SelectField>
  )
}

function textOf(product: DatedProduct | undefined, name: FieldName): string {
  const value = product?.[name]
  if (typeof value === 'number') return value.toFixed(2)
  return typeof value === 'object' ? (value?.join('\n') ?? '') : (value ?? '')
}

function errorOf(
  name: FieldName,
  missing: readonly FieldName[],
  errors: Record<string, string>,
): string | undefined {
  if (missing.includes(name)) return `${labels[name]} is required`
  return errors[name] && `${labels[name]} ${errors[name]}`
}

function focusField(form: HTMLFormElement | null, name: string | undefined): void {
  const field = name ? form?.elements.namedItem(name) : undefined
  if (field instanceof HTMLElement) field.focus()
}
