import { useRef } from 'react'
import { useNavigate } from 'react-router'
import { categories } from '#shop/catalogue/choices.ts'
import { paths } from '#shop/web/paths.ts'
import { randomKey } from '#shop/web/api-idempotency.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { useCreateProductMutation } from './manage-api.ts'
import { ProductForm, type ProductValues } from './product-form.tsx'

export function AddProductPage() {
  const [createProduct, { isLoading }] = useCreateProductMutation()
  const navigate = useNavigate()
  const showAlert = useAlert()
  /** What is sent a second time, because no answer came, is the same product; anything else is another. */
  const sent = useRef({ text: '', key: '' })
  const save = async (values: ProductValues) => {
    const text = JSON.stringify(values)
    if (sent.current.text !== text) sent.current = { text, key: randomKey() }
    const { error } = await createProduct({ body: values, idempotencyKey: sent.current.key })
    if (error) {
      console.error('Error adding product', error)
      return error
    }
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
