import { StrictMode, type ReactNode } from 'react'
import { Provider } from 'react-redux'
import { RootFrame } from './root-frame.tsx'
import type { RootState, ShopStore } from './store.ts'

type AppProps = {
  store: ShopStore
  /** The state that the server rendered with, if it did: it is used for hydration. */
  asSent?: RootState
  router: (props: { children: ReactNode }) => ReactNode
}

/** The whole page; the server and the browser differ in their router. */
export function App({ store, asSent, router: Router }: AppProps) {
  const app = (
    <Provider store={store} serverState={asSent}>
      <Router>
        <RootFrame />
      </Router>
    </Provider>
  )
  // It finds mistakes during development, and would only be weight in production.
  return import.meta.env.DEV ? <StrictMode>{app}</StrictMode> : app
}
