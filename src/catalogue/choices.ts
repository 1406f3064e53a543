/** The specification's lists. Free of libraries: the page shows them before anything else is loaded. */
export const categories = ['formal dress', 'casual dress', 'sports dress', 'grooming'] as const

/** Only the update form offers these. */
export const updateCategories = ['accessories', 'dress', 'jewellery', 'cosmetics'] as const

export const colors = ['black', 'red', 'gold', 'blue', 'silver', 'beige', 'green'] as const

/** Both ends belong to a range; the last has no upper one. */
export const priceRanges = [
  { label: 'Under $50', min: 0, max: 50 },
  { label: '$50 - $100', min: 50, max: 100 },
  { label: '$100 - $200', min: 100, max: 200 },
  { label: '$200 and above', min: 200, max: null },
] as const

/** How the list may be sorted; what sorts equal is newest first. */
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

/** So many products begin the home page. */
export const trendingCount = 7
