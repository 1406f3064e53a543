import { configureStore } from '@reduxjs/toolkit'
import { endedSession } from '#shop/accounts/web/keep-session.ts'
import { sessionReducer } from '#shop/accounts/web/session.ts'
import { cartReducer } from '#shop/cart/web/cart.ts'
import { api } from './api.ts'

export function makeStore() {
  return configureStore({
    reducer: { [api.reducerPath]: api.reducer, cart: cartReducer, session: sessionReducer },
    middleware: (standard) => standard().concat(api.middleware, endedSession),
  })
}

export type ShopStore = ReturnType<typeof makeStore>
export type RootState = ReturnType<ShopStore['getState']>
