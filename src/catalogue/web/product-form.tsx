import { useRef, useState, type FormEvent } from 'react'
import { DraftNotice } from '#shop/accounts/web/draft-notice.tsx'
import { useDraft } from '#shop/accounts/web/draft.ts'
import { colors } from '#shop/catalogue/choices.ts'
import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { ImageField } from '#shop/uploads/web/image-field.tsx'
import { addressesIn, PicturesField } from '#shop/uploads/web/pictures-field.tsx'
import { failureOf, fieldErrorsOf } from '#shop/web/api-failure.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button, ButtonLink } from '#shop/web/ui/button.tsx'
import { Field, MoneyField, Refusal, SelectField, TextField } from '#shop/web/ui/field.tsx'
import { useForm } from '#shop/web/ui/form.ts'
import { productLabels, type FieldName, type ProductValues } from './product-fields.ts'

/** For a submit button elsewhere on the page. */
export const productFormId = 'product'

/** Says which version of a product a draft belongs to. */
export const versionOf = ({ _id, updatedAt }: DatedProduct) => `${_id} ${updatedAt}`

type ProductFormProps = {
  product?: DatedProduct
  categories: readonly string[]
  isBusy: boolean
  /** Resolves with the error, or with nothing if it was saved. */
  onSave: (values: ProductValues) => Promise<unknown>
  submit: string
  /** The message when it is not saved, before what to do about it. */
  notSaved: string
  /** The list that Cancel leads back to, if not its first page. */
  list?: string
  /** Called when the admin discards the draft. */
  onStartOver?: () => void
}

const optional: FieldName[] = ['oldPrice', 'image', 'views']

/** One form for adding and for editing a product; give it a `key` per product. */
export function ProductForm(props: ProductFormProps) {
  const [starts, setStarts] = useState(0)
  const startOver = () => {
    setStarts(starts + 1)
    props.onStartOver?.()
  }
  return <FormFromDraft key={starts} {...props} onStartOver={startOver} />
}

function FormFromDraft(props: ProductFormProps & { onStartOver: () => void }) {
  const { product, categories, isBusy, onSave, submit, notSaved, list, onStartOver } = props
  const showAlert = useAlert()
  const { errors, refusal, clearError, onInput, read, showRefusal } = useForm(productLabels, optional)
  const [isUploadingImage, setUploadingImage] = useState(false)
  const [isUploadingViews, setUploadingViews] = useState(false)
  const isUploading = isUploadingImage || isUploadingViews
  const form = useRef<HTMLFormElement>(null)
  const { draft, drop } = useDraft(form, product ? versionOf(product) : 'a new product')
  const fieldPropsOf = (name: FieldName) => ({
    name,
    label: productLabels[name],
    error: errors[name],
    defaultValue: draft?.[name] ?? textOf(product, name),
  })

  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy || isUploading) return
    const { currentTarget } = event
    const typed = read(currentTarget)
    if (!typed) {
      showAlert('Please fill in all fields.', { tone: 'error' })
      return
    }
    const error = await onSave(valuesOf(typed))
    if (!error) return drop()
    showRefusal(currentTarget, failureOf(error, notSaved), fieldErrorsOf(error))
  }
  return (
    // The specification's own alert replaces the browser's messages.
    <form
      ref={form}
      id={productFormId}
      noValidate
      onInput={onInput}
      onSubmit={(event) => void save(event)}
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
        <Field {...fieldPropsOf('name')} autoComplete="off" required />
      </div>
      <Choice {...fieldPropsOf('category')} values={categories} />
      <Choice {...fieldPropsOf('color')} values={colors} />
      <MoneyField {...fieldPropsOf('price')} required />
      <MoneyField
        {...fieldPropsOf('oldPrice')}
        hint="Optional. Shown struck through beside the price when it is higher."
      />
      <div className="sm:col-span-2">
        {/* Text that is too long is refused with a reason; only what no request could carry is cut off. */}
        <TextField {...fieldPropsOf('description')} rows={6} maxLength={20_000} required />
      </div>
      <div className="sm:col-span-2">
        <ImageField {...fieldPropsOf('image')} onBusy={setUploadingImage} onPut={() => clearError('image')} />
      </div>
      <div className="sm:col-span-2">
        <PicturesField
          {...fieldPropsOf('views')}
          hint="Optional, at most eight; shown on the product’s own page."
          onBusy={setUploadingViews}
          onPut={() => clearError('views')}
        />
      </div>
      <div className="flex flex-col gap-6 sm:col-span-2">
        <Refusal text={refusal} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" isBusy={isBusy || isUploading}>
            {submit}
          </Button>
          <ButtonLink variant="quiet" to={list ?? paths.dashboard.manageProducts} onClick={drop}>
            Cancel
          </ButtonLink>
        </div>
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
  // A product's own value can still be chosen, even if it is no longer offered.
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

function valuesOf(typed: Record<FieldName, string>): Required<ProductValues> {
  const oldPrice = typed.oldPrice.trim()
  return {
    name: typed.name.trim(),
    category: typed.category,
    price: Number(typed.price),
    oldPrice: oldPrice === '' ? null : Number(oldPrice),
    color: typed.color,
    description: typed.description.trim(),
    image: typed.image.trim(),
    views: addressesIn(typed.views),
  }
}
