import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { openValidations, type ValidationRef } from '@probity/database/validations/validations'
import { ADDRESS_LIMITS } from '@probity/engine/smtp/connections/destination-limits'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { startDns } from '@probity/lab/dns/start'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { destination } from 'pino'
import { inject } from 'vitest'
import type { ProbingEnvironment } from '../probing/probers.ts'
import type { WorkerConfig } from './config.ts'
import { openLog } from './log.ts'

/** The services of a worker over the lab's DNS, and customers who insert validations as the API does. */
export async function startTestWorld() {
  const [database, dns] = await Promise.all([createTestDatabase(), startDns()])
  whenDone(() => dns.stop())
  const folder = makeFolder('probity-uploads')
  whenDone(() => removeFolder(folder))
  const config: WorkerConfig = {
    databaseUrl: database.url,
    directUrl: database.url,
    maintenanceUrl: database.url,
    tasks: ['validations', 'jobs', 'webhooks'],
    mail: undefined,
    redisUrl: inject('redisUrl'),
    dnsServers: [`127.0.0.1:${dns.port}`],
    listsFolder: undefined,
    egresses: [],
    deniedAddresses: [],
    addressLimits: ADDRESS_LIMITS,
    storage: { kind: 'folder', folder },
    databaseConnections: 5,
    concurrency: 10,
    listSlots: 8,
    webhookSlots: 50,
    abuseLimits: undefined,
    sharesFeedback: false,
    publicUrl: undefined,
    release: true,
    metrics: undefined,
    traces: undefined,
    logLevel: 'debug',
    queuePrefix: `test-${randomUUID()}`,
  }
  const environment: ProbingEnvironment = { policy: { port: 25, allows: () => false }, providerLimits: PROVIDER_LIMITS }
  const log = openLog(
    'debug',
    destination({ dest: join(inject('logFolder'), `worker-${randomUUID()}.log`), sync: true }),
  )
  const { id: accountId } = await openTestAccount(database.db, 1_000)

  async function open(
    emails: string[],
    wish: { mailbox?: boolean; domainLimited?: boolean; accountId?: string } = {},
  ): Promise<ValidationRef[]> {
    const { accountId: by = accountId, ...rest } = wish
    const rows = emails.map((email) => ({ id: randomUUID(), email, emailKey: email, ...rest }))
    const opening = { accountId: by, keyId: null, retentionDays: 30, group: randomUUID() }
    const opened = await inTenant(database.db, by, (trx) => openValidations(trx, opening, rows))
    if (opened.kind !== 'opened') throw new Error(opened.kind)
    const byId = new Map(opened.refs.map((ref) => [ref.id, ref]))
    return rows.map((row) => byId.get(row.id) as ValidationRef)
  }

  async function look() {
    const account = await inTenant(database.db, accountId, (trx) =>
      trx.selectFrom('accounts').select(['available', 'spent']).executeTakeFirstOrThrow(),
    )
    const rows = await inTenant(database.db, accountId, (trx) => trx.selectFrom('validations').selectAll().execute())
    return { ...account, rows }
  }
  return { ...database, dns, config, environment, log, accountId, open, look }
}
