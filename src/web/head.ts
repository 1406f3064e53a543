/** A page's metadata, for search engines, link previews and browsers. */
export type PageFacts = {
  isMissing?: boolean
  isPrivate?: boolean
  /** Where to redirect to, when the page itself does not exist. */
  movedTo?: string
  description?: string
  /** The canonical path; none for a page that should not be indexed. */
  path?: string
  /** The previous and the next page of a list. */
  before?: string
  after?: string
  picture?: { src: string; alt: string }
  /** The Open Graph type; `website` by default. */
  kind?: string
  more?: Record<string, string>
  /** JSON-LD, see https://developers.google.com/search/docs/appearance/structured-data */
  structured?: object[]
}

/** The metadata as HTML. It is marked with `data-page`, because it holds for the first page only. */
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
    // React has written this title, so it is escaped already.
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

/** JSON that is safe inside a script element: nothing in it ends the element or begins a comment. */
export function inScript(data: unknown): string {
  return JSON.stringify(data).replace(
    /[<>\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** The shop's own pictures have paths, others have full addresses. */
export function absolute(address: string, publicUrl: string): string {
  return new URL(address, publicUrl).href
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign)
}
