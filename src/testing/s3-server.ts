import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { S3Settings } from '#shop/platform/s3-settings.ts'
import { freePort } from './free-port.ts'

/** S3rver: S3's protocol and signatures over files. It is a process of its own, so that a test can kill it. */
export type S3Server = {
  settings: S3Settings
  /** The names in its bucket. */
  names(): Promise<string[]>
  /** Kills it at once, whatever it is doing. */
  kill(): Promise<void>
  startAgain(): Promise<void>
  close(): Promise<void>
}

const command = join(import.meta.dirname, '../../node_modules/@20minutes/s3rver/lib/cli.js')
const bucket = 'shop-pictures'
const fileSuffix = '._S3rver_object'

export async function startS3Server(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'haberdash-s3-'))
  const port = await freePort()
  let running = await spawnServer(folder, port)
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket,
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      isPathStyle: true,
    },
    async names() {
      const files = await readdir(join(folder, bucket))
      return files.flatMap((file) => (file.endsWith(fileSuffix) ? file.slice(0, -fileSuffix.length) : []))
    },
    kill: () => running.kill(),
    async startAgain() {
      running = await spawnServer(folder, port)
    },
    async close() {
      await running.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function spawnServer(folder: string, port: number) {
  const options = ['-d', folder, '-a', '127.0.0.1', '-p', `${port}`, '--silent', '--configure-bucket', bucket]
  const run = `require(${JSON.stringify(command)}).parseAsync()`
  const server = spawn(process.execPath, ['-e', run, 's3rver', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const killWithTest = () => server.kill('SIGKILL')
  process.once('exit', killWithTest)
  for await (const line of createInterface(server.stdout)) {
    if (!/listening on .*:\d+$/.test(line)) continue
    return {
      async kill() {
        process.removeListener('exit', killWithTest)
        if (server.exitCode !== null || server.signalCode !== null) return
        server.kill('SIGKILL')
        await once(server, 'exit')
      },
    }
  }
  throw new Error('The S3 server did not start.')
}
