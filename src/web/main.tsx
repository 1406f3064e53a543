import './theme.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Provider } from 'react-redux'
import { BrowserRouter } from 'react-router'
import { keepSession } from '#shop/accounts/web/keep-session.ts'
import { keepCart } from '#shop/cart/web/keep-cart.ts'
import { RootFrame } from './root-frame.tsx'
import { makeStore } from './store.ts'

const store = makeStore()
keepSession(store)
keepCart(store)

// The pages bring their own title; the first one in the document would win.
document.querySelector('title')?.remove()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <Provider store={store}>
      <BrowserRouter>
        <RootFrame />
      </BrowserRouter>
    </Provider>
  </StrictMode>,
)

// Not part of the first load: it comes when somebody begins to point at things.
addEventListener(
  'pointerover',
  (event) => void import('./read-ahead.ts').then(({ readAhead }) => readAhead(store, event)),
  { once: true },
)
