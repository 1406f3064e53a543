import { setTimeout as wait } from 'node:timers/promises'
import { cutPower } from './power.ts'
import { findDatabaseProcesses, killProcess } from './shops.ts'
import { waitUntil, type World } from './world.ts'

/** A shop needs a second or more of work to start, a database a fraction: most kills hit a database. */
const usualKinds = {
  'shop 1': 12,
  'shop 2': 4,
  'both shops': 2,
  database: 30,
  connection: 30,
  guardian: 8,
  'shop and database': 8,
  everything: 3,
  'power cut': 10,
}

/** How often each thing is killed, as weights. */
export type Kinds = Partial<Record<keyof typeof usualKinds | 'fast shutdown' | 'immediate shutdown', number>>
export const onlyPowerCuts: Kinds = { 'power cut': 1 }
/** What happens to a server that its operator restarts; the shops must survive all of it. */
export const onlyRestarts: Kinds = { 'fast shutdown': 3, 'immediate shutdown': 3, database: 1, connection: 3 }

/** How many customers must finish between two kills. */
const customersBetweenKills = 2

type Killer = { kills: number; byKind: Record<string, number>; stop(): Promise<void> }

/** Kills one thing after another, each when a crowd of customers is in the middle of something. */
export function startKiller(
  world: World,
  options: { most: number; endsAt: number; kinds: Kinds | undefined },
): Killer {
  const { chronicle, gate, shops } = world
  const random = world.random.stream('killer')
  const killer: Killer = {
    kills: 0,
    byKind: {},
    async stop() {
      isStopped = true
      await running
    },
  }
  let isStopped = false

  const killOne = async () => {
    const kind = random.weighted<keyof Kinds>(options.kinds ?? usualKinds)
    const { server, backends, guardian } = await findDatabaseProcesses(world.databaseDir)
    gate.open()
    await wait(random.int(0, 90))
    const hit = await {
      'shop 1': () => shops[0].kill(),
      'shop 2': () => shops[1].kill(),
      'both shops': () => [shops[0].kill(), shops[1].kill()].some(Boolean),
      database: () => killProcess(server),
      'fast shutdown': () => killProcess(server, 'SIGINT'),
      'immediate shutdown': () => killProcess(server, 'SIGQUIT'),
      connection: () => killProcess(backends.length ? random.pick(backends) : undefined),
      guardian: () => killProcess(guardian),
      'shop and database': () => [shops[0].kill(), killProcess(server)].some(Boolean),
      everything: () =>
        [shops[0].kill(), shops[1].kill(), killProcess(guardian), killProcess(server)].some(Boolean),
      'power cut': () => cutPower(world, random),
    }[kind]()
    if (!hit) return
    killer.kills += 1
    killer.byKind[kind] = (killer.byKind[kind] ?? 0) + 1
    chronicle.kills += 1
    chronicle.note(kind.endsWith('shutdown') ? kind : `kill -9: ${kind}`)
  }
  const isAnyHealthy = async () => (await shops[0].isHealthy()) || shops[1].isHealthy()
  const run = async () => {
    while (
      !isStopped &&
      !world.isOver() &&
      killer.kills < options.most &&
      performance.now() < options.endsAt
    ) {
      // Sometimes it kills again before a shop has come back.
      if (!random.chance(0.15))
        await waitUntil(async () => isStopped || world.isOver() || (await isAnyHealthy()), 30_000)
      // On a busy machine a kill might follow the last one before anything was done, and would hit nothing new.
      const served = world.finishedCustomers
      await waitUntil(
        () => isStopped || world.isOver() || world.finishedCustomers >= served + customersBetweenKills,
        60_000,
      )
      gate.isShut = true
      await waitUntil(() => gate.crowd >= random.int(4, 10) || isStopped, random.int(100, 600))
      if (random.chance(0.15)) await cutOffProvider(world, random.int(300, 3000))
      await killOne()
      gate.isShut = false
      gate.open()
    }
  }
  const running = run()
  return killer
}

async function cutOffProvider({ providerProxy, chronicle }: World, forMs: number): Promise<void> {
  chronicle.note(`the provider can not be reached for ${forMs} ms`)
  providerProxy.isDown = true
  setTimeout(() => (providerProxy.isDown = false), forMs)
}
