import type { ReactNode } from 'react'
import { paths } from '#shop/web/paths.ts'
import { shopAddress } from '#shop/web/shop-address.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'

const chapters = [
  {
    id: 'delivery',
    title: 'Delivery',
    text: [
      'Delivery is free on every order, whatever it weighs. Order before noon and we pack the same day; most parcels are with you four working days later.',
      'Each order has a page of its own, which shows how far it has come: pending, processing, shipped, completed. Keep the link, and you need no account to follow your order.',
    ],
  },
  {
    id: 'returns',
    title: 'Returns',
    text: [
      'You have thirty days to try things on at home. Send back what does not suit you, unworn and with its label, and we refund all of your money to the card you paid with.',
      'A seam that opens or a button that comes off in the first year is ours to mend. Write to us before you sew it on yourself.',
    ],
  },
  {
    id: 'payment',
    title: 'Payment',
    text: [
      'You pay by card on our payment provider’s page. Your card number goes there and never to us.',
      'What you see in the cart is what you pay: no postage, no fees. Should a price change while something is in your cart, we show you the old and the new one before you go on.',
    ],
  },
  {
    id: 'sizes',
    title: 'Sizes',
    text: [
      'Measure a garment you like while it lies flat, and compare it with ours rather than with a letter on a label. Between two sizes, take the larger for jackets and the smaller for knitwear.',
    ],
  },
  {
    id: 'care',
    title: 'Care of cloth',
    text: [
      'Air wool overnight and brush it; it seldom needs washing. Wash cotton inside out, dry it on a line, and iron linen while it is damp. Shoes want a day of rest and wooden shoe trees.',
    ],
  },
]

export function PagesPage() {
  return (
    <Plain title="Good to know" lead="How things get to you, how they come back, and how to keep them well.">
      <nav aria-label="On this page" className="md:sticky md:top-28 md:self-start">
        <ul className="flex flex-wrap gap-x-6 md:flex-col">
          {chapters.map(({ id, title }) => (
            <li key={id}>
              <Link to={`#${id}`} className="thread-link inline-flex min-h-11 min-w-11 items-center">
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="flex flex-col">
        {chapters.map(({ id, title, text }) => (
          <section
            key={id}
            id={id}
            aria-labelledby={`${id}-title`}
            className="border-t border-line py-8 first:border-t-0 first:pt-0 md:py-10"
          >
            <h2 id={`${id}-title`} className="text-section">
              {title}
            </h2>
            {text.map((paragraph) => (
              <p key={paragraph} className="mt-4 max-w-prose">
                {paragraph}
              </p>
            ))}
          </section>
        ))}
      </div>
    </Plain>
  )
}

export function ContactPage() {
  const link = 'thread-link inline-flex min-h-11 items-center'
  return (
    <Plain title="Contact" lead="A person reads every message. Most are answered within one working day.">
      <div className="flex flex-col gap-3">
        <h2 className="text-name">Before you write</h2>
        <p className="text-muted">
          Delivery, returns, payment and sizes are explained on a page of their own.
        </p>
        <ButtonLink to={paths.pages} variant="outline" className="self-start">
          Good to know
        </ButtonLink>
      </div>
      <dl className="flex flex-col">
        <Way term="Write">
          <a href={`mailto:${shopAddress.email}`} className={link}>
            {shopAddress.email}
          </a>
        </Way>
        <Way term="Call">
          <a href={shopAddress.phoneLink} className={link}>
            {shopAddress.phone}
          </a>
          <span className="block text-body text-muted">{shopAddress.hours}</span>
        </Way>
        <Way term="Visit">
          {shopAddress.lines.map((line) => (
            <span key={line} className="block first:pt-2">
              {line}
            </span>
          ))}
        </Way>
        <Way term="About an order">
          <span className="block max-w-prose pt-2 text-body">
            Give us the order ID from your order’s page, and we will find the parcel before you have finished
            the sentence.
          </span>
        </Way>
      </dl>
    </Plain>
  )
}

function Plain({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <div className="frame pb-room pt-10 md:pt-16">
      <PageTitle title={title} />
      <h1 className="text-title">{title}</h1>
      <p className="mt-4 max-w-prose text-lead text-muted">{lead}</p>
      <hr className="stitch my-8 [--stitch:var(--color-accent)] md:my-12" aria-hidden />
      <div className="grid gap-x-16 gap-y-8 md:grid-cols-[14rem_1fr] lg:grid-cols-[20rem_1fr]">
        {children}
      </div>
    </div>
  )
}

function Way({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-8 border-t border-line py-6 first:border-t-0 first:pt-0 sm:grid-cols-[9rem_1fr]">
      <dt className="pt-2.5 text-small text-muted">{term}</dt>
      <dd className="min-w-0 text-name wrap-anywhere">{children}</dd>
    </div>
  )
}
