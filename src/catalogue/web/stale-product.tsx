import { useEffect, useRef } from 'react'
import type { DatedProduct } from '#shop/catalogue/contract.ts'
import { Button } from '#shop/web/ui/button.tsx'
import { DateOf } from '#shop/web/ui/date.tsx'
import { productFields, type ProductValues } from './product-fields.ts'
import { productFormId } from './product-form.tsx'
import { isUntouched } from './product-versions.ts'

type StaleProductProps = {
  /** The version that my edit began with. */
  before: DatedProduct
  current: DatedProduct
  mine: ProductValues
  onTakeCurrent: () => void
  /** Called just before the form is sent with its current values. */
  onSaveMine: () => void
}

/** Two admins changed one product: shows where their versions differ, and lets the second one decide. */
export function StaleProduct({ before, current, mine, onTakeCurrent, onSaveMine }: StaleProductProps) {
  const differences = productFields.filter(({ of }) => of(current) !== of(mine))
  const section = useRef<HTMLElement>(null)
  // The button that was pressed is below a long form, so this moves what has to be decided into view.
  useEffect(() => section.current?.focus(), [])
  return (
    <section
      ref={section}
      tabIndex={-1}
      aria-labelledby="stale"
      className="mb-8 max-w-3xl border-l-4 border-accent bg-raised p-5 shadow-lift"
    >
      <h2 id="stale" className="text-name">
        Somebody else has changed this product in the meantime
      </h2>
      <p className="mt-1 text-small text-muted">
        <DateOf iso={current.updatedAt} withTime />. What you changed is not lost: it is still in the form
        below. What you did not change stays as it is in the shop now.
      </p>
      {differences.length > 0 && (
        <dl className="mt-4 grid gap-4 text-small">
          {differences.map((field) => (
            <div
              key={field.name}
              className="grid gap-x-4 gap-y-1 sm:grid-cols-[7rem_minmax(0,1fr)_minmax(0,1fr)]"
            >
              <dt className="font-medium">{field.label}</dt>
              <Version whose="Now in the shop" text={field.of(current)} />
              {isUntouched(field, before, mine) ? (
                <dd className="self-end text-fine text-muted">Stays like this: you have not changed it.</dd>
              ) : (
                <Version whose="Your version" text={field.of(mine)} />
              )}
            </div>
          ))}
        </dl>
      )}
      <div className="mt-5 flex flex-wrap gap-3">
        <Button type="submit" form={productFormId} onClick={onSaveMine}>
          Save my version
        </Button>
        <Button variant="outline" onClick={onTakeCurrent}>
          Edit the current version
        </Button>
      </div>
    </section>
  )
}

function Version({ whose, text }: { whose: string; text: string }) {
  return (
    <dd className="min-w-0">
      <span className="block text-fine text-muted">{whose}</span>
      <span className="line-clamp-4 wrap-anywhere">{text || '—'}</span>
    </dd>
  )
}
