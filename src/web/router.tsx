import { createElement, lazy, Suspense, useState, type ComponentType } from 'react'
import { matchRoutes, type RouteObject } from 'react-router'
import { Layout } from './layout.tsx'
import { withCart } from './pages/with-cart.tsx'

/** A page in a file of its own, loaded when it is first opened. */
function definePage(find: () => Promise<ComponentType>) {
  let Loaded: ComponentType | undefined
  const load = async () => ({ default: (Loaded = await find()) })
  const Lazy = lazy(load)
  const Coming = () => (
    <Suspense fallback={<div aria-busy="true" className="min-h-dvh" />}>
      <Lazy />
    </Suspense>
  )
  // Chosen only once: they are different components, and a change would mount the page anew. A loaded page needs
  // no `Suspense`, which React would hydrate last of all.
  const Page = () => createElement(useState(() => Loaded ?? Coming)[0])
  return Object.assign(Page, { load, isLoaded: () => Loaded !== undefined })
}

type Page = ReturnType<typeof definePage>

/** Loads the file of the page at this address, so that the page then renders at once. */
export async function loadPage(pathname: string): Promise<void> {
  await Promise.all(pagesOf(routesTo(pathname)).map(({ load }) => load()))
}

export function isPageLoaded(pathname: string): boolean {
  return pagesOf(routesTo(pathname)).every(({ isLoaded }) => isLoaded())
}

/** Case-sensitive, as on the server: `/SHOP` leads nowhere. */
function makeCaseSensitive(branches: RouteObject[]): RouteObject[] {
  return branches.map((route) =>
    route.index
      ? route
      : {
          ...route,
          caseSensitive: true,
          ...(route.children && { children: makeCaseSensitive(route.children) }),
        },
  )
}

const routesByPath = new Map<string, RouteObject[]>()
/** Reading ahead needs a few entries for each page; a server gets requests for any address. */
const maxCachedPaths = 100

/**
 * Only the routes that lead to this address, nested. React Router ranks all the routes that it is given at each
 * rendering: that took a tenth of the time to the next page of a list.
 */
export function routesTo(pathname: string): RouteObject[] {
  const found = routesByPath.get(pathname)
  if (found) return found
  const leading = (matchRoutes(routes, pathname) ?? []).reduceRight<RouteObject[]>(
    (children, { route }) => [route.index ? route : { ...route, children }],
    [],
  )
  if (routesByPath.size === maxCachedPaths) routesByPath.clear()
  routesByPath.set(pathname, leading)
  return leading
}

function pagesOf(found: RouteObject[]): Page[] {
  return found.flatMap(({ Component, children = [] }) => [
    ...(Component && 'load' in Component ? [Component as Page] : []),
    ...pagesOf(children),
  ])
}

const plain = () => import('./pages/plain-pages.tsx')

const adminPages: RouteObject[] = [
  {
    path: 'admin',
    Component: definePage(
      async () => (await import('#shop/stats/web/admin-dashboard-page.tsx')).AdminDashboardPage,
    ),
  },
  {
    path: 'add-product',
    Component: definePage(
      async () => (await import('#shop/catalogue/web/add-product-page.tsx')).AddProductPage,
    ),
  },
  {
    path: 'update-product/:id',
    Component: definePage(
      async () => (await import('#shop/catalogue/web/edit-product-page.tsx')).EditProductPage,
    ),
  },
  {
    path: 'manage-products',
    Component: definePage(
      async () => (await import('#shop/catalogue/web/manage-products-page.tsx')).ManageProductsPage,
    ),
  },
  {
    path: 'manage-orders',
    Component: definePage(
      async () => (await import('#shop/orders/web/manage-orders-page.tsx')).ManageOrdersPage,
    ),
  },
  {
    path: 'users',
    Component: definePage(async () => (await import('#shop/accounts/web/users-page.tsx')).UsersPage),
  },
]

const userPages: RouteObject[] = [
  {
    index: true,
    Component: definePage(
      async () => (await import('#shop/stats/web/user-dashboard-page.tsx')).UserDashboardPage,
    ),
  },
  {
    path: 'orders',
    Component: definePage(async () => (await import('#shop/orders/web/my-orders-page.tsx')).MyOrdersPage),
  },
  {
    path: 'payments',
    Component: definePage(async () => (await import('#shop/orders/web/payments-page.tsx')).PaymentsPage),
  },
  {
    path: 'profile',
    Component: definePage(
      async () => (await import('./pages/profile-with-upload-page.tsx')).ProfileWithUpload,
    ),
  },
  {
    path: 'reviews',
    Component: definePage(async () => (await import('#shop/reviews/web/my-reviews-page.tsx')).MyReviewsPage),
  },
]

export const routes = makeCaseSensitive([
  {
    Component: Layout,
    children: [
      { index: true, Component: definePage(async () => (await import('./pages/home-page.tsx')).HomePage) },
      {
        path: 'shop',
        Component: definePage(async () =>
          withCart((await import('#shop/catalogue/web/shop-page.tsx')).ShopPage),
        ),
      },
      {
        path: 'shop/:id',
        Component: definePage(async () => (await import('./pages/product-page.tsx')).ProductPage),
      },
      {
        path: 'categories/:categoryName',
        Component: definePage(async () =>
          withCart((await import('#shop/catalogue/web/category-page.tsx')).CategoryPage),
        ),
      },
      {
        path: 'search',
        Component: definePage(async () =>
          withCart((await import('#shop/catalogue/web/search-page.tsx')).SearchPage),
        ),
      },
      {
        path: 'success',
        Component: definePage(async () => (await import('./pages/success-page.tsx')).SuccessPage),
      },
      {
        path: 'orders/:orderId',
        Component: definePage(async () => (await import('#shop/orders/web/order-page.tsx')).OrderPage),
      },
      { path: 'pages', Component: definePage(async () => (await plain()).PagesPage) },
      { path: 'contact', Component: definePage(async () => (await plain()).ContactPage) },
      {
        path: '*',
        Component: definePage(async () => (await import('./pages/not-found-page.tsx')).NotFoundPage),
      },
    ],
  },
  {
    path: 'login',
    Component: definePage(async () => (await import('#shop/accounts/web/login-page.tsx')).LoginPage),
  },
  {
    path: 'register',
    Component: definePage(async () => (await import('#shop/accounts/web/register-page.tsx')).RegisterPage),
  },
  {
    element: <Layout hasFooter={false} />,
    children: [
      {
        path: 'dashboard',
        Component: definePage(async () => (await import('./dashboard-layout.tsx')).DashboardLayout),
        children: [
          ...userPages,
          {
            // The pages for admins alone.
            Component: definePage(
              async () => (await import('#shop/accounts/web/require-role.tsx')).AdminPages,
            ),
            children: adminPages,
          },
        ],
      },
    ],
  },
])
