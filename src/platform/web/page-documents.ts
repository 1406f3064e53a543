import type { RenderedPage } from '#shop/contract/rendering.ts'
import type { WebFiles } from './web-files.ts'

export type PageWithBody = Extract<RenderedPage, { body: string }>

/** The whole document of a page that the server has rendered. */
export async function documentOf(
  files: WebFiles,
  { head, body, dataJson, file }: PageWithBody,
): Promise<string> {
  // A page's first picture is loaded before its scripts.
  const isUrgent = !head.includes('as="image"')
  const page = `<div id="root">${body}</div>\n    <script id="sent" type="application/json">${dataJson}</script>`
  return fill(await files.frame(), { head: head + preloadsOf(await files.scriptsOf(file), isUrgent), page })
}

/** The document of a page that the browser renders alone; `title` is shown until it has. */
export async function emptyDocument(files: WebFiles, isFound: boolean, title?: string): Promise<string> {
  const page = `<noscript>
      <p class="frame py-room">
        This page needs JavaScript. <a href="/shop" class="underline">The shop</a> can be looked at without.
      </p>
    </noscript>
    <div id="root"></div>`
  const robots = isFound ? '' : '<meta name="robots" content="noindex">'
  // This is also the page for when something is missing, which may be the list of scripts.
  const preloads = preloadsOf(await files.scriptsOf().catch(() => []))
  const named = `<title>${title === undefined ? '' : `${title} · `}Haberdash</title>`
  return fill(await files.frame(), { head: named + robots + preloads, page })
}

function preloadsOf(scripts: readonly string[], isUrgent = true): string {
  const priority = isUrgent ? '' : ' fetchpriority="low"'
  return scripts
    .map((path) => `\n    <link rel="modulepreload" crossorigin${priority} href="${path}">`)
    .join('')
}

/** The replacements are functions, because `$&` has a meaning in a string. */
function fill(frame: string, places: Record<'head' | 'page', string>): string {
  return Object.entries(places).reduce(
    (text, [name, html]) => text.replace(`<!--${name}-->`, () => html),
    frame,
  )
}
