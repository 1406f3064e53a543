/** The specification's lists. This file imports nothing: the page shows them before anything else is loaded. */
export const categories = ['formal dress', 'casual dress', 'sports dress', 'grooming'] as const

/** Only the update form offers these. */
export const updateCategories = ['accessories', 'dress', 'jewellery', 'cosmetics'] as const

export const colors = ['black', 'red', 'gold', 'blue', 'silver', 'beige', 'green'] as const

/** A range includes both ends; the last one has no upper end. */
export const priceRanges = [
  { label: 'Under $50', min: 0, max: 50 },
  { label: '$50 - $100', min: 50, max: 100 },
  { label: '$100 - $200', min: 100, max: 200 },
  { label: '$200 and above', min: 200, max: null },
] as const

/** How the list may be sorted; products that are equal in it are newest first. */
export const productSorts = [
  'newest',
  'oldest',
  'name',
  '-name',
  'price',
  '-price',
  'category',
  '-category',
  'rating',
  '-rating',
] as const
export type ProductSort = (typeof productSorts)[number]

/** How many products the home page begins with. */
export const trendingCount = 7
