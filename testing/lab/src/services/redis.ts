import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, makeFolder, removeFolder, startDaemon } from './daemon.ts'

export type RedisServer = {
  url: string
  port: number
  /** The process id of the running server; it changes with a restart. */
  pid(): number
  /** Ends the server; its data is lost. */
  halt(): Promise<void>
  /** Starts the server again on the same port, empty. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A private Redis on loopback without persistence, with the contents of a configuration file if given. */
export async function startRedis({ config = '' }: { config?: string } = {}): Promise<RedisServer> {
  const folder = makeFolder('probity-redis')
  const port = await freePort()
  const file = join(folder, 'redis.conf')
  writeFileSync(file, config)
  const command = ['redis-server', file, '--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const manner = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction', '--databases', '1000']
  const start = () => startDaemon([...command, ...manner], port, { logFile: join(folder, 'redis.log') })
  let daemon = await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: () => daemon.pid,
    halt: () => daemon.stop('SIGKILL'),
    restart: async () => {
      daemon = await start()
    },
    stop: async () => {
      await daemon.stop()
      removeFolder(folder)
    },
  }
}
