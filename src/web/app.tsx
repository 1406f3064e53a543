import { StrictMode, type ReactNode } from 'react'
import { Provider } from 'react-redux'
import { RootFrame } from './root-frame.tsx'
import type { RootState, ShopStore } from './store.ts'

type AppProps = {
  store: ShopStore
  /** The state that the server rendered, when it did: what is shown until the page has come to life. */
  asSent?: RootState
  router: (props: { children: ReactNode }) => ReactNode
}

/** All of the page; the server and the browser differ in how they know the address. */
export function App({ store, asSent, router: Router }: AppProps) {
  const app = (
    <Provider store={store} serverState={asSent}>
      <Router>
        <RootFrame />
      </Router>
    </Provider>
  )
  // It finds mistakes while somebody works on the page, and is only weight after that.
  return import.meta.env.DEV ? <StrictMode>{app}</StrictMode> : app
}
