import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react'
import { colors } from '#shop/catalogue/choices.ts'
import type { CreateProduct, DatedProduct } from '#shop/catalogue/contract.ts'
import type { Body } from '#shop/contract/endpoint.ts'
import { ImageField } from '#shop/uploads/web/image-field.tsx'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { Button } from '#shop/web/ui/button.tsx'
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
  onSave: (values: ProductValues) => void
  submit: string
  /** Beside the button that saves. */
  children?: ReactNode
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
  const { product, categories, errors, isBusy, onSave, submit, children } = props
  const showAlert = useAlert()
  const [missing, setMissing] = useState<readonly FieldName[]>([])
  const [isUploading, setUploading] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => focusField(form.current, Object.keys(errors)[0]), [errors])
  const tied = (name: FieldName) => ({
    name,
    label: labels[name],
    error: errorOf(name, missing, errors),
  })

  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy || isUploading) return
    const typed = new FormData(event.currentTarget)
    const textOf = (name: FieldName) => {
      const value = typed.get(name)
      return typeof value === 'string' ? value.trim() : ''
    }
    const empty = required.filter((name) => textOf(name) === '')
    setMissing(empty)
    if (empty.length > 0) {
      focusField(form.current, empty[0])
      showAlert('Please fill in all fields.', { tone: 'error' })
      return
    }
    const oldPrice = textOf('oldPrice')
    onSave({
      name: textOf('name'),
      category: textOf('category'),
      price: Number(textOf('price')),
      oldPrice: oldPrice === '' ? null : Number(oldPrice),
      color: textOf('color'),
      description: textOf('description'),
      image: textOf('image'),
      views: textOf('views').split(/\s+/).filter(Boolean),
    })
  }
  return (
    // The specification's own alert comes instead of the browser's messages.
    <form
      ref={form}
      id={productFormId}
      noValidate
      onSubmit={save}
      className="grid max-w-3xl gap-x-6 gap-y-6 sm:grid-cols-2"
    >
      <div className="sm:col-span-2">
        <Field {...tied('name')} maxLength={120} defaultValue={product?.name} autoComplete="off" required />
      </div>
      <Choice {...tied('category')} values={categories} chosen={product?.category} />
      <Choice {...tied('color')} values={colors} chosen={product?.color} />
      <MoneyField {...tied('price')} defaultValue={product?.price.toFixed(2)} required />
      <MoneyField
        {...tied('oldPrice')}
        defaultValue={product?.oldPrice?.toFixed(2)}
        hint="Optional. Shown struck through beside the price when it is the higher one."
      />
      <div className="sm:col-span-2">
        <TextField
          {...tied('description')}
          rows={6}
          maxLength={5000}
          defaultValue={product?.description}
          required
        />
      </div>
      <div className="sm:col-span-2">
        <ImageField {...tied('image')} defaultValue={product?.image ?? ''} onBusy={setUploading} />
      </div>
      <div className="sm:col-span-2">
        <TextField
          {...tied('views')}
          rows={3}
          spellCheck={false}
          defaultValue={product?.views.join('\n')}
          hint="Optional. Their addresses, one on each line; shown on the product’s own page."
        />
      </div>
      <div className="flex flex-wrap gap-3 sm:col-span-2">
        <Button type="submit" isBusy={isBusy || isUploading}>
          {submit}
        </Button>
        {children}
      </div>
    </form>
  )
}

type ChoiceProps = { name: string; label: string; error: string | undefined; values: readonly string[] }

function Choice({ values, chosen = '', ...field }: ChoiceProps & { chosen: string | undefined }) {
  // What a product has stays to be chosen, also when it is no longer offered.
  const offered = chosen === '' || values.includes(chosen) ? values : [chosen, ...values]
  return (
    <SelectField {...field} defaultValue={chosen} required>
      <option value="">Choose one</option>
      {offered.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </SelectField>
  )
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
