import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** Fails with whatever axe-core finds in the state in which the page is now. */
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
}
