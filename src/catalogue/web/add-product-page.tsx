import { useState } from 'react'
import { useNavigate } from 'react-router'
import { categories } from '#shop/catalogue/choices.ts'
import { paths } from '#shop/web/paths.ts'
import { randomKey } from '#shop/web/api-idempotency.ts'
import { statusOf } from '#shop/web/api-problem.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'
import { useCreateProductMutation } from './manage-api.ts'
import type { ProductValues } from './product-fields.ts'
import { ProductForm } from './product-form.tsx'

type Sent = { text: string; key: string }
const sentAs = 'product sent'

/** Stored for the tab, not just this page: the form, too, is restored after a reload. */
function readLastSent(): Sent {
  const stored = readStored(sentAs, 'sessionStorage')
  const { text, key } = isRecord(stored) ? stored : {}
  return typeof text === 'string' && typeof key === 'string' ? { text, key } : { text: '', key: '' }
}

export function AddProductPage() {
  const [createProduct, { isLoading }] = useCreateProductMutation()
  const navigate = useNavigate()
  const showAlert = useAlert()
  /** The same values, sent again after a lost response, are the same product; other values are another one. */
  const [sent, setSent] = useState(readLastSent)
  const save = async (values: ProductValues) => {
    const text = JSON.stringify(values)
    const another = () => ({ text, key: randomKey() })
    const send = (now: Sent) => {
      setSent(now)
      writeStored(sentAs, now, 'sessionStorage')
      return createProduct({ body: values, idempotencyKey: now.key })
    }
    let { error } = await send(sent.text === text ? sent : another())
    // The product of the first request has left the shop by now.
    if (statusOf(error) === 409) ({ error } = await send(another()))
    if (error) {
      console.error('Error adding product', error)
      return error
    }
    writeStored(sentAs, undefined, 'sessionStorage')
    showAlert('Product added successfully!')
    await navigate(paths.dashboard.manageProducts)
    return undefined
  }
  return (
    <>
      <PageTitle title="Add product" />
      <h1 className="mb-8 text-title">Add product</h1>
      <ProductForm
        categories={categories}
        isBusy={isLoading}
        onSave={save}
        submit="Add product"
        notSaved="The product was not added."
      />
    </>
  )
}
