import { categoryStyles } from '#shop/catalogue/web/category-styles.ts'
import { paths } from '#shop/web/paths.ts'
import { ArrowIcon } from '#shop/web/ui/icons.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'

export function CategoryCards() {
  return (
    <section aria-labelledby="categories" className="frame pt-room">
      <h2 id="categories" className="sr-only">
        Categories
      </h2>
      <ul className="grid gap-x-3 min-[17rem]:grid-cols-2 gap-y-8 md:gap-x-6 lg:grid-cols-4">
        {categoryStyles.map(({ name, line, picture, weave }) => (
          <li key={name}>
            <Link to={paths.category(name)} className="group block">
              <div className="overflow-hidden">
                <Picture
                  src={picture}
                  alt=""
                  ratio="square"
                  sizes="(min-width: 64rem) min(357px, 22.4vw), 46vw"
                  ground={weave}
                  emblem={<span />}
                  className="w-full transition-transform duration-500 group-hover:scale-[1.02]"
                />
              </div>
              <span className="mt-4 flex items-center justify-between gap-2">
                <span className="min-w-0 font-display text-name font-medium wrap-anywhere first-letter:uppercase md:text-[1.625rem]">
                  {name}
                </span>
                <ArrowIcon className="size-5 shrink-0 transition-transform group-hover:translate-x-1" />
              </span>
            </Link>
            <p className="mt-1 hidden text-small text-muted sm:block">{line}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
