import { useState, type ReactNode } from 'react'
import { preload } from 'react-dom'
import { pictureWidths, sceneWidths } from '#shop/contract/pictures.ts'
import { HangerIcon } from './icons.tsx'

type PictureProps = {
  src: string | null | undefined
  /** Empty when the words beside it say the same. */
  alt: string
  ratio: keyof typeof ratios
  /** How wide it is shown, as in the HTML attribute. */
  sizes: string
  /** Whether it is among the first things seen: it is loaded at once, and before others. */
  isFirst?: boolean
  /** A media query for the screens on which `isFirst` holds; all screens without it. */
  firstOn?: string
  className?: string
  /** The background when there is no picture, and until it is loaded. */
  ground?: string
  /** Shown in the middle of the ground when there is no picture; if given, also until the picture is loaded. */
  emblem?: ReactNode
}

const ratios = {
  square: { width: 400, height: 400, shape: 'aspect-square' },
  portrait: { width: 800, height: 1000, shape: 'aspect-4/5' },
  landscape: { width: 800, height: 600, shape: 'aspect-4/3' },
} as const
const ours = /^\/(uploads|pictures)\/(.+)\.(?:webp|avif|jpe?g|png)$/

/** A picture that takes up its space from the start, and shows a weave of cloth when it is missing. */
export function Picture({
  src,
  alt,
  ratio,
  sizes,
  isFirst = false,
  firstOn,
  className = '',
  ground = 'weave-twill',
  emblem,
}: PictureProps) {
  const [failed, setFailed] = useState<string | null>(null)
  const { width, height, shape } = ratios[ratio]
  const frame = `relative block overflow-hidden ${shape} ${ground} ${className}`
  if (!src || failed === src) {
    const name = alt ? { role: 'img', 'aria-label': alt } : { 'aria-hidden': true }
    return (
      <span {...name} className={frame}>
        <Emblem>{emblem ?? <HangerIcon className="size-1/5 max-w-14 text-muted opacity-60" />}</Emblem>
      </span>
    )
  }
  if (import.meta.env.SSR && isFirst && ours.test(src)) preloadPicture(src, sizes, firstOn)
  // The key makes a new element for another picture: the old one would show the last picture until that is loaded.
  const image = (
    <img
      key={src}
      src={src}
      alt={alt}
      width={width}
      height={height}
      loading={isFirst ? undefined : 'lazy'}
      fetchPriority={isFirst ? 'high' : undefined}
      decoding={isFirst ? undefined : 'async'}
      onError={() => setFailed(src)}
      // A picture that failed before hydration fires no `error` event any more.
      ref={(element) => {
        if (element?.complete && element.naturalWidth === 0) setFailed(src)
      }}
      className="absolute inset-0 size-full object-cover dark:brightness-90"
    />
  )
  return (
    <span className={frame}>
      {emblem && <Emblem>{emblem}</Emblem>}
      {ours.test(src) ? (
        <picture key={src}>
          <source type="image/avif" srcSet={sourceSet(src, 'avif')} sizes={sizes} />
          <source type="image/webp" srcSet={sourceSet(src, 'webp')} sizes={sizes} />
          {image}
        </picture>
      ) : (
        image
      )}
    </span>
  )
}

/** Adds a preload to the head of a server-rendered page; in the browser the picture itself loads as early. */
function preloadPicture(src: string, sizes: string, media: string | undefined): void {
  preload(src, {
    media,
    as: 'image',
    type: 'image/avif',
    imageSrcSet: sourceSet(src, 'avif'),
    imageSizes: sizes,
    fetchPriority: 'high',
  })
}

function Emblem({ children }: { children: ReactNode }) {
  return (
    <span aria-hidden className="absolute inset-0 grid place-items-center">
      {children}
    </span>
  )
}

/** A `srcset` of the widths that the server makes of each of the shop's own pictures. */
function sourceSet(src: string, format: 'avif' | 'webp'): string {
  const [, folder, name] = ours.exec(src) ?? []
  const made = folder === 'pictures' ? sceneWidths : pictureWidths
  return made.map((width) => `/${folder}/${name}-${width}.${format} ${width}w`).join(', ')
}
