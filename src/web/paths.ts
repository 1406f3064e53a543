/** Every page's address, as the router matches it; the server answers 404 for anything else. */
export const pagePatterns = [
  '/',
  '/shop',
  '/shop/:id',
  '/categories/:categoryName',
  '/search',
  '/success',
  '/orders/:orderId',
  '/pages',
  '/contact',
  '/login',
  '/register',
  '/dashboard',
  '/dashboard/orders',
  '/dashboard/payments',
  '/dashboard/profile',
  '/dashboard/reviews',
  '/dashboard/admin',
  '/dashboard/add-product',
  '/dashboard/manage-products',
  '/dashboard/update-product/:id',
  '/dashboard/manage-orders',
  '/dashboard/users',
] as const

/**
 * The query parameters that the server's pages depend on. Any others, such as those that advertisements add, do
 * not make another page.
 */
export const relevantQueryParameters: Partial<Record<(typeof pagePatterns)[number], readonly string[]>> = {
  '/shop': ['category', 'color', 'price', 'sort', 'page'],
  '/search': ['q', 'page'],
}

/** Server-rendered pages for their reader alone: orders, whose address gives access to them, and searches. */
export const isPrivatePage = (pattern: string | undefined, query: URLSearchParams): boolean =>
  pattern === '/orders/:orderId' || (pattern === '/search' && Boolean(query.get('q')))

/** The titles of pages that the browser alone renders, until it has; then each page sets its own. */
export const initialTitles: Partial<Record<(typeof pagePatterns)[number], string>> = {
  '/success': 'Your payment',
  '/orders/:orderId': 'Your order',
  '/login': 'Log in',
  '/register': 'Register',
  '/dashboard': 'Your dashboard',
  '/dashboard/orders': 'Your orders',
  '/dashboard/payments': 'Your payments',
  '/dashboard/profile': 'Your profile',
  '/dashboard/reviews': 'Your reviews',
  '/dashboard/admin': 'Admin dashboard',
  '/dashboard/add-product': 'Add product',
  '/dashboard/manage-products': 'Manage products',
  '/dashboard/update-product/:id': 'Update product',
  '/dashboard/manage-orders': 'Manage orders',
  '/dashboard/users': 'Users',
}

export const paths = {
  home: '/',
  shop: '/shop',
  product: (id: string) => `/shop/${encodeURIComponent(id)}`,
  category: (name: string) => `/categories/${encodeURIComponent(name)}`,
  search: '/search',
  order: (id: string) => `/orders/${encodeURIComponent(id)}`,
  pages: '/pages',
  contact: '/contact',
  login: '/login',
  register: '/register',
  dashboard: {
    home: '/dashboard',
    profile: '/dashboard/profile',
    payments: '/dashboard/payments',
    orders: '/dashboard/orders',
    reviews: '/dashboard/reviews',
    admin: '/dashboard/admin',
    manageProducts: '/dashboard/manage-products',
    manageOrders: '/dashboard/manage-orders',
    addProduct: '/dashboard/add-product',
    updateProduct: (id: string) => `/dashboard/update-product/${encodeURIComponent(id)}`,
    users: '/dashboard/users',
  },
} as const
