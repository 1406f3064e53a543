import { Picture } from '#shop/web/ui/picture.tsx'

const posts = [
  {
    picture: 4,
    title: 'How Long Should a Sleeve Be?',
    excerpt:
      'Let your arms hang, bend your hands up, and look for the bone at the wrist: the shirt ends there and the jacket a half inch above it. Two pins and a mirror will tell you what to ask the tailor.',
    date: '2026-11-12',
    shownDate: 'November 12',
    minutes: 3,
  },
  {
    picture: 3,
    title: 'The First Two Weeks of a Pair of Leather Shoes',
    excerpt:
      'Short walks, thin socks, and a day of rest between wearings do more than any stretching spray. Here is what to do each evening, in under three minutes.',
    date: '2026-10-27',
    shownDate: 'October 27',
    minutes: 6,
  },
  {
    picture: 2,
    title: 'Wool Wants Air More Than Water',
    excerpt:
      'Most sweaters are washed far more often than they need. Lay them flat by an open window overnight, comb off the pills, and keep the basin for real stains.',
    date: '2026-10-06',
    shownDate: 'October 6',
    minutes: 5,
  },
  {
    picture: 1,
    title: 'Three Folds for a Pocket Square, and When to Use Each',
    excerpt:
      'A flat fold needs cotton or linen, a puff needs silk, and two points need a square of at least twelve inches. Fold it on a table, not in the pocket, and leave half an inch showing.',
    date: '2026-09-22',
    shownDate: 'September 22',
    minutes: 4,
  },
]

/** Four posts to look at, the newest first; the blog itself is not open yet, so they lead nowhere. */
export function BlogTeaser() {
  return (
    <section aria-labelledby="blog" className="frame below-[43rem] pb-room sm:below-[66rem] lg:below-[41rem]">
      <hr className="stitch mb-room" aria-hidden />
      <h2 id="blog" className="mb-8 text-section md:mb-12">
        From the blog
      </h2>
      <ul className="grid gap-x-6 gap-y-10 sm:grid-cols-2 lg:grid-cols-4">
        {posts.map(({ picture, title, excerpt, date, shownDate, minutes }) => (
          <li key={title}>
            <article className="grid grid-cols-[min(7rem,30vw)_minmax(0,1fr)] gap-4 sm:block">
              <Picture
                src={`/pictures/blog-${picture}.webp`}
                alt=""
                ratio="landscape"
                sizes="(min-width: 64rem) min(357px, 22.4vw), (min-width: 40rem) 45.6vw, 7rem"
                className="w-full self-start max-sm:aspect-square"
              />
              <div className="sm:mt-4">
                <p className="text-fine text-muted">
                  <time dateTime={date}>{shownDate}</time>
                  <span>{`, ${minutes} min read`}</span>
                </p>
                <h3 className="mt-1 text-name">{title}</h3>
                <p className="mt-2 hidden text-small text-muted sm:block">{excerpt}</p>
              </div>
            </article>
          </li>
        ))}
      </ul>
    </section>
  )
}
