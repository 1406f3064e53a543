import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { chromium } from 'playwright-core'

/** The first has no windows at all, which saves a third of the time. */
const usual = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]
const macOs = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
const playwrightCli = resolve(import.meta.dirname, '../../node_modules/playwright-core/cli.js')

/** A Chromium to test with: an installed one, else Playwright's download, else the system's package. */
export function ensureChromium(): string {
  const found = findChromium() ?? download() ?? installPackage()
  if (found) return found
  throw new Error('No Chromium was found or could be installed: install one, or set CHROMIUM to its program.')
}

function findChromium(): string | undefined {
  const configured = process.env.CHROMIUM
  if (configured) return configured
  const inPath = usual.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim())
  return [...inPath, macOs, chromium.executablePath()].find((path) => path && existsSync(path))
}

function download(): string | undefined {
  console.log('Looking for a Chromium to test with…')
  spawnSync(process.execPath, [playwrightCli, 'install', 'chromium'], { stdio: 'ignore', timeout: 300_000 })
  return findChromium()
}

/** Installs the system's package, where there is one and we may: on Debian and Ubuntu, as root. */
function installPackage(): string | undefined {
  if (process.getuid?.() !== 0) return undefined
  const options = {
    stdio: 'ignore',
    timeout: 600_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const
  spawnSync('apt-get', ['update'], options)
  for (const name of ['chromium-headless-shell', 'chromium']) {
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', name], options)
    const found = findChromium()
    if (found) return found
  }
  return undefined
}
