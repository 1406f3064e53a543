import type { ReactNode } from 'react'
import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { ParcelIcon, SealIcon, SpoolIcon } from './benefit-icons.tsx'

/** As specified, it does not count down. */
const countdown = [
  { count: 14, unit: 'days' },
  { count: 20, unit: 'hours' },
  { count: 15, unit: 'minutes' },
  { count: 5, unit: 'seconds' },
]

export function Deals() {
  return (
    <section aria-labelledby="deals" className="below-[27rem] bg-sunken">
      <div className="tape h-4 text-edge" aria-hidden />
      <div className="frame grid items-center gap-x-16 gap-y-10 py-room lg:grid-cols-[1fr_1.25fr]">
        <div className="flex flex-col items-start gap-5">
          <h2 id="deals" className="text-title">
            Deals of the month
          </h2>
          <p className="max-w-md text-lead text-muted">
            A short rail of jackets, shirts and shoes, marked down by hand. When they are gone, they are gone.
          </p>
          <ButtonLink to={paths.shop} className="mt-1">
            See the deals
          </ButtonLink>
        </div>
        <ul className="grid grid-cols-2 gap-y-6 divide-x min-[17rem]:grid-cols-4 divide-edge/40">
          {countdown.map(({ count, unit }) => (
            <li key={unit} className="flex flex-col items-center gap-1 px-1 text-center">
              <span className="font-display text-[clamp(2.75rem,1.2rem+6.4vw,7rem)] leading-none font-medium tabular-nums">
                {count}
              </span>{' '}
              <span className="text-fine text-muted md:text-body">{unit}</span>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

const benefits: { icon: ReactNode; title: string; text: string }[] = [
  {
    icon: <ParcelIcon className="size-9" />,
    title: 'Free delivery',
    text: 'Every order, to every state, packed in paper and card. Most parcels are with you in four working days.',
  },
  {
    icon: <SealIcon className="size-9" />,
    title: '100% money-back guaranty',
    text: 'Thirty days to try it on at home. Send it back unworn and get all of your money back.',
  },
  {
    icon: <SpoolIcon className="size-9" />,
    title: 'Strong support',
    text: 'People who know a placket from a pleat answer your messages within one working day.',
  },
]

export function Benefits() {
  return (
    <section aria-labelledby="benefits" className="frame below-[23rem] py-room md:below-[15rem]">
      <h2 id="benefits" className="sr-only">
        What you can count on
      </h2>
      <ul className="grid gap-x-12 gap-y-10 md:grid-cols-3">
        {benefits.map(({ icon, title, text }) => (
          <li key={title} className="flex gap-5 md:flex-col md:gap-4">
            <span className="text-accent">{icon}</span>
            <div>
              <h3 className="text-name">{title}</h3>
              <p className="mt-2 max-w-sm text-muted">{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
