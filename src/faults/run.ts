import { execFile } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { buildWeb } from '#shop/platform/web/web-build.ts'
import { randomFrom } from '#shop/testing/random.ts'
import { Chronicle, type Violation } from './chronicle.ts'
import { newCustomer, type Customer } from './customer.ts'
import { onlyRestarts, startKiller, type Kinds } from './killer.ts'
import { playCustomer } from './play-customer.ts'
import { project, type Change } from './program.ts'
import { checkUniqueConstraints, checkTotals, countUnsettled, judge, readBooks } from './verdict.ts'
import { openWorld, waitUntil, type World } from './world.ts'

type FaultOptions = {
  seed: string
  checkouts: number
  kills: number
  /** After this time no new customers come and nothing more is killed; 0 sets no limit. */
  minutes: number
  customersAtOnce: number
  faultRate: number
  database: 'embedded' | 'server'
  /** Made in a copy of the program before it is run; see planted.ts. */
  changes?: Change[]
  kinds?: Kinds | undefined
  /** Ends the run at the first violation. */
  stopsAtFirst?: boolean
  log(line: string): void
}

export type FaultReport = {
  customers: number
  sessions: number
  paid: number
  orders: number
  kills: number
  killsByKind: Record<string, number>
  /** How many responses were 503. */
  refused: number
  /** How many blocks the database had not synced, over all power cuts. */
  unsyncedBlocks: number
  starts: number
  seconds: number
  violations: (Violation & { story: string[] })[]
}

const quietWithinMs = 60_000

/** Sends many customers through many faults. Afterwards, when all is quiet, paid must mean exactly one order. */
export async function runFaults(options: FaultOptions): Promise<FaultReport> {
  // Built first, so that the shops do not all start to build it.
  await buildWeb(options.log)
  const startedAt = performance.now()
  const chronicle = new Chronicle((what) => options.log(`VIOLATION ${what}`))
  const random = randomFrom(options.seed)
  const world = await openWorld({ changes: [], ...options, random, chronicle })
  world.isOver = () => options.stopsAtFirst === true && chronicle.violations.length > 0
  try {
    if (options.kinds === onlyRestarts)
      world.isEveryAnswerRequired = await waitUntil(() => world.shops[1].isHealthy())
    options.log(`Open after ${elapsed(startedAt)}.`)
    if (!world.unsynced) options.log('No power cuts: they need Linux and a C compiler (cc).')
    const endsAt = options.minutes ? performance.now() + options.minutes * 60_000 : Infinity
    const killer = startKiller(world, { most: options.kills, endsAt, kinds: options.kinds })
    const customers = await sendCustomers(world, { ...options, endsAt }, () => killer.kills).finally(() =>
      killer.stop(),
    )
    options.log(
      `${customers.length} customers and ${killer.kills} kills after ${elapsed(startedAt)}; waiting for quiet.`,
    )
    const books = world.isOver() ? undefined : await waitForQuiet(world)
    if (books) {
      judge(world, customers, books)
      await checkTotals(world)
      await checkUniqueConstraints(world)
      await checkReconciled(world)
    }
    return {
      customers: customers.length,
      sessions: books?.sessions.length ?? 0,
      paid: books?.sessions.filter(({ payment_status }) => payment_status === 'paid').length ?? 0,
      orders: books?.orders.length ?? 0,
      kills: killer.kills,
      killsByKind: killer.byKind,
      refused: world.refused,
      unsyncedBlocks: world.unsynced?.blocks ?? 0,
      starts: world.shops[0].starts + world.shops[1].starts,
      seconds: Math.round((performance.now() - startedAt) / 1000),
      // The shortest story first.
      violations: chronicle.violations
        .map((each) => ({ ...each, story: chronicle.story(each.customer) }))
        .sort(
          (a, b) =>
            Number(a.customer === undefined) - Number(b.customer === undefined) ||
            a.story.length - b.story.length,
        ),
    }
  } catch (error) {
    // An earlier violation may explain the error.
    world.isOver = () => true
    chronicle.addViolation(`The run came to its end early: ${String(error)}`)
    for (const { what, customer } of chronicle.violations)
      options.log([what, ...chronicle.story(customer)].join('\n'))
    throw error
  } finally {
    await world.close()
  }
}

