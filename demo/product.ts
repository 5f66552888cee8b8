import { randomUUID } from 'node:crypto'
import { UserError } from '@probity/admin/database'
import { readConfig as readApiConfig } from '@probity/api/server/config'
import { openLog } from '@probity/api/server/log'
import { start as startApi } from '@probity/api/server/start'
import type { KeyScope } from '@probity/contract/constants/keys'
import { insertKey } from '@probity/database/accounts/keys'
import { postCredits } from '@probity/database/billing/ledger'
import { connect, type Db, inTenant } from '@probity/database/connection/connect'
import { migrate } from '@probity/database/system/migrate'
import { insertWebhook } from '@probity/database/webhooks/webhooks'
import { type RunningSimulation, startSimulation } from '@probity/lab/simulation/start'
import { openStorage } from '@probity/uploads/open-storage'
import type { FileStorage } from '@probity/uploads/storage'
import { readConfig as readWorkerConfig } from '@probity/worker/server/config'
import { start as startWorker } from '@probity/worker/server/start'
import { createUser, type DemoUser } from './account.ts'
import type { Place } from './place.ts'
import { RECEIVER_ADDRESS, RECEIVER_NAME, RECEIVER_URL, startDemoReceiver } from './receiver.ts'

/** Probity with a simulated mail internet, and an account that has a user, a key, credits and webhook endpoints. */
export type Demo = { url: string; key: string; user: DemoUser; simulation: RunningSimulation; stop(): Promise<void> }

export const CREDITS = 100_000

/** Small enough to start quickly, large enough for one address per verdict. */
const WORLD = { seed: 1, domains: 300, addresses: 5_000 }

/** Reserved names (RFC 2606): only simulated servers receive them. */
const IDENTITY = { SMTP_HELO_NAME: 'probe.probity.example', SMTP_MAIL_FROM: 'bounces@probity.example' }

type Options = {
  port: number
  /** Fills the account before it gets credits and keys. */
  seed?: (db: Db, accountId: string, storage: FileStorage) => Promise<void>
  write(line: string): void
}

export async function startDemo(
  { databaseUrl, redisUrl }: Omit<Place, 'leave'>,
  { port, seed, write }: Options,
): Promise<Demo> {
  await migrate(databaseUrl).catch((error: unknown) => {
    throw codeOf(error) === INSUFFICIENT_PRIVILEGE ? new UserError(NO_ROLE) : error
  })
  const servers = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
  const apiConfig = readApiConfig({ ...servers, PORT: String(port), STOP_NOTICE_MS: '0', OPERATOR_2FA: 'optional' })
  const account = await openAccount(databaseUrl, (db, id) => seed?.(db, id, openStorage(apiConfig.storage)))
  const simulation = await startSimulation({ ...WORLD, hosts: { [RECEIVER_NAME]: RECEIVER_ADDRESS } }).catch(
    (error: unknown) => {
      throw codeOf(error) === 'EADDRNOTAVAIL' ? new UserError(NO_LOOPBACK) : error
    },
  )
  const receiver = await startDemoReceiver(write)
  const log = openLog('error', process.stderr)
  const tasks = { WORKER_TASKS: 'validations,jobs,webhooks,maintenance,notifications' }
  const workerSettings = { ...servers, ...IDENTITY, ...tasks, DNS_SERVERS: `127.0.0.1:${simulation.dnsPort}` }
  // No setting allows loopback: the policy for the one receiver is an argument of the worker's start, as the policy for mail servers is.
  const policy = { port: receiver.port, allows: (address: string) => address === receiver.address }
  const environment = {
    ...simulation,
    providerLimits: simulation.limits,
    webhooks: { policy, authority: receiver.authority },
  }
  const worker = await startWorker(readWorkerConfig(workerSettings), environment, log)
  const api = await startApi(apiConfig, log)
  const stop = async () => {
    await api.stop()
    // In parallel: a worker that waits for an unresponsive mail server ends when that server stops.
    await Promise.all([simulation.stop(), worker.stop(), receiver.stop()])
  }
  return { url: `http://127.0.0.1:${api.address.port}`, ...account, simulation, stop }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

const INSUFFICIENT_PRIVILEGE = '42501'
const NO_ROLE =
  'The user of PROBITY_DATABASE_URL cannot switch to the roles of Probity. docs/postgresql.md describes how a superuser grants them.'
const NO_LOOPBACK =
  'The simulated mail servers use addresses in 127.77.0.0/16, which this system does not allow. Run the demo on Linux.'

async function openAccount(
  databaseUrl: string,
  seed: (db: Db, accountId: string) => Promise<void> | undefined,
): Promise<Pick<Demo, 'key' | 'user'>> {
  const db = connect(databaseUrl, { connectionsMax: 1 })
  try {
    const { accountId, user } = await createUser(db)
    await seed(db, accountId)
    const key = await inTenant(db, accountId, async (trx) => {
      await postCredits(trx, { kind: 'grant', credits: CREDITS, subject: randomUUID() })
      const scopes: KeyScope[] = ['validations:write', 'jobs:write', 'account:read', 'webhooks:write']
      const made = await insertKey(trx, accountId, { mode: 'live', name: 'pnpm demo', scopes })
      // After the key: its own creation is an event.
      for (const mode of ['live', 'test'] as const) {
        await insertWebhook(trx, { accountId, mode }, { url: RECEIVER_URL, description: 'Receiver of the demo' })
      }
      return made.text
    })
    return { key, user }
  } finally {
    await db.destroy()
  }
}
