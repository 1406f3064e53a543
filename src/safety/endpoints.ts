import * as accounts from '#shop/accounts/contract.ts'
import * as catalogue from '#shop/catalogue/contract.ts'
import type { Endpoint } from '#shop/contract/endpoint.ts'
import * as orders from '#shop/orders/contract.ts'
import * as reviews from '#shop/reviews/contract.ts'
import * as stats from '#shop/stats/contract.ts'
import * as uploads from '#shop/uploads/contract.ts'

/** Every endpoint of every contract. */
export const endpoints = [accounts, catalogue, orders, reviews, stats, uploads]
  .flatMap((contract): unknown[] => Object.values(contract))
  .filter((value): value is Endpoint => value instanceof Object && 'access' in value && 'path' in value)
