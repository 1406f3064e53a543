/** The server's request to the page's renderer, and its result. Both import this file, and not each other. */
export type RenderRequest = {
  /** Path and query, as far as the page depends on them. */
  url: string
  /** The shop's own URL, such as `https://shop.example`. */
  publicUrl: string
  /** Requests a path below `/api` from the shop itself, as a browser without cookies would. */
  callApi: (path: string) => Promise<{ status: number; body: unknown }>
  /** Resolves once the event loop has served others who wait: to be awaited before work that blocks it. */
  yieldToOthers: () => Promise<void>
}

export type RenderedPage =
  | {
      status: 200 | 404
      /** For the reader alone: no search engine and no cache keeps it. */
      isPrivate: boolean
      /** Title, description and what else stands in the document's head, as HTML. */
      head: string
      /** The page itself, as HTML. */
      body: string
      /** The data that the page has requested, as JSON that can stand in a script element. */
      dataJson: string
      /** The page's source file, by which its built files are found; for an unknown URL the not-found page's. */
      file: string
    }
  /** The browser is redirected to another URL of ours. */
  | { status: 302; location: string }
  /** The shop refused, with this status, what the page requested; the browser shows that. */
  | { status: 'refused'; refusalStatus: number }

/** Undefined for a URL whose page is rendered in the browser alone, as the dashboards are. */
export type RenderPage = (request: RenderRequest) => Promise<RenderedPage | undefined>
