import { useRef, useState, type MouseEvent } from 'react'
import { Picture } from '#shop/web/ui/picture.tsx'

type GalleryProps = { name: string; image: string | null; views: readonly string[] }

/** On a phone at most half as high as the screen, so that the price is visible, too. */
const view =
  'w-full max-md:aspect-auto max-md:h-[min(50svh,125vw)] max-md:landscape:mx-auto max-md:landscape:aspect-4/5 max-md:landscape:h-[85svh] max-md:landscape:w-auto'
/** On a phone this picture shows the whole product on its own backdrop; pictures of details fill the width. */
const whole = `${view} max-md:portrait:on-backdrop`
/**
 * On a phone the full width: a preload resolves `svh` to another height than a picture, and both would be loaded.
 */
const sizesOf = (onDesk: string) => `(min-width: 64rem) ${onDesk}, (min-width: 48rem) 44vw, 100vw`
const alone = sizesOf('min(46rem, 46.8vw)')
const besideLinks = sizesOf('min(644px, 46.8vw - 92px)')

/** The picture of a product and its further views, if any: a strip to swipe, with a link to each of them. */
export function ProductGallery({ name, image, views }: GalleryProps) {
  const strip = useRef<HTMLUListElement>(null)
  const [shown, setShown] = useState(0)
  if (views.length === 0) {
    return (
      <div className="min-w-0 self-start max-md:-mx-gutter">
        <Picture src={image} alt={name} ratio="portrait" sizes={alone} isFirst className={whole} />
      </div>
    )
  }
  const all = [image, ...views]
  const labels = all.map((_, index) => `${name}, picture ${index + 1} of ${all.length}`)
  // Without JavaScript the link leads to the picture; with it, the page does not scroll and the URL stays.
  const show = (event: MouseEvent, index: number) => {
    event.preventDefault()
    strip.current?.scrollTo({ left: index * strip.current.clientWidth })
  }
  return (
    <div
      role="group"
      aria-label="Pictures"
      className="relative min-w-0 self-start max-md:-mx-gutter lg:flex lg:gap-3"
    >
      <ul
        ref={strip}
        // A scrolling box must be reachable by keyboard, so that the arrow keys can turn the pictures.
        tabIndex={0}
        aria-label="Pictures, side by side"
        onScroll={({ currentTarget: { scrollLeft, clientWidth } }) =>
          setShown(Math.round(scrollLeft / clientWidth))
        }
        className="flex min-w-0 snap-x lg:flex-1 snap-mandatory [scrollbar-width:none] overflow-x-auto overscroll-x-contain motion-safe:scroll-smooth"
      >
        {all.map((src, index) => (
          <li key={index} id={viewId(index)} className="w-full shrink-0 scroll-mt-28 snap-start">
            <Picture
              src={src}
              alt={index === 0 ? name : (labels[index] ?? '')}
              ratio="portrait"
              sizes={besideLinks}
              isFirst={index === 0}
              className={index === 0 ? whole : view}
            />
          </li>
        ))}
      </ul>
      <ul className="flex max-md:absolute max-md:inset-x-0 max-md:bottom-0 max-md:justify-center max-lg:md:mt-3 md:gap-3 lg:flex-col">
        {all.map((src, index) => (
          <li key={index}>
            <a
              href={`#${viewId(index)}`}
              aria-label={labels[index]}
              aria-current={index === shown}
              onClick={(event) => show(event, index)}
              className="group grid min-h-11 min-w-11 place-items-center"
            >
              <span className="size-2.5 forced-color-adjust-none rounded-round border border-cloth bg-on-cloth group-aria-[current=true]:border-on-cloth group-aria-[current=true]:bg-cloth md:hidden" />
              <Picture
                src={src}
                alt=""
                ratio="portrait"
                sizes="80px"
                className="w-20 outline-offset-3 group-aria-[current=true]:outline group-aria-[current=true]:outline-ink max-md:hidden"
              />
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

function viewId(index: number): string {
  return `picture-${index + 1}`
}
