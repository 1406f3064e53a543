import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig, readSettings } from './config.ts'
import { StartError } from './start-error.ts'

test('nothing set is a demo on loopback with the practice provider', () => {
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

const refused: [why: string, names: string, environment: Record<string, string>][] = [
  ['no number', 'PORT', { PORT: 'abc' }],
  ['no port', 'PORT', { PORT: '70000' }],
  ['any port', 'PORT', { PORT: '0' }],
  ['any port for payments', 'PRACTICE_PORT', { PRACTICE_PORT: '0' }],
  ['no address to listen on', 'HOST', { HOST: '999.1.1.1', DEMO: '0' }],
  ['a port in the host', 'HOST', { HOST: 'localhost:3000' }],
  ['a number for a host', 'HOST', { HOST: '1', DEMO: '0' }],
  ['quotes', 'DATA_DIR', { DATA_DIR: '"/srv/shop"' }],
  ['a blank', 'DATA_DIR', { DATA_DIR: ' /srv/shop' }],
  ['somebody’s home', 'DATA_DIR', { DATA_DIR: '~/shop' }],
  ['a path', 'PUBLIC_URL', { PUBLIC_URL: 'https://shop.example/sub' }],
  ['a question', 'PUBLIC_URL', { PUBLIC_URL: 'https://shop.example/?' }],
  ['somebody’s name', 'PUBLIC_URL', { PUBLIC_URL: 'https://me@shop.example' }],
  ['the same port twice', 'PRACTICE_PORT', { PORT: '4000', PRACTICE_PORT: '4000' }],
  ['no address', 'PUBLIC_URL', { PUBLIC_URL: 'shop.example' }],
  ['another database', 'DATABASE_URL', { DATABASE_URL: 'mysql://localhost/x' }],
  ['no switch', 'DEMO', { DEMO: 'yes' }],
  ['no e-mail', 'ADMIN_EMAIL', { ADMIN_EMAIL: 'nobody', ADMIN_PASSWORD: 'long enough' }],
  ['an e-mail that nobody could log in with', 'ADMIN_EMAIL', { ADMIN_EMAIL: `${'a'.repeat(65)}@b.example` }],
  ['a short password', 'ADMIN_PASSWORD', { ADMIN_EMAIL: 'a@b.example', ADMIN_PASSWORD: 'short' }],
  [
    'a password longer than any',
    'ADMIN_PASSWORD',
    { ADMIN_EMAIL: 'a@b.example', ADMIN_PASSWORD: 'x'.repeat(257) },
  ],
  ['a password without an admin', 'ADMIN_EMAIL', { ADMIN_PASSWORD: 'long enough', DEMO: '0' }],
  ['an admin without a password', 'ADMIN_PASSWORD', { ADMIN_EMAIL: 'a@b.example', DEMO: '0' }],
  ['no secret key', 'STRIPE_SECRET_KEY', { STRIPE_SECRET_KEY: 'pk_test_1' }],
  ['no webhook secret', 'STRIPE_WEBHOOK_SECRET', { STRIPE_SECRET_KEY: 'sk_test_1' }],
  ['the name of an endpoint', 'STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: 'we_1NxYk2abcdef' }],
  ['a path in the API base', 'STRIPE_API_BASE', { STRIPE_API_BASE: 'http://localhost:1/v1' }],
  ['no country', 'SHIP_TO', { SHIP_TO: 'US,Canada' }],
  ['a country that there is not', 'SHIP_TO', { SHIP_TO: 'US,QQ' }],
  ['a country that Stripe does not ship to', 'SHIP_TO', { SHIP_TO: 'US,CU' }],
  ['a country by another name', 'SHIP_TO', { SHIP_TO: 'UK' }],
  ['a part of a country', 'SHIP_TO', { SHIP_TO: 'IC' }],
  ['no proxy address', 'TRUST_PROXY', { TRUST_PROXY: 'everybody' }],
  ['no address for signals', 'PRACTICE_WEBHOOK_URL', { PRACTICE_WEBHOOK_URL: 'localhost' }],
  ['no word', 'RATE_LIMITS', { RATE_LIMITS: 'maybe' }],
  ['limits off for everybody', 'RATE_LIMITS', { RATE_LIMITS: 'off', HOST: '0.0.0.0', DEMO: '0' }],
  ['well-known passwords for everybody', 'HOST', { HOST: '0.0.0.0' }],
  ['no storage address', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: 's3.example' }],
  ['a question in the storage address', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: 'https://s3.example/?a' }],
  ['a password in the storage address', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: 'https://a:b@s3.example' }],
  ['no region', 'S3_REGION', { ...s3, S3_REGION: 'Europe/Berlin' }],
  ['no bucket name', 'S3_BUCKET', { ...s3, S3_BUCKET: 'shop/pictures' }],
  ['an access key with a space', 'S3_ACCESS_KEY_ID', { ...s3, S3_ACCESS_KEY_ID: 'id ' }],
  ['a secret key in two lines', 'S3_SECRET_ACCESS_KEY', { ...s3, S3_SECRET_ACCESS_KEY: 'a\nb' }],
  ['no switch for the path', 'S3_FORCE_PATH_STYLE', { ...s3, S3_FORCE_PATH_STYLE: 'true' }],
  ['a storage without address', 'S3_ENDPOINT', { ...s3, S3_ENDPOINT: '' }],
  ['a storage without bucket', 'S3_BUCKET', { ...s3, S3_BUCKET: '' }],
  ['a storage without access key', 'S3_ACCESS_KEY_ID', { ...s3, S3_ACCESS_KEY_ID: '' }],
  ['a storage without secret key', 'S3_SECRET_ACCESS_KEY', { ...s3, S3_SECRET_ACCESS_KEY: '' }],
  ['a region and nothing else', 'S3_ENDPOINT', { S3_REGION: 'eu-central-1' }],
  ['a misspelt production', 'NODE_ENV', { NODE_ENV: 'prod' }],
  [
    'keys of two modes',
    'STRIPE_PUBLISHABLE_KEY',
    { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_live_1' },
  ],
  [
    'a live key over an open line',
    'STRIPE_API_BASE',
    {
      STRIPE_SECRET_KEY: 'sk_live_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_12345678',
      STRIPE_API_BASE: 'http://proxy.example',
    },
  ],
  ['orders for nothing', 'STRIPE_SECRET_KEY', { NODE_ENV: 'production' }],
]
for (const [why, name, environment] of refused) {
  test(`${why} stops the start with one line that names ${name}`, () => {
    assert.throws(
      () => readConfig(environment),
      (error) => error instanceof StartError && error.message.includes(name) && !error.message.includes('\n'),
    )
  })
}

test('an address of either kind, or a name, is a host', () => {
  for (const HOST of ['0.0.0.0', '::', '::1', 'Shop.example', 'shop-1']) {
    assert.equal(readConfig({ HOST, DEMO: '0' }).host, HOST)
  }
  assert.equal(readConfig({ HOST: 'localhost' }).host, '127.0.0.1')
  assert.equal(readConfig({ HOST: '[::1]' }).host, '::1')
})

test('a live key may go to this machine, whatever it is called', () => {
  const live = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' }
  for (const STRIPE_API_BASE of ['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1']) {
    assert.equal(readConfig({ ...live, STRIPE_API_BASE }).payments.apiBase, STRIPE_API_BASE)
  }
})

test('an admin’s e-mail is spelt as that of whoever logs in', () => {
  const { admin } = readConfig({ ADMIN_EMAIL: ' Owner@Shop.example ', ADMIN_PASSWORD: 'long enough' })
  assert.equal(admin?.email, 'owner@shop.example')
})

test('pictures are kept on the disk, or in the bucket that is set', () => {
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

test('in production there is no demo, and practising must be meant', () => {
  const config = readConfig({ NODE_ENV: 'production', PAYMENTS: 'practice' })
  assert.deepEqual([config.isDemo, config.admin, config.payments.provider], [false, undefined, 'practice'])
})

test('a program that nobody comes to needs only what it uses', () => {
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
