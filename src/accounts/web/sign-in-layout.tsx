import type { ReactNode } from 'react'
import { paths } from '#shop/web/paths.ts'
import { Link } from '#shop/web/ui/link.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'

type SignInLayoutProps = {
  title: string
  /** The page's name in the browser's tab. */
  tab: string
  /** Links to the other of the two pages. */
  other: ReactNode
  children: ReactNode
}

/** The frame of /login and /register, which stand outside the shop: cloth on one side, the form on the other. */
export function SignInLayout({ title, tab, other, children }: SignInLayoutProps) {
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr] lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)] lg:grid-rows-1">
      <PageTitle title={tab} />
      <header className="weave-chalk flex flex-col justify-between text-on-cloth [--color-accent:var(--color-thread)]">
        <div className="px-gutter py-3 lg:py-8">
          <Link
            to={paths.home}
            className="inline-flex min-h-11 items-center font-display text-[1.375rem] font-medium tracking-tight lg:text-[1.75rem]"
          >
            Haberdash
          </Link>
        </div>
        <p className="px-gutter pb-room font-display text-display [--text-display:min(5vw,6.25rem)] max-lg:hidden">
          Cut well, <span className="inline-block">worn for years.</span>
        </p>
        <div>
          <div aria-hidden className="tape h-6 text-cloth-line max-lg:hidden" />
          <div aria-hidden className="selvedge" />
        </div>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="flex flex-col px-gutter py-10 lg:items-center lg:justify-center lg:py-16"
      >
        <div className="flex w-full max-w-md flex-col gap-7 max-lg:mx-auto">
          <h1 className="text-title">{title}</h1>
          {children}
          <hr className="stitch" aria-hidden />
          <p className="text-small text-muted">{other}</p>
          <Link to={paths.shop} className="thread-link -my-3 self-start py-3 text-small">
            Back to the shop
          </Link>
        </div>
      </main>
    </div>
  )
}
