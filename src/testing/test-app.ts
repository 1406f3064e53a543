import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { buildApp, usualLimits, type Parts } from '#shop/app.ts'
import { stripeProvider } from '#shop/orders/server/stripe.ts'
import { mostConnections } from '#shop/platform/http/connections.ts'
import { readConfig } from '#shop/platform/config.ts'
import { openDatabase } from '#shop/platform/database.ts'
import { builtWebFiles, type BuiltPage } from '#shop/platform/web/web-files.ts'
import { startPractice } from '#practice/server.ts'
import { openLocalStorage, type Storage } from '#shop/uploads/server/storage.ts'
import { freePort } from './free-port.ts'
import { createTestDatabase } from './test-database.ts'

export type TestApp = Parts & {
  app: FastifyInstance
  /** The address it listens on. */
  url: string
  /** The practice provider that it is paid through. */
  practice: { url: string; close(): Promise<void> }
  /** The log lines for its operator. */
  operatorLog: string[]
  /** The log lines about its requests. */
  logged: LogLine[]
  /** Makes one request; resolves to status, headers and parsed body. */
  call<T>(options: InjectOptions): Promise<Answer<T>>
  close(): Promise<void>
}

export type LogLine = {
  reqId: string
  msg?: string
  method?: string
  /** The signed-in user who was refused. */
  user?: string
  /** The admin who signed in or changed something. */
  admin?: string
  params?: Record<string, string>
  body?: unknown
  status?: number
  code?: string
  reason?: string
  route?: string
  times?: number
  firstId?: string
}

/** `T` is the body that the test expects; the test itself checks it. */
export type Answer<T> = { status: number; headers: Record<string, unknown>; body: T }

/** What a test asks for ends, however busy the machine is. */
const longStatementLimits = {
  bounds: { statement_timeout: 60_000, lock_timeout: 60_000, idle_in_transaction_session_timeout: 60_000 },
  query_timeout: 70_000,
}

type Limits = typeof usualLimits
type ChangedLimits = { [Name in keyof Limits]?: Partial<Limits[Name]> }

export const webhookSecret = 'whsec_test_secret'

/**
 * The whole shop on a database of its own, with the practice provider beside it. Nothing is mocked. The provider
 * sends no webhook events, so that a test decides which event does the work.
 */
export async function startTestApp(
  options: {
    environment?: Record<string, string>
    storage?: Storage
    mostConnections?: number
    /** With the shop's own time limits for statements and locks, which a busy machine may exceed. */
    hasStatementLimits?: boolean
    /** Replaces the practice provider's address. */
    providerAddress?: string
    /** For tests that request pages. */
    page?: BuiltPage
  } & ChangedLimits = {},
): Promise<TestApp> {
  const [database, port, folder] = await Promise.all([
    createTestDatabase(),
    freePort(),
    mkdtemp(join(tmpdir(), 'haberdash-test-')),
  ])
  const config = readConfig({ PORT: `${port}`, RATE_LIMITS: 'off', DATA_DIR: folder, ...options.environment })
  const practice = await startPractice({
    port: 0,
    folder: join(folder, 'practice'),
    webhookSecret,
  })
  const opened = openDatabase(
    { ...database.connection, ...(options.hasStatementLimits ? {} : longStatementLimits), max: 10 },
    () => {},
  )
  const provider = stripeProvider({
    publicUrl: config.publicUrl,
    secretKey: 'sk_test_practice',
    apiBase: options.providerAddress ?? practice.url,
    webhookSecrets: [webhookSecret],
  })
  const noPage = { web: join(folder, 'no-page'), server: folder, scripts: '' }
  const webFiles = builtWebFiles(options.page ?? noPage)
  const pictures = {
    storage: options.storage ?? (await openLocalStorage(join(folder, 'uploads'))),
    scenesFolder: join(folder, 'scenes'),
  }
  const operatorLog: string[] = []
  const logged: LogLine[] = []
  const requestLog = {
    write(line: string) {
      const read = JSON.parse(line) as LogLine
      logged.push(read)
      // An internal error belongs in the output of the test that caused it.
      if (read.status === 500) process.stdout.write(line)
    },
  }
  const parts: Parts = {
    config,
    database: opened,
    provider,
    webFiles,
    pictures,
    log: (line) => operatorLog.push(line),
    requestLog,
    timeLimits: { ...usualLimits.timeLimits, ...options.timeLimits },
    slotLimits: { ...usualLimits.slotLimits, ...options.slotLimits },
    mostConnections: options.mostConnections ?? mostConnections,
    limits: { ...usualLimits.limits, ...options.limits },
    // Lists and pages come, however busy the machine is.
    listLimits: { ...usualLimits.listLimits, patienceMs: 60_000, ...options.listLimits },
    pagePatienceMs: { ...usualLimits.pagePatienceMs, built: 60_000, turn: 60_000, ...options.pagePatienceMs },
  }
  const app = await buildApp(parts)
  const close = async () => {
    await app.close()
    await practice.close()
    await opened.close()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await app.listen({ port, host: '127.0.0.1' })
  } catch (error) {
    // Anything left open would keep the process of the test file waiting instead of failing.
    await close()
    throw error
  }
  return {
    ...parts,
    app,
    practice,
    operatorLog,
    logged,
    url: `http://127.0.0.1:${port}`,
    call: async <T>(options: InjectOptions) => answerOf<T>(await app.inject(options)),
    close,
  }
}

function answerOf<T>(response: Awaited<ReturnType<FastifyInstance['inject']>>): Answer<T> {
  const isJson = String(response.headers['content-type']).includes('json')
  return {
    status: response.statusCode,
    headers: response.headers,
    body: (isJson ? response.json() : response.body) as T,
  }
}
