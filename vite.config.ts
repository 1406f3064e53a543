import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type UserConfig } from 'vite'
import {
  chartsApart,
  compiledAhead,
  compressed,
  firstThingsFirst,
  marksWithoutTrace,
  onlyWhatIsUsed,
  scriptsAhead,
  scriptsOfPages,
} from './vite.plugins.ts'

// Few files, each of one kind: they compress better, and the libraries stay cached while the shop changes.
const groups = [
  {
    name: 'libraries',
    test: /node_modules\/(react|react-dom|scheduler|react-router|react-redux|redux|redux-thunk|@reduxjs|immer|reselect)\/(?!.*\?charts)/,
  },
  {
    // What starts a visit and what its first page shows, and nothing that only a later page needs.
    name: 'shop',
    test: new RegExp(
      [
        'src/web/(main|app|api|paths|store|router|root-frame|layout|top-bar|footer|shop-address|error-page)\\.',
        'src/web/ui/(alert|button|double-clicks|icons|scroll-restoration|link|outside-interaction|overlay|page-title|part|picture|price|later-parts|query-state|skeleton|stars)\\.',
        'src/catalogue/(choices|web/(api|category-styles|product-card|product-grid))\\.',
        'src/cart/web/(add-to-cart|cart-button|cart|keep-cart)\\.',
      ].join('|'),
    ),
  },
  // What the page of a product shares with those of orders and reviews; otherwise four files of a few hundred
  // bytes.
  {
    name: 'dates',
    test: /src\/(reviews\/web\/(api|comment-text)|orders\/steps|web\/(api-total|ui\/(date|idle)))\./,
  },
  // What lists of products share. A page in this group would be loaded with each of the others.
  {
    name: 'lists',
    test: /src\/(web\/ui\/(page-number|pager|showing)|catalogue\/web\/(filters|sorting))\./,
  },
  // What forms are made of.
  {
    name: 'forms',
    test: /src\/(web\/ui\/(field|form)|accounts\/web\/(draft|draft-notice|password-field))\./,
  },
  // Parts of a few hundred bytes that are needed together. A name fewer is a shorter list of all files, too.
  {
    name: 'tables',
    test: /src\/(web\/ui\/(data-table|email|list-address|list-page)|orders\/web\/status-mark)\./,
  },
  { name: 'products', test: /src\/catalogue\/web\/(manage-api|return-to-list)\./ },
  { name: 'checkout', test: /src\/(cart\/web\/checkouts|orders\/web\/api)\./ },
  { name: 'account', test: /src\/accounts\/web\/(api|log-out)\./ },
]

// The first visit loads a list of all files. Hashes hardly compress, so they are short, and hexadecimal: half a
// byte for each character.
const fileNames = 'assets/[name]-[hash:7].js'

const forBrowsers: UserConfig = {
  plugins: [
    react(),
    tailwindcss(),
    chartsApart(),
    onlyWhatIsUsed(),
    compiledAhead(),
    marksWithoutTrace(),
    scriptsAhead(),
    firstThingsFirst(),
    compressed(),
    scriptsOfPages(),
  ],
  build: {
    outDir: 'dist/web',
    target: 'es2022',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    // Every browser of this target supports `modulepreload` by itself.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: { groups },
        chunkFileNames: fileNames,
        entryFileNames: fileNames,
        hashCharacters: 'hex',
      },
    },
  },
}

/**
 * The same page as a module of the server. It includes its libraries, so that React is the fast build there, too.
 */
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
