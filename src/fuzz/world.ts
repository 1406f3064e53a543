import { sessions } from '#shop/accounts/server/tables.ts'
import { categories, colors } from '#shop/catalogue/choices.ts'
import { hashOf, newId } from '#shop/platform/ids.ts'
import { newPerson, password, type Person } from '#shop/safety/callers.ts'
import { picture } from '#shop/safety/calls.ts'
import { makeOrder, makeProduct, makeUser } from '#shop/testing/factories.ts'
import type { TestApp } from '#shop/testing/test-app.ts'
import type { Known } from './values.ts'

export type Role = 'anonymous' | 'user' | 'other' | 'admin'
export type World = {
  shop: TestApp
  people: Record<Exclude<Role, 'anonymous'>, Person>
  known: Record<string, unknown[]> & Known
}

/** A small shop with three people who stay; everything else may be changed and deleted. */
export async function fillWorld(shop: TestApp): Promise<World> {
  const { db } = shop.database
  const people = {
    user: await newPerson(shop),
    other: await newPerson(shop),
    admin: await newPerson(shop, 'admin'),
  }
  const products = await Promise.all(Array.from({ length: 12 }, () => makeProduct(db)))
  const order = await makeOrder(db, { userId: people.user.user.id })
  const ids = products.map(({ id }) => id)
  const emails = Object.values(people).map(({ user }) => user.email)
  return {
    shop,
    people,
    known: {
      _id: ids,
      productId: ids,
      // Ids of products, orders and users alike: the path says which is meant.
      id: [...ids, order.id, order.paymentId, ...Object.values(people).map(({ user }) => user.id)],
      userId: Object.values(people).map(({ user }) => user.id),
      email: [...emails, 'new@example.com', 'b@example.org'],
      password: [password, 'another-teapot-9'],
      currentPassword: [password, 'another-teapot-9'],
      newPassword: [password, 'another-teapot-9', 'password1'],
      username: ['Ann', '<b>Bob</b>'],
      profileImage: ['https://pictures.example/a.png', '/uploads/a.webp', 'javascript:alert(1)'],
      bio: ['I wear hats.'],
      profession: ['Hatter'],
      name: ['Hat', 'Coat'],
      price: [1, 19.99, 999_999.99, 0.01, 0.001, -1],
      session_id: [`cs_test_${'a'.repeat(58)}`],
      payment_intent: [order.paymentId],
      // The types of the provider's webhook events.
      type: ['checkout.session.completed', 'checkout.session.expired', 'charge.refunded', 'customer.created'],
      returnTo: ['/shop', '//evil.example', 'https://evil.example'],
      'idempotency-key': ['a-key-of-mine', 'another-key'],
      'if-match': ['*', `"${order.updatedAt.toISOString()}"`],
      category: [...categories, 'jewellery', 'all', 'hats'],
      color: [...colors, 'all'],
      // Products have the address of a picture, uploads the picture itself.
      image: [
        picture,
        'https://pictures.example/a.png',
        '/uploads/a.webp',
        'data:image/png;base64,iVBORw0KGgo=',
        'data:text/html;base64,PGI+',
        null,
      ],
      views: ['https://pictures.example/b.png'],
    },
  }
}

/** Restores the session after a logout or a password change, with the same token, so that the lane can keep it. */
export async function signInAgain({ shop }: World, { user, token }: Person): Promise<void> {
  await shop.database.db
    .insert(sessions)
    .values({ tokenHash: hashOf(token), userId: user.id })
    .onConflictDoNothing()
}

/** Keeps the first values and, of the later ones, the newest: these are the most interesting. */
export function keep(list: unknown[] | undefined, value: unknown): void {
  if (!list || value === undefined) return
  list.push(value)
  if (list.length > 40) list.splice(20, 10)
}

/** A new user, for the calls that change or delete other users. */
export async function newVictim({ shop, known }: World): Promise<string> {
  const { user } = await makeUser(shop.database.db, { username: `Victim ${newId()}` })
  keep(known.email, user.email)
  return user.id
}
