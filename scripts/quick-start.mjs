// Loaded before the shop and the programs beside it, so that they are there sooner.
import * as modules from 'node:module'
import { resolve } from 'node:path'

// First of all: what follows, an older one does not know.
if (Number.parseInt(process.versions.node) < 24) {
  console.error(`The shop needs Node 24, and this is ${process.version}; plain \`npm ci\` brings one`)
  process.exit(1)
}
const project = resolve(import.meta.dirname, '..')
// What its tools read addresses, patterns, lists or commands by.
if (/[#?*:"$`\\\n]/.test(project)) {
  console.error(
    `The shop's folder has one of # ? * : " $ \` \\ in its path, with which its tools do not find their files: move it. It is ${project}`,
  )
  process.exit(1)
}
try {
  import.meta.resolve('fastify')
} catch {
  console.error('What the shop is made of is not there yet: run `npm ci` first')
  process.exit(1)
}
// An older Node lacks them: named in the import, they would end it before it could say so.
const { enableCompileCache, registerHooks } = modules

// What Node makes of the shop's files is kept, so that the next start neither strips types nor compiles.
const folder = resolve(project, 'node_modules/.cache/haberdash')
enableCompileCache(folder)
// For the programs that the shop starts.
process.env.NODE_COMPILE_CACHE ??= folder

// Whenever one of Drizzle's 150 files is imported, Node would read the whole of its `package.json`, 180 kB, to learn which
// file that is, and that it is a module: half a second.
const found = new Map()
registerHooks({
  resolve(name, context, next) {
    const from = context.parentURL ?? ''
    if (name.startsWith('.') && from.includes('/node_modules/drizzle-orm/')) {
      return { url: new URL(name, from).href, format: 'module', shortCircuit: true }
    }
    if (!name.startsWith('drizzle-orm') || !context.conditions.includes('import')) return next(name, context)
    if (!found.has(name)) found.set(name, { ...next(name, context), shortCircuit: true })
    return found.get(name)
  },
})
