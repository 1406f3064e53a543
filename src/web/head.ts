/** What a page says about itself to whoever does not look at it: search engines, link previews, browsers. */
export type PageFacts = {
  isMissing?: boolean
  isPrivate?: boolean
  /** The page does not exist, this one does. */
  movedTo?: string
  description?: string
  /** The one address of what it shows; none for what should not be found. */
  path?: string
  /** Of a list in pages, those beside this one. */
  before?: string
  after?: string
  picture?: { src: string; alt: string }
  /** Of Open Graph; a website unless said. */
  kind?: string
  more?: Record<string, string>
  /** JSON-LD, see https://developers.google.com/search/docs/appearance/structured-data */
  structured?: object[]
}

/** What search engines and link previews read, as HTML; it is marked, because it holds for the first page only. */
export function headOf(facts: PageFacts, { title, publicUrl }: { title: string; publicUrl: string }): string {
  const { description, picture, path } = facts
  const address = path === undefined ? undefined : publicUrl + path
  const shownPicture = absolute(picture?.src ?? '/pictures/hero-1280.webp', publicUrl)
  return [
    facts.isPrivate || facts.isMissing ? meta('name', 'robots', 'noindex') : '',
    description && meta('name', 'description', description),
    address && link('canonical', address),
    facts.before && link('prev', publicUrl + facts.before),
    facts.after && link('next', publicUrl + facts.after),
    meta('property', 'og:site_name', 'Haberdash'),
    meta('property', 'og:type', facts.kind ?? 'website'),
    // As React wrote it, so that it is escaped already.
    `<meta property="og:title" content="${title}" data-page>`,
    description && meta('property', 'og:description', description),
    address && meta('property', 'og:url', address),
    meta('property', 'og:image', shownPicture),
    meta('property', 'og:image:alt', picture?.alt ?? 'Men’s clothing and accessories from Haberdash'),
    ...Object.entries(facts.more ?? {}).map(([property, content]) => meta('property', property, content)),
    meta('name', 'twitter:card', 'summary_large_image'),
    ...(facts.structured ?? []).map(
      (data) => `<script type="application/ld+json" data-page>${inScript(data)}</script>`,
    ),
  ]
    .filter(Boolean)
    .join('\n    ')
}

function link(relation: string, address: string): string {
  return `<link rel="${relation}" href="${escape(address)}" data-page>`
}

function meta(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${name}" content="${escape(content)}" data-page>`
}

/** JSON that can stand in a script element: nothing in it ends the element, or begins a comment. */
export function inScript(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<>\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Pictures of ours have paths, others are anywhere on the web. */
export function absolute(address: string, publicUrl: string): string {
  return new URL(address, publicUrl).href
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign)
}
