import type { Product } from '#shop/catalogue/contract.ts'
import { failureOf } from '#shop/web/api-failure.ts'
import { paths } from '#shop/web/paths.ts'
import { useAlert } from '#shop/web/ui/alert.tsx'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import type { Column } from '#shop/web/ui/data-table.tsx'
import { DateOf } from '#shop/web/ui/date.tsx'
import { DeleteButton } from '#shop/web/ui/delete-button.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import type { ListAddress } from '#shop/web/ui/list-address.ts'
import { Picture } from '#shop/web/ui/picture.tsx'
import { Price } from '#shop/web/ui/price.tsx'
import { useDeleteProductMutation } from './manage-api.ts'
import { returnToList } from './return-to-list.ts'
import { headingSort } from './sorting.ts'

export function productColumns(address: ListAddress): Column<Product>[] {
  return [
    {
      name: 'Product',
      isHead: true,
      sort: headingSort(address, { up: 'name', down: '-name', first: 'up' }),
      cell: (product) => <ProductLink product={product} />,
    },
    {
      name: 'Category',
      className: inOneLine,
      sort: headingSort(address, { up: 'category', down: '-category', first: 'up' }),
      cell: ({ category }) => <span className="block first-letter:uppercase">{category}</span>,
    },
    {
      name: 'Price',
      sort: headingSort(address, { up: 'price', down: '-price', first: 'up' }),
      cell: ({ price, oldPrice }) => <Price price={price} oldPrice={oldPrice} />,
    },
    {
      name: 'Rating',
      sort: headingSort(address, { up: 'rating', down: '-rating', first: 'down' }),
      cell: ({ rating }) => (rating > 0 ? <span className="tabular-nums">{rating.toFixed(1)}</span> : '—'),
    },
    {
      name: 'Added',
      className: inOneLine,
      sort: headingSort(address, { up: 'oldest', down: 'newest', first: 'down' }),
      cell: ({ createdAt }) => <DateOf iso={createdAt} />,
    },
    {
      name: 'Actions',
      isActions: true,
      cell: (product) => (
        <>
          <ButtonLink
            variant="outline"
            className="px-4"
            to={paths.dashboard.updateProduct(product._id)}
            state={returnToList(address)}
          >
            Edit
          </ButtonLink>
          <DeleteProduct product={product} />
        </>
      ),
    },
  ]
}

/** On one line, however long the names of products are. */
const inOneLine = '@4xl:whitespace-nowrap'

function ProductLink({ product }: { product: Product }) {
  return (
    <span className="flex items-center gap-4">
      <span className="w-11 shrink-0">
        <Picture src={product.image} alt="" ratio="portrait" sizes="44px" />
      </span>
      <Link
        to={paths.product(product._id)}
        className="inline-flex min-h-11 min-w-0 items-center decoration-1 underline-offset-4 wrap-anywhere hover:underline"
      >
        {product.name}
      </Link>
    </span>
  )
}

function DeleteProduct({ product }: { product: Product }) {
  const [deleteProduct] = useDeleteProductMutation()
  const showAlert = useAlert()
  const act = async () => {
    const { error } = await deleteProduct(product._id)
    if (error) {
      console.error('Error deleting product', error)
      showAlert(failureOf(error, 'The product was not deleted.'), { tone: 'error' })
      return false
    }
    showAlert('Product deleted successfully!')
    return true
  }
  return (
    <DeleteButton
      question="Delete this product?"
      text={`“${product.name}” leaves the shop for good. Past orders still show it.`}
      onDelete={act}
    />
  )
}
