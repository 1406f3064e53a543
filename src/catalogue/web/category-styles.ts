import type { categories } from '#shop/catalogue/choices.ts'

type CategoryStyle = {
  name: (typeof categories)[number]
  line: string
  picture: string
  /** The cloth that lies under its picture and its heading. */
  weave: string
}

/** The four on the home page. Their cloths are dark enough for light text on them, by day and by night. */
export const categoryStyles: readonly CategoryStyle[] = [
  {
    name: 'formal dress',
    line: 'Suits, shirts and shoes for the days with a dress code.',
    picture: '/pictures/category-formal.webp',
    weave: 'weave-chalk',
  },
  {
    name: 'casual dress',
    line: 'Knitwear, denim and soft jackets for all the other days.',
    picture: '/pictures/category-casual.webp',
    weave: 'weave-herringbone [--weave:#4a3a30]',
  },
  {
    name: 'sports dress',
    line: 'Kit that breathes, dries and keeps its shape.',
    picture: '/pictures/category-sports.webp',
    weave: 'weave-rib [--weave:#24463c]',
  },
  {
    name: 'grooming',
    line: 'Soap, brushes and oils for the face above the collar.',
    picture: '/pictures/category-grooming.webp',
    weave: 'weave-windowpane [--weave:#54353a]',
  },
]
