import { memo, type ReactNode } from 'react'
import { paths } from './paths.ts'
import { shopAddress } from './shop-address.ts'
import { Link } from './ui/link.tsx'
import { Picture } from './ui/picture.tsx'

const company = [
  { to: paths.pages, label: 'About us' },
  { to: `${paths.pages}#delivery`, label: 'Delivery' },
  { to: `${paths.pages}#payment`, label: 'Payment' },
  { to: paths.contact, label: 'Contact us' },
]
const useful = [
  { to: `${paths.pages}#returns`, label: 'Returns' },
  { to: `${paths.pages}#sizes`, label: 'Sizes' },
  { to: `${paths.pages}#care`, label: 'Care of cloth' },
  { to: paths.search, label: 'Find a product' },
]

/** Memoized, because it is the same on every page. */
export const Footer = memo(function Footer() {
  return (
    <footer className="weave-chalk text-on-cloth print:hidden [--color-accent:var(--color-thread)]">
      <div className="selvedge" aria-hidden />
      <div className="frame grid gap-x-8 gap-y-10 md:gap-y-12 min-[17rem]:grid-cols-2 py-room lg:grid-cols-[1.4fr_1fr_1fr_min(28%,24rem)]">
        <Column title="Contact info" className="min-[17rem]:max-sm:col-span-2">
          <address className="flex flex-col wrap-anywhere not-italic">
            {shopAddress.lines.map((line) => (
              <span key={line} className={footLink}>
                {line}
              </span>
            ))}
            <a href={shopAddress.phoneLink} className={footLink}>
              {shopAddress.phone}
            </a>
            <a href={`mailto:${shopAddress.email}`} className={footLink}>
              {shopAddress.email}
            </a>
          </address>
        </Column>
        <Column title="Company">
          <Links links={company} />
        </Column>
        <Column title="Useful links">
          <Links links={useful} />
        </Column>
        <Column title="From the workroom" className="min-[17rem]:max-sm:col-span-2">
          <div className="grid max-w-96 grid-cols-3 gap-1.5">
            {[1, 2, 3, 4, 5, 6].map((number) => (
              <Picture
                key={number}
                src={`/pictures/footer-${number}.webp`}
                alt=""
                ratio="square"
                sizes="(min-width: 64rem) min(124px, 8.6vw), min(124px, 29.4vw)"
                ground={footerGrounds[number % footerGrounds.length]}
                emblem={<span />}
                className="[--weave:var(--color-cloth-line)]"
              />
            ))}
          </div>
        </Column>
      </div>
      <div className="frame">
        <hr className="stitch [--stitch:var(--color-cloth-line)]" aria-hidden />
        {/* The server may have rendered this last year, which is no reason to render it anew. */}
        <p className="py-6 text-fine text-cloth-muted" suppressHydrationWarning>
          {`© ${new Date().getFullYear()} Haberdash. All rights reserved.`}
        </p>
      </div>
    </footer>
  )
})

type ColumnProps = { title: string; className?: string; children: ReactNode }

function Column({ title, className, children }: ColumnProps) {
  return (
    <section className={className}>
      <h2 className="mb-4 text-name">{title}</h2>
      {children}
    </section>
  )
}

function Links({ links }: { links: { to: string; label: string }[] }) {
  return (
    <ul className="flex flex-col">
      {links.map((link) => (
        <li key={link.label}>
          <Link to={link.to} className={footLink}>
            {link.label}
          </Link>
        </li>
      ))}
    </ul>
  )
}

const footerGrounds = ['weave-rib', 'weave-herringbone', 'weave-windowpane']
const footLink =
  'inline-flex min-h-11 min-w-11 items-center text-small text-cloth-muted underline-offset-4 [[href]]:hover:text-on-cloth [[href]]:hover:underline md:pointer-fine:min-h-9'
