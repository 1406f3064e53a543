import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import staticFiles from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerNotFound } from './problems.ts'

export type WebFiles = {
  isForDevelopment: boolean
  /** Serves the files that the page consists of. */
  register(app: FastifyInstance): Promise<void>
  /** The page itself, for any address; what it shows there is its own business. */
  page(): Promise<string>
}

/** The built page: its files' names carry their content's hash, so browsers may keep them for ever. */
export function builtWebFiles(folder: string): WebFiles {
  let html: Promise<string> | undefined
  return {
    isForDevelopment: false,
    async register(app) {
      // Without a build (in tests of the API) there is nothing to serve.
      if (!existsSync(folder)) return
      await app.register(staticFiles, {
        root: folder,
        index: false,
        wildcard: false,
        preCompressed: true,
        // The hash in a file's name says all that these would.
        acceptRanges: false,
        lastModified: false,
        setHeaders(reply, path) {
          const isHashed = path.includes('/assets/')
          reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
        },
      })
    },
    page: () => (html ??= readFile(join(folder, 'index.html'), 'utf8')),
  }
}

/** Answers every address of the page with the page, and 404 with the same page (which says so) for any other. */
export function pageRoutes(app: FastifyInstance, files: WebFiles, patterns: readonly string[]): void {
  const send = async (status: number, reply: FastifyReply) =>
    reply
      .status(status)
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(await files.page())
  for (const pattern of patterns) {
    app.get(pattern, { config: { access: 'file' }, schema: { hide: true } }, (_request, reply) =>
      send(200, reply),
    )
  }
  app.setNotFoundHandler((request: FastifyRequest, reply) => {
    const isPage = request.method === 'GET' && !/^\/(api|uploads|assets|pictures)(\/|$)/.test(request.url)
    return isPage ? send(404, reply) : answerNotFound(request, reply)
  })
}
