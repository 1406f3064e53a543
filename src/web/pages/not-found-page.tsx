import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { PageTitle } from '#shop/web/ui/page-title.tsx'

export function NotFoundPage() {
  return (
    <div className="frame grid items-center gap-10 py-room md:grid-cols-[1fr_auto]">
      <PageTitle title="Page not found" />
      <div className="flex flex-col items-start gap-5">
        <h1 className="text-title">Page not found</h1>
        <p className="max-w-prose text-lead text-muted">
          Sorry, we couldn’t find the page you’re looking for.
        </p>
        <div className="mt-2 flex flex-wrap gap-3">
          <ButtonLink to={paths.home}>Go back home</ButtonLink>
          <ButtonLink to={paths.contact} variant="outline">
            Contact support
          </ButtonLink>
        </div>
      </div>
      <MissingPattern />
    </div>
  )
}

/** A paper pattern on which the pocket is marked, but missing. */
function MissingPattern() {
  return (
    <svg
      viewBox="0 0 320 300"
      aria-hidden="true"
      className="w-full max-w-80 text-edge"
      fill="none"
      stroke="currentColor"
    >
      <path d="M60 20h70c8 24 52 24 60 0h70l40 60-46 30v170H66V110L20 80z" strokeWidth="1.5" />
      <path
        d="M70 30h56c12 28 56 28 68 0h56l34 48-40 26v166H76V104L36 78z"
        strokeWidth="1"
        strokeDasharray="7 5"
      />
      <path d="M160 60v150" strokeWidth="1" />
      <path d="M154 74l6-14 6 14M154 196l6 14 6-14" strokeWidth="1" />
      <path d="M182 116h42v40l-21 14-21-14z" strokeWidth="1" strokeDasharray="4 4" />
    </svg>
  )
}
