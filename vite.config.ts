import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

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

export default defineConfig({
  plugins: [react(), tailwindcss(), chartsApart(), compressed()],
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
})

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

async function compress(path: string): Promise<void> {
  const text = await readFile(path)
  await Promise.all([
    writeFile(`${path}.br`, await promisify(brotliCompress)(text)),
    writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 })),
  ])
}
