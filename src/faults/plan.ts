import type { Random } from '#shop/testing/random.ts'

/** What a customer will do, decided before anything happens: the same seed makes the same customers. */
export type Plan = ReturnType<typeof planFor>

export function planFor(random: Random) {
  const card = random.weighted({ pays: 84, declinedFirst: 6, authorizes: 5, never: 3, expires: 2 })
  return {
    lines: Array.from({ length: random.int(1, 4) }, () => ({
      priceCents: random.int(50, 20_000),
      quantity: random.int(1, 5),
    })),
    isSignedIn: random.chance(0.2),
    isDeletedBeforePaying: random.chance(0.02),
    price: random.weighted({ seen: 86, none: 10, forged: 4 }),
    hasKey: random.chance(0.9),
    clicksTwice: random.chance(0.15),
    changeBefore: random.weighted({ nothing: 86, price: 9, deletion: 5 }),
    changeAfter: random.weighted({ nothing: 88, price: 7, deletion: 5 }),
    card,
    paysTwice: random.chance(0.06),
    confirmsEarly: random.chance(0.1),
    confirms: random.weighted({ never: 22, once: 32, few: 26, burst: 8, whilePaying: 12 }),
    waitsAt: random.weighted({ nothing: 45, opening: 15, paying: 15, confirming: 25 }),
    refund: random.weighted({ nothing: 86, part: 7, all: 4, twice: 3 }),
    orderIsDeleted: random.chance(0.03),
    getsWrongTotal: random.chance(0.015),
  }
}
