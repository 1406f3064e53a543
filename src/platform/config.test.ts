import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { readConfig, readSettings } from './config.ts'
import { StartError } from './start-error.ts'

test('without settings the shop is a demo on loopback with the practice provider', () => {
  const config = readConfig({})
  assert.deepEqual(
    [
      config.host,
      config.port,
      config.publicUrl,
      config.isDemo,
      config.payments.provider,
      config.hasRateLimits,
    ],
    ['127.0.0.1', 3000, 'http://localhost:3000', true, 'practice', true],
  )
  assert.equal(config.admin?.email, 'admin@haberdash.example')
  assert.deepEqual(readConfig({ PORT: '', DATA_DIR: '' }), config)
})

const s3 = {
  S3_ENDPOINT: 'https://s3.example/',
  S3_BUCKET: 'shop-pictures',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
}

const live = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }

const refused: [why: string, names: string, environment: Record<string, string>][] = [
  ['a port that is not a number', 'PORT', { PORT: 'abc' }],
  ['a port number that is too high', 'PORT', { PORT: '70000' }],
  ['port 0', 'PORT', { PORT: '0' }],
  ['port 0 for the practice provider', 'PRACTICE_PORT', { PRACTICE_PORT: '0' }],
  ['an invalid host address', 'HOST', { HOST: '999.1.1.1', DEMO: '0' }],
  ['a port in the host', 'HOST', { HOST: 'localhost:3000' }],
  ['a number for a host', 'HOST', { HOST: '1', DEMO: '0' }],
  ['a data directory in quotes', 'DATA_DIR', { DATA_DIR: '"/srv/shop"' }],
  ['a data directory with a leading space', 'DATA_DIR', { DATA_DIR: ' /srv/shop' }],
  ['a data directory with a trailing space', 'DATA_DIR', { DATA_DIR: '/srv/shop ' }],
  ['a data directory that starts with ~', 'DATA_DIR', { DATA_DIR: '~/shop' }],
  ['a public URL with a path', 'PUBLIC_URL', { PUBLIC_URL: 'https://shop.example/sub' }],
  ['a public URL with a query', 'PUBLIC_URL', { PUBLIC_URL: 'https://shop.example/?' }],
  ['a public URL with a user name', 'PUBLIC_URL', { PUBLIC_URL: 'https://me@shop.example' }],
  ['the same port twice', 'PRACTICE_PORT', { PORT: '4000', PRACTICE_PORT: '4000' }],
  ['a public URL that is not of the web', 'PUBLIC_URL', { PUBLIC_URL: 'ftp://shop.example' }],
  ['a public URL without a scheme', 'PUBLIC_URL', { PUBLIC_URL: 'shop.example' }],
  ['a database other than PostgreSQL', 'DATABASE_URL', { DATABASE_URL: 'mysql://localhost/x' }],
  ['a demo switch that is neither 0 nor 1', 'DEMO', { DEMO: 'yes' }],
  [
    'an invalid admin e-mail address',
    'ADMIN_EMAIL',
    { ADMIN_EMAIL: 'nobody', ADMIN_PASSWORD: 'long enough' },
  ],
  ['an admin e-mail address that is too long', 'ADMIN_EMAIL', { ADMIN_EMAIL: `${'a'.repeat(65)}@b.example` }],
  ['a short password', 'ADMIN_PASSWORD', { ADMIN_EMAIL: 'a@b.example', ADMIN_PASSWORD: 'short' }],
  [
    'a password that is too long',
    'ADMIN_PASSWORD',
    { ADMIN_EMAIL: 'a@b.example', ADMIN_PASSWORD: 'x'.repeat(257) },
  ],
  ['a password without an admin', 'ADMIN_EMAIL', { ADMIN_PASSWORD: 'long enough', DEMO: '0' }],
  ['an admin without a password', 'ADMIN_PASSWORD', { ADMIN_EMAIL: 'a@b.example', DEMO: '0' }],
  ['a publishable key as the secret key', 'STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: 'pk_test_1' }],
  ['a secret key with a space', 'STRIPE_SECRET_KEY', { ...live, STRIPE_SECRET_KEY: 'sk_live_1 ' }],
  ['a missing webhook secret', 'STRIPE_WEBHOOK_SECRET', { STRIPE_SECRET_KEY: 'sk_test_1' }],
  [
    'a webhook endpoint’s id as the webhook secret',
    'STRIPE_WEBHOOK_SECRET',
    { STRIPE_WEBHOOK_SECRET: 'we_1NxYk2abcdef' },
  ],
  [
    'a secret key as the second webhook secret',
    'STRIPE_WEBHOOK_SECRET',
    { STRIPE_WEBHOOK_SECRET: 'whsec_12345678,rk_live_12345678' },
  ],
  ['an empty second webhook secret', 'STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: 'whsec_12345678,' }],
  ['a path in the API base', 'STRIPE_API_BASE', { STRIPE_API_BASE: 'http://localhost:1/v1' }],
  ['a country that is not a two-letter code', 'SHIP_TO', { SHIP_TO: 'US,Canada' }],
  ['a country code that does not exist', 'SHIP_TO', { SHIP_TO: 'US,QQ' }],
  ['a country that Stripe does not ship to', 'SHIP_TO', { SHIP_TO: 'US,CU' }],
  ['the country code UK instead of GB', 'SHIP_TO', { SHIP_TO: 'UK' }],
  ['a code for part of a country', 'SHIP_TO', { SHIP_TO: 'IC' }],
  ['a trusted proxy that is not an address', 'TRUST_PROXY', { TRUST_PROXY: 'everybody' }],
  ['a trusted range of all addresses', 'TRUST_PROXY', { TRUST_PROXY: '0.0.0.0/0' }],
  ['a trusted range with two lengths', 'TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/8/8' }],
  [
    'an invalid webhook URL of the practice provider',
    'PRACTICE_WEBHOOK_URL',
    { PRACTICE_WEBHOOK_URL: 'localhost' },
  ],
  [
    'a webhook URL of the practice provider that is not of the web',
    'PRACTICE_WEBHOOK_URL',
    { PRACTICE_WEBHOOK_URL: 'ftp://localhost/' },
  ],
  ['a rate limit switch that is neither on nor off', 'RATE_LIMITS', { RATE_LIMITS: 'maybe' }],
  [
    'a host other than loopback without rate limits',
    'RATE_LIMITS',
    { RATE_LIMITS: 'off', HOST: '0.0.0.0', DEMO: '0' },
  ],
  ['a demo on a host other than loopback', 'HOST', { HOST: '0.0.0.0' }],
  ['a storage address without a scheme', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: 's3.example' }],
  ['a storage address that is not of the web', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: 'ftp://s3.example' }],
  ['a storage address with a query', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: 'https://s3.example/?a' }],
  ['a password in the storage address', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: 'https://a:b@s3.example' }],
  ['an invalid storage region', 'S3_REGION', { ...s3, S3_REGION: 'Europe/Berlin' }],
  ['an invalid bucket name', 'S3_BUCKET', { ...s3, S3_BUCKET: 'shop/pictures' }],
  ['an access key with a space', 'S3_ACCESS_KEY_ID', { ...s3, S3_ACCESS_KEY_ID: 'id ' }],
  ['a secret key in two lines', 'S3_SECRET_ACCESS_KEY', { ...s3, S3_SECRET_ACCESS_KEY: 'a\nb' }],
  [
    'a path style switch that is neither 0 nor 1',
    'S3_FORCE_PATH_STYLE',
    { ...s3, S3_FORCE_PATH_STYLE: 'true' },
  ],
  ['a storage without address', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: '' }],
  ['a storage without bucket', 'S3_BUCKET', { ...s3, S3_BUCKET: '' }],
  ['a storage without access key', 'S3_ACCESS_KEY_ID', { ...s3, S3_ACCESS_KEY_ID: '' }],
  ['a storage without secret key', 'S3_SECRET_ACCESS_KEY', { ...s3, S3_SECRET_ACCESS_KEY: '' }],
  ['a storage region without the other storage settings', 'S3_ENDPOINT', { S3_REGION: 'eu-central-1' }],
  ['a misspelt environment', 'NODE_ENV', { NODE_ENV: 'prod' }],
  [
    'a test key together with a live key',
    'STRIPE_PUBLISHABLE_KEY',
    { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_live_1' },
  ],
  [
    'a live key with an unencrypted API base',
    'STRIPE_API_BASE',
    { ...live, STRIPE_API_BASE: 'http://proxy.example' },
  ],
  [
    'a restricted live key with an unencrypted API base',
    'STRIPE_API_BASE',
    { ...live, STRIPE_SECRET_KEY: 'rk_live_1', STRIPE_API_BASE: 'http://proxy.example' },
  ],
  [
    'an unencrypted API base that only begins like a loopback address',
    'STRIPE_API_BASE',
    { ...live, STRIPE_API_BASE: 'http://127.0.0.1.proxy.example' },
  ],
  [
    'an unencrypted API base that only ends like a loopback address',
    'STRIPE_API_BASE',
    { ...live, STRIPE_API_BASE: 'http://not-localhost' },
  ],
  ['production without a payment provider', 'STRIPE_SECRET_KEY', { NODE_ENV: 'production' }],
]
for (const [why, name, environment] of refused) {
  test(`${why} stops the start with one line that names ${name}`, () => {
    assert.throws(
      () => readConfig(environment),
      (error) => error instanceof StartError && error.message.includes(name) && !error.message.includes('\n'),
    )
  })
}

