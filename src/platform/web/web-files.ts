import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import staticFiles from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { RenderPage } from '#shop/contract/rendering.ts'

export type WebFiles = {
  isForDevelopment: boolean
  /** Serves the files that the page consists of. */
  register(app: FastifyInstance): Promise<void>
  /** The document around every page, with the places `<!--head-->` and `<!--page-->`. */
  frame(): Promise<string>
  renderer(): Promise<RenderPage>
  /** The addresses of the scripts that the page from this source file needs, or, without one, every page. */
  scriptsOf(file?: string): Promise<string[]>
}

/** Where the files for the browser, the server's renderer, and the list of each page's scripts are. */
export type BuiltPage = { web: string; server: string; scripts: string }
type Scripts = Record<string, string[] | undefined>

const cacheForEver = 'max-age=31536000, immutable'
const cacheForADay = 'max-age=86400'

/** The built page: the names of its files, except those from `public`, carry a hash of their content. */
export function builtWebFiles(built: BuiltPage): WebFiles {
  const frame = readOnce(() => readFile(join(built.web, 'index.html'), 'utf8'))
  const scripts = readOnce(async () => JSON.parse(await readFile(built.scripts, 'utf8')) as Scripts)
  return {
    isForDevelopment: false,
    async register(app) {
      // Without a build (in tests of the API) there is nothing to serve.
      if (!existsSync(built.web)) return
      // The library sends the older type with a charset, which modules do not need; six files of the first page
      // have it. See https://www.rfc-editor.org/rfc/rfc9239
      app.addHook('onSend', async (_request, reply) => {
        if (/^application\/javascript/.test(String(reply.getHeader('content-type'))))
          reply.header('content-type', 'text/javascript')
      })
      await app.register(staticFiles, {
        root: built.web,
        index: false,
        wildcard: false,
        preCompressed: true,
        // The frame is not a page yet.
        globIgnore: ['index.html'],
        // The hash in a file's name makes these superfluous.
        acceptRanges: false,
        lastModified: false,
        etag: false,
        setHeaders(reply, path) {
          const isHashed = path.startsWith(join(built.web, 'assets') + sep)
          reply.header('cache-control', isHashed ? cacheForEver : cacheForADay)
        },
      })
    },
    frame,
    async renderer() {
      const { render } = (await import(pathToFileURL(join(built.server, 'server.js')).href)) as {
        render: RenderPage
      }
      return render
    },
    async scriptsOf(file = '') {
      const all = await scripts()
      return all[file] ?? all[''] ?? []
    },
  }
}

/** A failure is not cached: the next call tries again. */
function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= read().catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
}
