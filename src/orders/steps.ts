/** In the order of the timeline. Free of libraries, as the page shows them. */
export const orderStatuses = ['pending', 'processing', 'shipped', 'completed'] as const
export type OrderStatus = (typeof orderStatuses)[number]
