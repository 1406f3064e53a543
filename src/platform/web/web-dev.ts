import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createServer, type ViteDevServer } from 'vite'
import type { RenderPage } from '#shop/contract/rendering.ts'
import type { WebFiles } from './web-files.ts'

const project = resolve(import.meta.dirname, '../../..')

/** The page from its sources, with hot reload: for people who work on it. */
export function webFilesForDevelopment(): WebFiles {
  let vite: ViteDevServer | undefined
  const started = () => {
    if (!vite) throw new Error('The development server has not been started')
    return vite
  }
  return {
    isForDevelopment: true,
    async register(app) {
      vite = await startVite(app)
    },
    async frame() {
      const html = await readFile(join(project, 'index.html'), 'utf8')
      // The script loads the style; until then the rendered page would be shown without it.
      const style = '<link rel="stylesheet" href="/src/web/theme.css" />'
      return started().transformIndexHtml('/', html.replace('<!--head-->', `${style}<!--head-->`))
    },
    async renderer() {
      const sources = (await started().ssrLoadModule('/src/web/server.tsx')) as { render: RenderPage }
      return sources.render
    },
    scriptsOf: async () => [],
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
