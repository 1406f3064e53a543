import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

// Few files, and each of one kind: they compress better, and the libraries stay cached while the shop changes.
const groups = [
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|scheduler|react-router|react-redux|redux|redux-thunk|@reduxjs|immer|reselect)\/(?!.*\?charts)|rolldown\/runtime/,
  },
  {
    // What the first page of a visit shows, and nothing that only a later one needs.
    name: 'shop',
    test: new RegExp(
      [
        'src/web/(api|paths|store|router|root-frame|layout|top-bar|footer|shop-address|error-page)\\.',
        'src/web/ui/(alert|button|icons|kept-scroll|page-title|picture|price|query-state|skeleton|stars)\\.',
        'src/catalogue/(choices|web/(api|category-styles|product-card|product-grid))\\.',
        'src/cart/web/(add-to-cart|cart-button|cart|keep-cart)\\.',
      ].join('|'),
    ),
  },
  // Every list of products is filtered and has pages.
  { name: 'lists', test: /src\/(web\/ui\/pager|catalogue\/web\/(filters|product-filters|shop-page))\./ },
]

const forBrowsers: UserConfig = {
  plugins: [react(), tailwindcss(), chartsApart(), compressed(), scriptsOfPages()],
  build: {
    outDir: 'dist/web',
    target: 'es2022',
    assetsInlineLimit: 0,
    // Every browser that this target names loads modules ahead by itself.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: { codeSplitting: { groups } },
    },
  },
}

/** The same page as a module of the server, with its libraries, so that React is the fast one there too. */
const forServer: UserConfig = {
  plugins: [react()],
  publicDir: false,
  define: { 'process.env.NODE_ENV': '"production"' },
  ssr: { noExternal: true },
  build: {
    outDir: 'dist/server',
    target: 'node24',
    rolldownOptions: { input: 'src/web/server.tsx' },
  },
}

export default defineConfig(({ isSsrBuild }) => (isSsrBuild ? forServer : forBrowsers))

/** Recharts brings a Redux store of its own; what only that uses would otherwise be part of every first visit. */
function chartsApart(): Plugin {
  return {
    name: 'charts-apart',
    apply: 'build',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (!importer?.includes('/node_modules/recharts/')) return null
      if (!/^(@reduxjs\/toolkit|react-redux|reselect|immer)$/.test(id)) return null
      const own = await this.resolve(id, importer, { skipSelf: true })
      return own && `${own.id}?charts`
    },
  }
}

/** Puts a `.br` and a `.gz` beside every text file, so that the server compresses nothing while it serves. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '.' }, files) {
      const texts = Object.keys(files).filter((name) => /\.(js|css|svg)$/.test(name))
      await Promise.all(texts.map((name) => compress(join(dir, name))))
    },
  }
}

/** Writes down for the server which scripts each page needs besides those of every page, so that it can name them. */
function scriptsOfPages(): Plugin {
  return {
    name: 'scripts-of-pages',
    apply: 'build',
    async writeBundle(_options, files) {
      const chunks = new Map(
        Object.values(files).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])),
      )
      const withImports = (name: string, found: Set<string>) => {
        if (found.has(name)) return found
        found.add(name)
        for (const each of chunks.get(name)?.imports ?? []) withImports(each, found)
        return found
      }
      const entry = [...chunks.values()].find(({ isEntry }) => isEntry)
      const ofEvery = withImports(entry?.fileName ?? '', new Set())
      const ofPages = [...chunks.values()].flatMap(({ fileName, moduleIds }) =>
        moduleIds
          .filter((id) => /-pages?\.tsx$/.test(id))
          .map((id) => {
            const needed = [...withImports(fileName, new Set())].filter((name) => !ofEvery.has(name))
            return [relative(import.meta.dirname, id), needed.map((name) => `/${name}`)]
          }),
      )
      await writeFile('dist/scripts.json', JSON.stringify(Object.fromEntries(ofPages)))
    },
  }
}

async function compress(path: string): Promise<void> {
  const text = await readFile(path)
  await Promise.all([
    writeFile(`${path}.br`, await promisify(brotliCompress)(text)),
    writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 })),
  ])
}
