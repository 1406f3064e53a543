import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { startShop, type ShopProcess } from './shop-process.ts'

/** A shop and a browser for the tests of one file; both are closed after the last of them. */
export async function openShop(
  environment: Record<string, string> = { RATE_LIMITS: 'off' },
  options: string[] = [],
): Promise<{ shop: ShopProcess; browser: Browser }> {
  const shop = await startShop(environment, options)
  let browser: Browser | undefined
  after(async () => {
    await browser?.close()
    await shop.close()
  })
  browser = await openBrowser()
  return { shop, browser }
}
