// Loaded before the shop and the programs beside it, to make them start faster.
import * as modules from 'node:module'
import { resolve } from 'node:path'

// This comes first, because an older Node does not know what follows.
if (Number.parseInt(process.versions.node) < 24) {
  console.error(`The shop needs Node 24, and this is ${process.version}; plain \`npm ci\` brings one`)
  process.exit(1)
}
const project = resolve(import.meta.dirname, '..')
// Characters that mean something in the URLs, patterns, lists or commands of the shop's tools.
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
// Not imported by name: an older Node lacks them, and would end before it could say what it needs.
const { enableCompileCache, registerHooks } = modules

// Keeps the compiled code of the shop's files, so that the next start neither strips types nor compiles.
const folder = resolve(project, 'node_modules/.cache/haberdash')
enableCompileCache(folder)
// For the programs that the shop starts.
process.env.NODE_COMPILE_CACHE ??= folder

// To import one of Drizzle's 150 files, Node would each time read the whole of its `package.json`, 180 kB, to find
// the file and to learn that it is a module. In all, this took half a second.
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
