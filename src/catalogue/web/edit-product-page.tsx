import { useEffect, useRef, useState } from 'react'
import { useSelector } from 'react-redux'
import { useLocation, useNavigate, useParams } from 'react-router'
import { hasDraft } from '#shop/accounts/web/draft.ts'
import { selectUser } from '#shop/accounts/web/session.ts'
import { categories, updateCategories } from '#shop/catalogue/choices.ts'
import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { currentStateOf, statusOf } from '#shop/web/api-problem.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { isRecord } from '#shop/web/ui/is-record.ts'
import { Link } from '#shop/web/ui/link.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'
import { Notice, QueryState } from '#shop/web/ui/query-state.tsx'
import { Skeleton } from '#shop/web/ui/skeleton.tsx'
import { readStored, writeStored } from '#shop/web/ui/stored.ts'
import { useGetEditedProductQuery, useUpdateProductMutation } from './manage-api.ts'
import type { ProductValues } from './product-fields.ts'
import { ProductForm, versionOf } from './product-form.tsx'
import { mergedVersion } from './product-versions.ts'
import { listToReturnTo } from './return-to-list.ts'
import { StaleProduct } from './stale-product.tsx'

const offered = [...updateCategories, ...categories]
const failed = 'Error to load product details'

export function EditProductPage() {
  const { id = '' } = useParams()
  const query = useGetEditedProductQuery(id)
  const isGone = statusOf(query.error) === 404
  const list = listToReturnTo(useLocation().state)
  const back = (
    <ButtonLink variant="outline" to={list}>
      Back to the products
    </ButtonLink>
  )
  return (
    <>
      <PageTitle title="Update product" />
      <h1 className="mb-8 text-title">Update product</h1>
      {isGone ? (
        <Notice role="alert" text={failed} detail="There is no such product, or it was deleted.">
          {back}
        </Notice>
      ) : (
        <QueryState query={query} failed={failed} wayOn={back} loading={<FormSkeleton />}>
          {(product) => <Editor key={product._id} loaded={product} list={list} />}
        </QueryState>
      )}
    </>
  )
}

/** Starts with the loaded version, or with somebody else's once the admin asks for that. */
function Editor({ loaded, list }: { loaded: DatedProduct; list: string }) {
  const userId = useSelector(selectUser)?._id
  const [product, setProduct] = useState(() => readStartVersion(loaded, userId))
  useEffect(() => {
    writeStored(startVersionKeyOf(product), product, 'sessionStorage')
    return () => {
      if (!hasDraft(userId, versionOf(product)))
        writeStored(startVersionKeyOf(product), undefined, 'sessionStorage')
    }
  }, [product, userId])
  /** The version that the admin has seen, and means to change. */
  const seen = useRef(product)
  // The values of the form when it turned out that somebody else had saved in the meantime.
  const [refused, setRefused] = useState<ProductValues>()
  const [updateProduct, { error, isLoading, reset }] = useUpdateProductMutation()
  const navigate = useNavigate()
  const showAlert = useAlert()
  const current = currentProduct(error)
  const take = (version: DatedProduct) => {
    setProduct(version)
    seen.current = version
    reset()
  }

  const save = async (values: ProductValues) => {
    const body = mergedVersion(product, seen.current, values)
    const { data, error } = await updateProduct({ id: product._id, body, seenAt: seen.current.updatedAt })
    if (!error) {
      // The button may be pressed again while the next page is loading.
      seen.current = data
      showAlert('Product updated successfully!')
      await navigate(list)
      return undefined
    }
    console.error('Error updating product', error)
    setRefused(values)
    return error
  }
  return (
    <>
      <p className="-mt-4 mb-8 wrap-anywhere">
        <Link to={paths.product(product._id)} className="inline-flex min-h-11 items-center thread-link">
          {product.name}
        </Link>
      </p>
      {current && refused && (
        <StaleProduct
          before={product}
          current={current}
          mine={refused}
          onTakeCurrent={() => take(current)}
          onSaveMine={() => {
            seen.current = current
          }}
        />
      )}
      <ProductForm
        key={product.updatedAt}
        product={product}
        categories={offered}
        isBusy={isLoading}
        onSave={save}
        submit="Update product"
        notSaved="The product was not updated."
        list={list}
        onStartOver={() => take(loaded)}
      />
    </>
  )
}

const startVersionKeyOf = ({ _id }: DatedProduct) => `product ${_id} as it was begun with`

/** The version that the admin began with, if a draft of it is left, so that others' changes since are noticed. */
function readStartVersion(loaded: DatedProduct, userId: string | undefined): DatedProduct {
  const begun = readStored(startVersionKeyOf(loaded), 'sessionStorage')
  return isProduct(begun) && hasDraft(userId, versionOf(begun)) ? begun : loaded
}

function currentProduct(error: unknown): DatedProduct | undefined {
  const state = currentStateOf(error)
  return isProduct(state) ? state : undefined
}

/** Checks only what the page needs; the contract promises the rest. */
function isProduct(value: unknown): value is DatedProduct {
  return isRecord(value) && 'updatedAt' in value
}

function FormSkeleton() {
  return (
    <div className="grid max-w-3xl gap-6 sm:grid-cols-2">
      <Skeleton className="h-17 sm:col-span-2" />
      <Skeleton className="h-17" />
      <Skeleton className="h-17" />
      <Skeleton className="h-17" />
      <Skeleton className="h-17" />
      <Skeleton className="h-44 sm:col-span-2" />
      <Skeleton className="h-64 sm:col-span-2" />
    </div>
  )
}
