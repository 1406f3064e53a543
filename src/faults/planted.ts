import { onlyPowerCuts, type Kinds } from './killer.ts'
import type { Change } from './program.ts'

/** A defect that shops have had, planted in a copy of this one: the harness must find it. */
type PlantedBug = { what: string; changes: Change[]; kinds?: Kinds }

const serverFile = (name: string) => `src/orders/server/${name}.ts`

const withoutUniqueColumns = ['payment_id', 'session_id', 'checkout_id'].map((column) => ({
  file: 'migrations/0000_start.sql',
  from: `CONSTRAINT "orders_${column}_unique" UNIQUE("${column}")`,
  // As many unique indexes as before: the shop does not start when one is missing.
  to: `CONSTRAINT "orders_${column}_unique" UNIQUE("${column}", "id")`,
}))

/** `npm run faults -- --planted <name>`, or `all` of them, one after the other. */
export const plantedBugs: Record<string, PlantedBug> = {
  'settle-before-commit': {
    what: 'The order is reported as made before its transaction is committed.',
    changes: [
      {
        file: serverFile('settle'),
        from: 'const making = transaction(parts.db, async (tx) => {',
        to: `const early = Promise.withResolvers<Awaited<ReturnType<typeof findOrderOfSession>>>()
  transaction(parts.db, async (tx) => {`,
      },
      {
        file: serverFile('settle'),
        from: `    return found
  })`,
        to: `    early.resolve(found)
    return found
  }).catch(early.reject)
  const making = early.promise`,
      },
    ],
  },
  'no-unique-columns': {
    what: 'The database lets two orders have the same session, payment or checkout.',
    changes: withoutUniqueColumns,
  },
  'no-lock': {
    what: 'Settling looks for an order without locking the checkout, and no unique column stops a second order.',
    changes: [
      ...withoutUniqueColumns,
      {
        file: serverFile('checkouts'),
        from: ".where(isThis).for('update')",
        to: '.where(isThis)',
      },
    ],
  },
  'signal-answered-200-on-failure': {
    what: 'A signal that could not be settled is answered with 200, so that the provider does not send it again.',
    changes: [
      {
        file: serverFile('webhook'),
        from: "if (signal?.kind === 'session') await settleSession(parts, signal.sessionId)",
        to: "if (signal?.kind === 'session') await settleSession(parts, signal.sessionId).catch(() => undefined)",
      },
    ],
  },
  'believed-price': {
    what: 'The shop charges the price that the browser sends.',
    changes: [
      {
        file: serverFile('open-checkout'),
        from: 'const isAsSeen = prices.every((price) => price === dollarsFromCents(product.priceCents))',
        to: `if (prices[0] !== undefined) product.priceCents = Math.round(prices[0] * 100)
    const isAsSeen = true`,
      },
    ],
  },
  'no-sweep': {
    what: 'No sweep settles payments whose signals were lost.',
    changes: [
      {
        file: 'src/main.ts',
        from: 'const sweep = startSweep({ db: database.db, provider, log })',
        to: 'const sweep = { stop: async () => {} } satisfies ReturnType<typeof startSweep>',
      },
    ],
  },
  'refund-ignored': {
    what: 'A refund at the provider is not recorded in the order.',
    changes: [
      {
        file: serverFile('settle'),
        from: 'if (order.refundedCents !== session.refundedCents) await followRefund(parts, session.id)',
        to: 'void followRefund',
      },
    ],
  },
  'refund-signal-ignored': {
    what: 'The signal of a refund is accepted and dropped, and the sweep does not look for refunds.',
    changes: [
      {
        file: serverFile('webhook'),
        from: "if (signal?.kind === 'payment') await settlePayment(parts, signal.paymentId)",
        to: 'void settlePayment',
      },
      {
        file: serverFile('sweep'),
        from: 'const refunds = isThorough && takeOverRefunds(work, daysAgo(refundDays))',
        to: 'const refunds = [takeOverRefunds, refundDays].length > 0',
      },
    ],
  },
  'amount-not-compared': {
    what: 'An order is made whatever amount was paid.',
    changes: [
      {
        file: serverFile('assess-session'),
        from: "{ reason: 'amount', recorded: `${checkout.amountCents}`, reported: `${session.amountCents}` },",
        to: '',
      },
    ],
  },
  'random-idempotency-key': {
    what: 'A repeated request to the provider opens a second session.',
    changes: [
      {
        file: serverFile('stripe'),
        from: 'idempotencyKey: request.checkoutId,',
        to: 'idempotencyKey: `${request.checkoutId} ${Math.random()}`,',
      },
    ],
  },
  'no-fsync': {
    what: 'The database does not wait for the disk.',
    changes: [
      { file: 'src/platform/postgres/postgres-server.ts', from: "fsync: 'on',", to: "fsync: 'off'," },
    ],
    kinds: onlyPowerCuts,
  },
  'commit-not-synced': {
    what: 'A transaction is reported as committed before it is on the disk.',
    changes: [
      {
        file: 'src/platform/postgres/postgres-server.ts',
        from: "fsync: 'on',",
        to: "fsync: 'on',\n    synchronous_commit: 'off',",
      },
    ],
    kinds: onlyPowerCuts,
  },
}
