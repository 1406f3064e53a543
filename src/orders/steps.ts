/** In the order of the timeline. Imports no library, because the page uses it. */
export const orderStatuses = ['pending', 'processing', 'shipped', 'completed'] as const
export type OrderStatus = (typeof orderStatuses)[number]
