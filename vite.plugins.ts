import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

// What the page's build does beyond what Vite does.

const startFile = 'src/web/start.ts'

/** Gives Recharts copies of the Redux libraries, or what only it uses of them would be in every first visit. */
export function chartsApart(): Plugin {
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

/**
 * React Router names its components and contexts for debugging. This keeps even unused ones in the build: its own
 * links and forms, and what prefetches for its framework. So the names are removed.
 */
export function onlyWhatIsUsed(): Plugin {
  return {
    name: 'only-what-is-used',
    apply: 'build',
    transform: {
      filter: { id: /\/react-router\/dist\/production\// },
      handler: (code) => ({
        code: code
          .replace(/^\w+\.displayName = .*;$/gm, '')
          .replace(
            /(?<=^(?:const|let) \w+ = )(?=React\$?1?\.(?:createContext|forwardRef|memo)\()/gm,
            '/* @__PURE__ */ ',
          ),
        map: null,
      }),
    },
  }
}

/**
 * Vite's own helper also waits for styles, all of which the page has from the start, and announces the scripts with
 * links. But Chromium keeps in mind which scripts did not load, and never requests them again until the page is left:
 * neither for a link nor for an import, as https://html.spec.whatwg.org/#fetch-a-single-module-script allows. So the
 * files are fetched first, as often as it takes, and imported once they are in the browser's cache. Only a private
 * window of WebKit, which has no such cache, requests them twice.
 */
const loadAhead = `const arriving = {}
const arrive = (file) =>
  (arriving[file] ??= fetch(file)
    .then((answer) => answer.ok ? answer.blob() : Promise.reject(answer.status))
    .catch((reason) => {
      delete arriving[file]
      throw Error(file + ': ' + reason)
    }))
export const __vitePreload = async (load, files = []) => {
  await Promise.all(
    files.map((file) => document.querySelector('link[href="/' + file + '"]') ?? arrive('/' + file))
  )
  return load()
}`

/** Requests all scripts that a part of the page needs at once, not one after another. */
export function scriptsAhead(): Plugin {
  return {
    name: 'scripts-ahead',
    apply: 'build',
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler: () => ({ code: loadAhead, map: null }),
    },
  }
}

/**
 * React and Redux Toolkit create six errors in advance, only to recognize them when they are thrown. If anything
 * measures or debugs the page, the browser records for each where it was created, and reads the whole file again
 * for that: a fifth of a second on a slow phone. Any other object does as well.
 */
export function marksWithoutTrace(): Plugin {
  const marks = [
    /(?<=Exception = )Error(?=\(formatProdErrorMessage\()/g,
    /(?:new )?Error(?=\(["`]Promise never resolved)/g,
  ]
  return {
    name: 'marks-without-trace',
    apply: 'build',
    transform: {
      filter: { id: /react-dom-client\.production|rtk-query/ },
      handler: (code) => ({
        code: marks.reduce((text, mark) => text.replace(mark, 'Object'), code),
        map: null,
      }),
    },
  }
}

/**
 * Browsers that know this line compile the whole file while it is being loaded, beside everything else, and not
 * each function at its first call, which delayed hydration and the first steps on the page. See
 * https://v8.dev/blog/explicit-compile-hints
 */
export function compiledAhead(): Plugin {
  return {
    name: 'compiled-ahead',
    apply: 'build',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = `//# allFunctionsCalledOnLoad\n${file.code}`
      }
    },
  }
}

/**
 * Puts the page's styles into the page itself, because a file of their own would cost another round trip before
 * anything is visible. The page's script waits in a template until `start` puts it into the page.
 */
export function firstThingsFirst(): Plugin {
  return {
    name: 'first-things-first',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'chunk', id: startFile })
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const start = Object.values(bundle).find(
          (file) => file.type === 'chunk' && file.facadeModuleId?.endsWith(startFile),
        )
        const tag = (name: string) => `<script type="module" crossorigin src="/${name}"></script>`
        const waiting = `<template id="scripts">${tag(mainOf(bundle)?.fileName ?? '')}</template>`
        const scripts = [tag(start?.fileName ?? ''), waiting, ''].join('\n    ')
        return (
          html
            // The server adds those of each page.
            .replace(/\s*<link rel="modulepreload"[^>]*>/g, '')
            .replace(/(<script type="module" crossorigin src="[^"]*"><\/script>\s*)+/, scripts)
            .replace(/<link rel="stylesheet"[^>]*href="\/([^"]*)">/, (_link, name: string) => {
              const css = bundle[name]
              delete bundle[name]
              return `<style>${css?.type === 'asset' ? String(css.source).trim() : ''}</style>`
            })
        )
      },
    },
  }
}

/** Puts a `.br` and a `.gz` beside every text file, so that the server compresses nothing while it serves. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '.' }, files) {
      const texts = Object.keys(files).filter((name) => /\.(js|css|svg)$/.test(name))
      await Promise.all(texts.map((name) => compress(join(dir, name))))
    },
  }
}

/**
 * Writes a file that tells the server which scripts each page needs, and under an empty name what all other pages
 * need, so that the server can name them in the page.
 */
export function scriptsOfPages(): Plugin {
  return {
    name: 'scripts-of-pages',
    apply: 'build',
    async writeBundle({ dir = '.' }, files) {
      const chunks = new Map(
        Object.values(files).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])),
      )
      const withImports = (name: string, found: Set<string>) => {
        if (found.has(name)) return found
        found.add(name)
        for (const each of chunks.get(name)?.imports ?? []) withImports(each, found)
        return found
      }
      // The largest is requested first, because browsers request six files at a time.
      const sizeOf = (name: string) => chunks.get(name)?.code.length ?? 0
      const addressesOf = (names: Set<string>) =>
        [...names].sort((one, other) => sizeOf(other) - sizeOf(one)).map((name) => `/${name}`)
      const neededByAll = withImports(mainOf(files)?.fileName ?? '', new Set())
      const ofPages = [...chunks.values()].flatMap(({ fileName, moduleIds }) =>
        moduleIds
          .filter((id) => /-pages?\.tsx$/.test(id))
          .map((id) => {
            const needed = withImports(fileName, new Set(neededByAll))
            return [relative(import.meta.dirname, id), addressesOf(needed)]
          }),
      )
      const otherPages: [string, string[]] = ['', addressesOf(neededByAll)]
      await writeFile(
        join(dir, '../scripts.json'),
        JSON.stringify(Object.fromEntries([otherPages, ...ofPages])),
      )
    },
  }
}

/** The script that starts the page. */
function mainOf(files: Rolldown.OutputBundle): Rolldown.OutputChunk | undefined {
  return Object.values(files)
    .filter((file) => file.type === 'chunk')
    .find(({ moduleIds }) => moduleIds.some((id) => id.endsWith('src/web/main.tsx')))
}

async function compress(path: string): Promise<void> {
  const text = await readFile(path)
  await Promise.all([
    writeFile(`${path}.br`, await promisify(brotliCompress)(text)),
    writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 })),
  ])
}