const elapsed = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Runs this many customers at once until there were enough of them and of kills, or the time is over. */
async function sendCustomers(
  world: World,
  options: FaultOptions & { endsAt: number },
  kills: () => number,
): Promise<Customer[]> {
  const all: Customer[] = []
  const isEnough = () =>
    world.isOver() ||
    performance.now() > options.endsAt ||
    (all.length >= options.checkouts && kills() >= options.kills)
  let loggedAt = performance.now()
  const nextOf = customersInBlocks(world)
  const one = async () => {
    while (!isEnough()) {
      const customer = await nextOf()
      all.push(customer)
      await playCustomer(world, customer, world.random.stream(`customer ${customer.number}`))
      world.finishedCustomers += 1
      if (performance.now() - loggedAt < 60_000) continue
      loggedAt = performance.now()
      options.log(
        `${all.length} customers, ${kills()} kills, ${world.chronicle.violations.length} violations`,
      )
    }
  }
  await Promise.all(Array.from({ length: options.customersAtOnce }, one))
  return all
}

/** Creates customers in blocks. Each has products of their own, so that what happens to a cart is one story. */
function customersInBlocks(world: World): () => Promise<Customer> {
  let waiting: Promise<Customer[]> = Promise.resolve([])
  let next = 0
  const block = async () => {
    const customers = Array.from({ length: 100 }, () =>
      newCustomer(next, world.random.stream(`plan ${next++}`)),
    )
    await insertProducts(
      world,
      customers.flatMap(({ products }) => products),
    )
    return customers
  }
  return async () => {
    for (;;) {
      const current = waiting
      const customer = (await current).shift()
      if (customer) return customer
      // Only the first to find it empty fetches more.
      if (waiting === current) waiting = block()
    }
  }
}

async function insertProducts(world: World, products: Customer['products']): Promise<void> {
  await world.query(
    `insert into products (id, name, category, description, color, price_cents)
      select id, name, 'casual dress', 'A thing.', 'blue', cents
      from unnest($1::text[], $2::text[], $3::int[]) as row(id, name, cents) on conflict do nothing`,
    [
      products.map(({ id }) => id),
      products.map(({ name }) => name),
      products.map(({ currentCents }) => currentCents),
    ],
  )
}

/** Ends all faults. The sweep at the start of a shop must then settle what has lost all its events. */
async function waitForQuiet(world: World): Promise<Awaited<ReturnType<typeof readBooks>>> {
  const { providerProxy, webhookProxy, shops, chronicle } = world
  Object.assign(providerProxy, { isCalm: true, isDown: false })
  webhookProxy.isCalm = true
  await waitUntil(async () => (await shops[0].isHealthy()) && (await shops[1].isHealthy()))
  chronicle.note('the last start, with a sweep')
  // The sweep leaves very new checkouts alone, so these are made older.
  await world.query(
    `update checkouts set created_at = created_at - interval '1 minute' where state in ('creating', 'open')`,
  )
  shops[0].kill()
  await wait(300)
  await waitUntil(() => shops[0].isHealthy())
  const giveUpAt = performance.now() + quietWithinMs
  for (;;) {
    const books = await readBooks(world)
    if (countUnsettled(world, books) === 0 || performance.now() > giveUpAt) return books
    await wait(1000)
  }
}

/** The shop's own program must agree. The only differences left may be those of a lying provider. */
async function checkReconciled(world: World): Promise<void> {
  const environment = { ...process.env, ...world.environment }
  const { code, text } = await new Promise<{ code: number; text: string }>((done) => {
    execFile(
      process.execPath,
      ['src/reconcile.ts'],
      { cwd: project, env: environment, maxBuffer: 1e8 },
      (error, stdout, stderr) =>
        done({ code: error ? Number(error.code ?? 1) : 0, text: `${stdout}${stderr}` }),
    )
  })
  world.chronicle.note(`reconcile ends with ${code}: ${text.slice(0, 300)}`)
  const named = [...text.matchAll(/^\S.*?(cs_\w+)/gm)].map(([, sessionId = '']) =>
    world.providerProxy.customerOf(sessionId),
  )
  const isExpected = named.every(
    (whose) => whose !== undefined && world.providerProxy.wrongTotalsFor.has(whose),
  )
  if (code !== (named.length ? 1 : 0) || !isExpected)
    world.chronicle.addViolation(`reconcile ends with ${code}: ${text.slice(0, 2000)}`)
}
