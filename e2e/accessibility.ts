import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Fails with whatever axe-core finds in the state in which the page is now, and with fields that a phone would zoom
 * into at the first touch.
 */
export async function check(page: Page, where: string): Promise<void> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    // axe was just put there.
    const { axe: found } = globalThis as unknown as { axe: typeof axe }
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    const result = await found.run(document, { runOnly: tags })
    return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
  })
  assert.deepEqual(violations, [], where)
  const isPhone = (page.viewportSize()?.width ?? 0) < 640
  if (isPhone) assert.deepEqual(await tooSmall(page), [], where)
}

/** The letters of iOS that make it zoom are those below 16 px. */
function tooSmall(page: Page): Promise<string[]> {
  return page.locator('input:not([type=radio], [type=file]), select, textarea').evaluateAll((fields) => {
    const small = fields.filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16)
    return small.map(({ outerHTML }) => outerHTML)
  })
}
