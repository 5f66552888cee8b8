import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Daemon, startDaemon } from '@probity/lab/services/daemon'
import type { Victim } from './nemesis.ts'

/** Whether Redis writes an append-only file or loses all data when it ends. */
export type Persistence = 'aof' | 'noaof'

export type ChaosRedis = Victim & { url: string; flush(): Promise<void>; stop(): Promise<void> }

const FLUSH_WITHIN_MS = 5_000

/** A private Redis on loopback that can be killed and paused. */
export async function startChaosRedis(persistence: Persistence, folder: string, port: number): Promise<ChaosRedis> {
  const command = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  const kept = ['--appendonly', persistence === 'aof' ? 'yes' : 'no', '--maxmemory-policy', 'noeviction']
  const start = () => startDaemon([...command, ...kept], port, { logFile: join(folder, 'redis.log') })
  let daemon: Daemon = await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill: () => daemon.stop('SIGKILL'),
    async revive() {
      daemon = await start()
    },
    freeze: () => void process.kill(daemon.pid, 'SIGSTOP'),
    thaw: () => void process.kill(daemon.pid, 'SIGCONT'),
    async flush() {
      await promisify(execFile)('redis-cli', ['-p', String(port), 'flushall'], { timeout: FLUSH_WITHIN_MS })
    },
    stop: () => daemon.stop('SIGKILL'),
  }
}
