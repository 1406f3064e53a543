import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The rules that axe-core checks, and those for colors alone, for when only the color scheme has changed. */
const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const colours = ['color-contrast', 'link-in-text-block']

/**
 * Fails on whatever axe-core finds in the page as it is now, and on fields that a phone would zoom into at the
 * first touch.
 */
export async function checkAccessibility(page: Page, where: string): Promise<void> {
  assert.deepEqual(await violations(page, allRules), [], where)
  const isPhone = (page.viewportSize()?.width ?? 0) < 640
  if (isPhone) assert.deepEqual(await fieldsTooSmallForPhones(page), [], where)
}

/** Checks the page as it is now in the dark color scheme. */
export async function checkInTheDark(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await violations(page, colours), [], `${where} in the dark`)
  await page.emulateMedia({ colorScheme: null })
}

async function violations(page: Page, runOnly: string[]): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in globalThis)
  if (!isThere) await page.evaluate(axe.source)
  return page.evaluate(async (only) => {
    // The cast holds: axe has just been put there.
    const { axe: found } = globalThis as unknown as { axe: typeof axe }
    const result = await found.run(document, { runOnly: only, resultTypes: ['violations'] })
    return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  }, runOnly)
}

/** iOS zooms into a field whose text is smaller than 16 px. */
function fieldsTooSmallForPhones(page: Page): Promise<string[]> {
  return page.locator('input:not([type=radio], [type=file]), select, textarea').evaluateAll((fields) => {
    const small = fields.filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16)
    return small.map(({ outerHTML }) => outerHTML)
  })
}
