import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '#shop/testing/random.ts'
import { findDatabaseProcesses, findProcessesIn, killProcess } from './shops.ts'
import type { World } from './world.ts'

/**
 * Turns the machine of the first shop and of the database off and on again: their processes end at once, and what
 * the database had written but not synced is lost.
 */
export async function cutPower(world: World, random: Random): Promise<boolean> {
  const { unsynced, power, shops, databaseDir, chronicle } = world
  if (!unsynced) return false
  power.isOff = true
  const clusterDir = join(databaseDir, 'postgres')
  for (;;) {
    const isShopThere = shops[0].kill()
    const left = await findProcessesIn(clusterDir)
    const { guardian } = await findDatabaseProcesses(databaseDir)
    for (const pid of [...left, guardian]) killProcess(pid)
    if (!isShopThere && left.length === 0 && guardian === undefined) break
    await wait(5)
  }
  chronicle.note(`the power is cut: ${await unsynced.lose(random)}`)
  power.isOff = false
  return true
}