test('HOST accepts IPv4 and IPv6 addresses and names, and normalizes localhost and brackets', () => {
  for (const HOST of ['0.0.0.0', '::', '::1', 'Shop.example', 'shop-1']) {
    assert.equal(readConfig({ HOST, DEMO: '0' }).host, HOST)
  }
  assert.equal(readConfig({ HOST: 'localhost' }).host, '127.0.0.1')
  assert.equal(readConfig({ HOST: '[::1]' }).host, '::1')
})

test('a live key is allowed with an unencrypted API base on loopback', () => {
  for (const STRIPE_API_BASE of ['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1']) {
    assert.equal(readConfig({ ...live, STRIPE_API_BASE }).payments.apiBase, STRIPE_API_BASE)
  }
})

test('a test key is allowed with an unencrypted API base, and real Stripe with the practice provider’s port', () => {
  const { payments, port } = readConfig({
    ...live,
    STRIPE_SECRET_KEY: 'rk_test_1',
    STRIPE_API_BASE: 'http://proxy.example',
    PORT: '3001',
  })
  assert.deepEqual([payments.secretKey, payments.practicePort, port], ['rk_test_1', 3001, 3001])
})

test('the public URL is written as browsers write an origin', () => {
  assert.equal(readConfig({ PUBLIC_URL: 'HTTPS://Shop.example:443' }).publicUrl, 'https://shop.example')
  assert.equal(readConfig({ PORT: '80' }).publicUrl, 'http://localhost')
})

