/** What the server asks of the page's renderer, and what it is answered. Both import this, and not each other. */
export type PageQuestion = {
  /** Path and query, as far as the page depends on them. */
  url: string
  /** The shop's own address, such as `https://shop.example`. */
  publicUrl: string
  /** Asks the shop itself for a path below `/api`, as a browser without cookies would. */
  ask: (path: string) => Promise<{ status: number; body: unknown }>
  /** Until everybody else who has come meanwhile has been looked after: before anything that keeps them waiting. */
  letOthersIn: () => Promise<void>
}

export type RenderedPage =
  | {
      status: 200 | 404
      /** For nobody but the reader: no search engine and no cache keeps it. */
      isPrivate: boolean
      /** Title, description and what else stands in the document's head, as HTML. */
      head: string
      /** The page itself, as HTML. */
      body: string
      /** What the page has asked for, as JSON that can stand in a script element. */
      sent: string
      /** The source file of the page, by which its built files are found; none for an unknown address. */
      file: string
    }
  /** The browser is sent to another address of ours. */
  | { status: 302; location: string }
  /** The shop answers, with this, that it does not answer what the page asks for: the browser shows it. */
  | { status: 'refused'; by: number }

/** Undefined for an address whose page is made in the browser alone, as the dashboards are. */
export type RenderPage = (question: PageQuestion) => Promise<RenderedPage | undefined>
