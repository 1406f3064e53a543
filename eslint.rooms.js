/**
 * Who may import whom. The domains are in order, and each imports only from those before it. An import that is
 * refused here shows that the code is in the wrong room.
 */
const domains = ['accounts', 'uploads', 'catalogue', 'orders', 'cart', 'reviews', 'stats']

/** Files directly in a domain's folder: its contract, and the lists that the page needs without a library. */
const filesDirectlyIn = (names) => names.map((name) => `${name}/[\\w-]+\\.ts$`)
const earlier = (domain) => domains.slice(0, domains.indexOf(domain))

function room(files, allowed, message, forbidden = []) {
  const outside = [`^#shop/(?!${allowed.join('|')})`, '^\\.\\./', ...forbidden]
  const patterns = outside.map((regex) => ({ regex, message }))
  return { files, ignores: ['**/*.test.ts'], rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

const server = [
  'contract/',
  'platform/',
  ...filesDirectlyIn(domains),
  ...domains.map((name) => `${name}/server/`),
]
const noServerLibraries = ['^(fastify|pg|drizzle-orm|stripe|sharp|zod|@fastify|node:)']
const noPractice = ['^#practice']

export const roomRules = [
  room(['src/contract/**'], ['contract/'], 'contract/ knows only itself and zod.', noPractice),
  room(['src/platform/**'], ['contract/', 'platform/'], 'platform/ knows no domain.', noPractice),
  ...domains.flatMap((domain) => [
    room(
      [`src/${domain}/*.ts`],
      ['contract/', ...filesDirectlyIn([domain, ...earlier(domain)])],
      'A contract knows contract/ and earlier contracts.',
      noPractice,
    ),
    room(
      [`src/${domain}/server/**`],
      [
        'contract/',
        'platform/',
        ...filesDirectlyIn([domain, ...earlier(domain)]),
        `${domain}/server/`,
        ...earlier(domain).map((name) => `${name}/server/(tables|store|session)\\.ts$`),
      ],
      'A server folder knows itself, contract/, platform/, and of earlier domains contract, tables, store, session.',
      noPractice,
    ),
    room(
      [`src/${domain}/web/**`],
      [
        'contract/[\\w-]+\\.ts$',
        'web/(api|paths|ui/)',
        ...filesDirectlyIn(domains),
        `${domain}/web/`,
        ...earlier(domain).map((name) => `${name}/web/`),
      ],
      'A web folder knows itself, contracts, web/api, web/paths, web/ui/ and earlier domains’ web folders.',
      [...noServerLibraries, ...noPractice],
    ),
  ]),
  room(['src/web/ui/**'], ['contract/', 'web/ui/'], 'web/ui/ knows no shop.', [
    ...noServerLibraries,
    ...noPractice,
  ]),
  room(
    ['src/web/*.{ts,tsx}', 'src/web/pages/**'],
    ['contract/', 'web/', ...filesDirectlyIn(domains), ...domains.map((name) => `${name}/web/`)],
    'The frame knows any web folder and any contract, and no server.',
    [...noServerLibraries, ...noPractice],
  ),
  room(
    ['src/*.ts'],
    ['(app|demo)\\.ts$', 'web/paths\\.ts$', ...server],
    'The programs know the server, and nothing that tests it.',
    ['^\\./.+/', ...noPractice],
  ),
  room(
    ['src/{testing,faults,fuzz,safety}/**'],
    ['app\\.ts$', '(testing|faults|fuzz|safety)/', ...server],
    'What tests the shop knows its server, and no page.',
  ),
  {
    // Tests beside their code may import anything, but not by a path that begins with `../`.
    files: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': ['error', { patterns: [{ regex: '^\\.\\./', message: 'Use #shop/…' }] }],
    },
  },
]