test('a relative DATA_DIR begins at the project’s folder, wherever the shop is started from', (t) => {
  const project = process.cwd()
  t.after(() => process.chdir(project))
  process.chdir(tmpdir())
  assert.equal(readConfig({}).dataDir, resolve(import.meta.dirname, '../../data'))
})

test('blanks and line ends around addresses and secrets are removed', () => {
  const config = readConfig({
    ...live,
    DATABASE_URL: ' postgresql://h/x\n',
    STRIPE_WEBHOOK_SECRET: 'whsec_12345678, whsec_87654321\n',
    TRUST_PROXY: '10.0.0.0/8, ::1\n',
  })
  assert.equal(config.databaseUrl, 'postgresql://h/x')
  assert.deepEqual(config.payments.webhookSecrets, ['whsec_12345678', 'whsec_87654321'])
  assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '::1'])
})

test('the admin’s e-mail address is trimmed and lower-cased', () => {
  const { admin } = readConfig({ ADMIN_EMAIL: ' Owner@Shop.example ', ADMIN_PASSWORD: 'long enough' })
  assert.equal(admin?.email, 'owner@shop.example')
})

test('S3 storage is off unless it is configured, and has defaults for region and path style', () => {
  assert.equal(readConfig({ S3_ENDPOINT: '' }).s3, undefined)
  const { s3: settings } = readConfig(s3)
  assert.deepEqual(settings, {
    endpoint: 'https://s3.example',
    region: 'us-east-1',
    bucket: 'shop-pictures',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    isPathStyle: true,
  })
  const other = readConfig({ ...s3, S3_REGION: 'eu-central-1', S3_FORCE_PATH_STYLE: '0' }).s3
  assert.deepEqual([other?.region, other?.isPathStyle], ['eu-central-1', false])
})

test('production has no demo and no default admin, and PAYMENTS=practice allows the practice provider', () => {
  const config = readConfig({ NODE_ENV: 'production', PAYMENTS: 'practice' })
  assert.deepEqual([config.isDemo, config.admin, config.payments.provider], [false, undefined, 'practice'])
})

test('an sslmode that the driver treats as verify-full, with a warning, is passed on to it as verify-full', () => {
  for (const [query, passed] of [
    ['sslmode=require', 'sslmode=verify-full'],
    ['a=b&sslmode=prefer&c=d', 'a=b&sslmode=verify-full&c=d'],
    ['sslmode=verify-ca&sslrootcert=/a', 'sslmode=verify-full&sslrootcert=/a'],
    ['sslmode=verify-ca&sslmode=require#x', 'sslmode=verify-full&sslmode=verify-full#x'],
    ['sslmode=disable', 'sslmode=disable'],
    ['uselibpqcompat=true&sslmode=require', 'uselibpqcompat=true&sslmode=require'],
  ]) {
    const { databaseUrl } = readSettings({ DATABASE_URL: `postgres://h/x?${query}` })
    assert.equal(databaseUrl, `postgres://h/x?${passed}`)
  }
})

test('readSettings accepts settings that only keep a server from starting, but no malformed value', () => {
  const ofServer = {
    NODE_ENV: 'production',
    HOST: '0.0.0.0',
    RATE_LIMITS: 'off',
    STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
  }
  assert.throws(() => readConfig(ofServer), StartError)
  assert.equal(readSettings({ ...ofServer, DATABASE_URL: 'postgres://h/x' }).databaseUrl, 'postgres://h/x')
  assert.throws(() => readSettings({ ...ofServer, DATABASE_URL: 'h' }), StartError)
})
