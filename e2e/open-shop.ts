import { after } from 'node:test'
import type { Browser } from 'playwright-core'
import { until } from '#shop/testing/until.ts'
import { openBrowser } from './browser.ts'
import { startShop, type ShopProcess } from './shop-process.ts'

/** A shop and a browser for the tests of one file; both are closed after the last of them. */
export async function openShop(
  environment: Record<string, string> = { RATE_LIMITS: 'off' },
  options: string[] = [],
): Promise<{ shop: ShopProcess; browser: Browser }> {
  const shop = await startShop(environment, options)
  const opening = openBrowser()
  after(async () => {
    // If no browser could be opened, the shop must not keep the tests waiting.
    await opening.then(
      (browser) => browser.close(),
      () => undefined,
    )
    await shop.close()
  })
  const browser = await opening
  // On a busy machine, the server may be too late with the first pages and leave them to the browser.
  for (const path of ['/', '/shop']) await until(() => isRendered(shop.url + path))
  return { shop, browser }
}

/** Whether the server sends the page already rendered. */
export async function isRendered(address: string): Promise<boolean> {
  return (await (await fetch(address)).text()).includes('id="sent"')
}
