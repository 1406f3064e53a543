// Loaded before the shop: keeps what Node makes of its files, so that the next start neither strips types nor compiles.
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../node_modules/.cache/haberdash')
enableCompileCache(folder)
// For the programs that the shop starts.
process.env.NODE_COMPILE_CACHE ??= folder
