import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createServer, type ViteDevServer } from 'vite'
import type { WebFiles } from './web-files.ts'

const project = resolve(import.meta.dirname, '../..')

/** The page from its sources, with hot reload: for people who work on it. */
export function webFilesForDevelopment(): WebFiles {
  let vite: ViteDevServer | undefined
  return {
    isForDevelopment: true,
    async register(app) {
      vite = await startVite(app)
    },
    async page() {
      const html = await readFile(join(project, 'index.html'), 'utf8')
      return vite ? vite.transformIndexHtml('/', html) : html
    },
  }
}

async function startVite(app: FastifyInstance): Promise<ViteDevServer> {
  const vite = await createServer({
    root: project,
    configLoader: 'native',
    appType: 'custom',
    server: { middlewareMode: true, hmr: { server: app.server } },
  })
  app.get('/*', { schema: { hide: true } }, (request, reply) => {
    vite.middlewares(request.raw, reply.raw, () => reply.callNotFound())
    return reply
  })
  app.addHook('onClose', () => vite.close())
  return vite
}
