import { randomUUID } from 'node:crypto'
import { Refusal } from '@probity/admin/refusal'
import { readConfig as readApiConfig } from '@probity/api/config'
import { openLog } from '@probity/api/log'
import { start as startApi } from '@probity/api/start'
import { insertAccount } from '@probity/database/accounts'
import { asOwner, connect, inTenant } from '@probity/database/connect'
import { postCredits } from '@probity/database/credits'
import { insertKey } from '@probity/database/keys'
import { migrate } from '@probity/database/migrate'
import { type RunningWorld, startWorld } from '@probity/lab/world/start'
import { readConfig as readWorkerConfig } from '@probity/worker/config'
import { start as startWorker } from '@probity/worker/start'
import type { Place } from './place.ts'

/** The whole product over a made-up mail internet, with an account that has a key and credits. */
export type Demo = { url: string; key: string; world: RunningWorld; stop(): Promise<void> }

export const CREDITS = 1_000

/** Small enough to be there at once, and large enough for one of everything. */
const WORLD = { seed: 1, domains: 300, addresses: 5_000 }

/** Who asks. A name that nobody can own (RFC 2606), since only the world's own servers ever hear it. */
const IDENTITY = { SMTP_HELO_NAME: 'probe.probity.example', SMTP_MAIL_FROM: 'bounces@probity.example' }

export async function startDemo(
  { databaseUrl, redisUrl }: Omit<Place, 'leave'>,
  port: number,
  size = WORLD,
): Promise<Demo> {
  await migrate(databaseUrl).catch((error: unknown) => {
    throw codeOf(error) === INSUFFICIENT_PRIVILEGE ? new Refusal(NO_ROLE) : error
  })
  const key = await openAccount(databaseUrl)
  const world = await startWorld(size).catch((error: unknown) => {
    throw codeOf(error) === 'EADDRNOTAVAIL' ? new Refusal(NO_LOOPBACK) : error
  })
  const log = openLog('error', process.stderr)
  const servers = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
  const workerSettings = { ...servers, ...IDENTITY, DNS_SERVERS: `127.0.0.1:${world.dnsPort}` }
  const apiSettings = { ...servers, PORT: String(port), STOP_NOTICE_MS: '0' }
  const worker = await startWorker(readWorkerConfig(workerSettings), world, log)
  const api = await startApi(readApiConfig(apiSettings), log)
  const stop = async () => {
    await api.stop()
    // Together: a worker that waits for a silent mail server is done when the server is gone.
    await Promise.all([world.stop(), worker.stop()])
  }
  return { url: `http://127.0.0.1:${api.address.port}`, key, world, stop }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

const INSUFFICIENT_PRIVILEGE = '42501'
const NO_ROLE =
  'The user of DATABASE_URL may not work as the role probity_app; docs/running.md says how a superuser allows it.'
const NO_LOOPBACK =
  'The mail servers of the demo have addresses in 127.77.0.0/16, which this system does not let them use; Linux does.'

async function openAccount(databaseUrl: string): Promise<string> {
  const db = connect(databaseUrl, { connectionsMax: 1 })
  try {
    const { id } = await asOwner(db, (trx) => insertAccount(trx, { name: 'Demo', plan: 'payg' }))
    return await inTenant(db, id, async (trx) => {
      await postCredits(trx, { kind: 'grant', credits: CREDITS, subject: randomUUID() })
      const made = await insertKey(trx, id, {
        mode: 'live',
        name: 'pnpm demo',
        scopes: ['validation', 'bulk', 'account'],
      })
      return made.text
    })
  } finally {
    await db.destroy()
  }
}
