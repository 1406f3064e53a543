import { paths } from '#shop/web/paths.ts'
import { ButtonLink } from '#shop/web/ui/button.tsx'
import { Link } from '#shop/web/ui/link.tsx'
import { Picture } from '#shop/web/ui/picture.tsx'

export function Hero() {
  return (
    <section aria-labelledby="hero" className="weave-chalk relative text-on-cloth">
      <div className="mx-auto grid max-w-[120rem] lg:grid-cols-[1.05fr_1fr]">
        <div className="flex flex-col items-start justify-center gap-5 px-gutter py-10 md:gap-7 md:py-16 lg:pl-[max(var(--spacing-gutter),calc((min(100vw,120rem)-100rem)/2+var(--spacing-gutter)))]">
          <h1 id="hero" className="text-display">
            Well cut, and now <span className="inline-block">up to 20% off</span>
          </h1>
          <p className="max-w-md text-lead text-cloth-muted">
            Jackets, shirts, training kit and grooming, bought from mills and makers we know, sold at an
            honest price. For a few weeks, a lower one.
          </p>
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
            <ButtonLink to={paths.shop} variant="onCloth" className="px-8">
              Shop the rail
            </ButtonLink>
            <Link
              to={paths.category('formal dress')}
              className="thread-link inline-flex min-h-11 items-center font-medium focus-visible:outline-on-cloth [--color-accent:var(--color-thread)]"
            >
              Start with the suits
            </Link>
          </div>
        </div>
        <Picture
          src="/pictures/hero.webp"
          alt=""
          ratio="landscape"
          // Beside the text it is as high as the text, and so is cropped at the sides.
          sizes="(min-width: 64rem) min(60rem, 22.2vw + 32rem), 100vw"
          isFirst
          ground="bg-cloth-line"
          emblem={<CutLines />}
          className="max-h-[60svh] w-full lg:h-full lg:max-h-none lg:min-h-[34rem]"
        />
      </div>
    </section>
  )
}

/** Shown where the picture is missing: half of a jacket's front, in chalk lines. */
function CutLines() {
  return (
    <svg
      viewBox="0 0 300 340"
      className="h-4/5 text-cloth-muted opacity-70"
      fill="none"
      stroke="currentColor"
      aria-hidden
    >
      <path d="M118 30c30 4 58 14 84 32l22 60-30 10v178H66V150c22-36 36-74 52-120z" strokeWidth="1.6" />
      <path d="M118 30c6 40-6 86-52 120M126 128l32-12 4 10-32 12z" strokeWidth="1.2" />
      <path d="M76 302V156c20-34 36-70 48-112" strokeWidth="1" strokeDasharray="6 5" />
      <path d="M150 60v230M144 74l6-14 6 14M144 276l6 14 6-14" strokeWidth="1" />
      <circle cx="92" cy="196" r="4" />
      <circle cx="92" cy="246" r="4" />
    </svg>
  )
}
