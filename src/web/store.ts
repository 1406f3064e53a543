import { configureStore } from '@reduxjs/toolkit'
import { endedSession } from '#shop/accounts/web/keep-session.ts'
import { sessionReducer } from '#shop/accounts/web/session.ts'
import { cartReducer } from '#shop/cart/web/cart.ts'
import { api, type InProcessBaseQuery } from './api.ts'

type StoreOptions = {
  /** The queries that the server has made already. */
  sent?: SentState
  /** How the server calls its own API; the browser uses the network. */
  baseQuery?: InProcessBaseQuery
}

export function makeStore({ sent, baseQuery }: StoreOptions = {}) {
  return configureStore({
    reducer: { [api.reducerPath]: api.reducer, cart: cartReducer, session: sessionReducer },
    // The other reducers begin with their initial state.
    preloadedState: sent as { api: ReturnType<typeof api.reducer> } | undefined,
    middleware: (standard) =>
      standard({ thunk: { extraArgument: baseQuery } }).concat(api.middleware, endedSession),
  })
}

/** The state that travels from the server's store to the browser's. */
export type SentState = { api: Pick<ReturnType<typeof api.reducer>, 'queries' | 'provided'> }

export type ShopStore = ReturnType<typeof makeStore>
export type RootState = ReturnType<ShopStore['getState']>
