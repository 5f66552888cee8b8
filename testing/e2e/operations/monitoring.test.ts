import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { driftBy } from '@probity/database/billing/test-drift'
import { asOwner, type Db, inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { countOutcomes } from '@probity/database/feedback/outcomes'
import { reportOf, testOutcome } from '@probity/database/feedback/test-outcomes'
import { keepFindings } from '@probity/database/operators/doctor'
import { recordBackup } from '@probity/database/system/backups'
import { sendTestEvent } from '@probity/database/webhooks/deliveries'
import { openTestWebhook } from '@probity/database/webhooks/test-webhooks'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { startRelay } from '@probity/lab/relay'
import { freePort } from '@probity/lab/services/daemon'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { connectWithRetries } from '@probity/redis/connection'
import { createRedisRateLimiter } from '@probity/redis/rate-limiter'
import { openLog } from '@probity/worker/server/log'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { createApiClient } from '../environment/instance.ts'
import { confirmList, listSettings, startTaskWorker, startTestSimulation } from '../environment/jobs.ts'
import { startApiProcess } from '../environment/processes.ts'
import { ROOT } from '../environment/programs.ts'
import { listDashboardQueries, listSelectors, MONITORING, startPrometheusFor } from '../environment/prometheus.ts'

const EGRESS = 'probe.probity.example'
const WITHIN = { timeout: 40_000, interval: 500 }

/** The product over the simulated mail internet, behind relays that can be cut, and a Prometheus that scrapes it. */
async function startWatchedProduct() {
  const [database, redis, simulation] = await Promise.all([
    createTestDatabase(),
    startRedis(),
    startTestSimulation(200),
  ])
  whenDone(() => redis.stop())
  const postgresPort = Number(new URL(database.url).port)
  const [postgresRelay, redisRelay] = await Promise.all(
    [postgresPort, redis.port].map((port) =>
      startRelay({ host: '127.0.0.1', port: 0, to: { host: '127.0.0.1', port } }),
    ),
  )
  if (!(postgresRelay && redisRelay)) throw new Error('no relay')
  whenDone(() => Promise.all([postgresRelay.stop(), redisRelay.stop()]))
  const ports = { api: await freePort(), worker: await freePort() }
  const settings = listSettings(
    database.url.replace(`:${postgresPort}/`, `:${postgresRelay.port}/`),
    `redis://127.0.0.1:${redisRelay.port}`,
  )
  const { dnsPort, smtpPort } = simulation.running
  const wayOut = { SMTP_HELO_NAME: EGRESS, SMTP_MAIL_FROM: 'bounce@probity.example' }
  const startWorker = (way: Partial<typeof wayOut> = wayOut) =>
    startTaskWorker({
      settings: {
        ...settings,
        ...way,
        DNS_SERVERS: `127.0.0.1:${dnsPort}`,
        WORKER_METRICS_PORT: String(ports.worker),
        WORKER_TASKS: 'validations,jobs,webhooks,maintenance',
      },
      smtpPort,
      addressBase: '127.78',
      webhooks: { port: 443, addressBase: '127.78', authority: '' },
    })
  const api = await startApiProcess({ ...settings, METRICS_PORT: String(ports.api), IN_FLIGHT_MAX: '20' })
  const worker = await startWorker()
  return { ...database, redisUrl: redis.url, postgresRelay, redisRelay, simulation, api, worker, startWorker, ports }
}

test('the Prometheus configuration is valid, and the rule tests pass', {
  timeout: 60_000,
}, () => {
  const promtool = (...args: string[]) => execFileSync('promtool', args, { cwd: MONITORING, encoding: 'utf8' })
  expect(promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS')
  expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
})

test('every alert has a runbook in docs/monitoring.md', () => {
  const rules = readFileSync(join(MONITORING, 'alerts.yml'), 'utf8').split('- alert: ').slice(1)
  const page = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8')
  const anchors = page.match(/^### .+$/gm)?.map((line) => line.slice(4).toLowerCase().replaceAll(' ', '-')) ?? []
  for (const rule of rules) {
    const runbook = /runbook_url: http:\/\/localhost:3000\/docs\/monitoring#(\S+)/.exec(rule)?.[1]
    expect(anchors).toContain(runbook)
    expect(page).toContain(`### ${/^\w+/.exec(rule)?.[0]}\n`)
    expect(rule).toMatch(/summary: .+\n +description: .+/)
  }
})

const instance = await startWatchedProduct()
const { db, simulation, api, ports } = instance
const prometheus = await startPrometheusFor(ports)

/** Waits until each of these alerts has fired. */
async function expectFiring(...names: string[]): Promise<void> {
  const missing = new Set(names)
  const look = async () => {
    for (const name of await prometheus.listFiring()) missing.delete(name)
    return [...missing]
  }
  await expect.poll(look, WITHIN).toEqual([])
}

const redis = connectWithRetries(instance.redisUrl)
whenDone(() => redis.disconnect())
const pace = createRedisRateLimiter({ redis, prefix: 'probity', log: openLog('silent') })

const run = (statement: ReturnType<typeof sql>) => asOwner(db, (trx) => statement.execute(trx))

/** To a webhook endpoint whose host name does not resolve. */
async function sendEvent(): Promise<void> {
  const { id: accountId } = await openTestAccount(db, 0)
  const view = { accountId, mode: 'test' } as const
  const hook = await openTestWebhook(db, view)
  await inTenant(db, accountId, (trx) => sendTestEvent(trx, view, hook.id))
}

async function growOld(): Promise<void> {
  await run(sql`update backups set made_at = made_at - interval '27 hours'`)
  await run(sql`delete from migrations where name = (select max(name) from migrations)`)
  await run(
    sql`update validations set created_at = created_at - interval '1 minute', retry_at = null where state = 'open'`,
  )
  await run(sql`update jobs set created_at = created_at - interval '1 hour'`)
  await run(sql`update webhook_deliveries set next_at = clock_timestamp() - interval '1 hour' where state = 'pending'`)
  await run(sql`update reconciliation_runs set reconciled_until = reconciled_until - interval '1 hour'`)
  const { id } = await openTestAccount(db, 0)
  await run(sql`
    with person as (insert into users (name, email) values ('Ada', 'ada@people.example') returning id)
    insert into notifications (account_id, user_id, kind, subject, data, next_at)
    select ${id}, id, 'job_done', '', '{}', clock_timestamp() - interval '1 hour' from person`)
}

/** Locks a table that account requests need, so that they take 3 seconds. */
async function holdUp(apiClient: Awaited<ReturnType<typeof createApiClient>>): Promise<void> {
  const held = asOwner(db, async (trx) => {
    await sql`lock table plans in access exclusive mode`.execute(trx)
    await sql`select pg_sleep(3)`.execute(trx)
  })
  await sleep(500) // until the lock is held
  await Promise.all([held, ...Array.from({ length: 5 }, () => apiClient.call('GET', '/account'))])
}

async function reportOutcomes(database: Db): Promise<void> {
  for (const outcome of ['delivered', 'bounced'] as const) {
    const { id } = await openTestAccount(database, 0)
    const outcomes = Array.from({ length: 300 }, (_, k) => testOutcome(`a${k}@firm.example`, { outcome }))
    await inTenant(database, id, (trx) => countOutcomes(trx, id, reportOf(outcomes)))
  }
}

test('every dashboard query returns data', { timeout: 120_000 }, async () => {
  await recordBackup(db, { madeAt: new Date(), bytes: 1, sha256: '' })
  // As another worker would after a block: the provider is suspended for an hour.
  await pace.suspend({ egress: EGRESS, site: 'google', limits: PROVIDER_LIMITS[''] }, 'ip_blocked', 3_600_000)
  const apiClient = await createApiClient(instance, { credits: 10_000 })
  const byBehaviour = Map.groupBy(simulation.running.simulation.addresses, ({ behaviour }) => behaviour)
  const some = [...byBehaviour.values()].flatMap((addresses) => addresses.slice(0, 3))
  await confirmList(api.url, apiClient, some)
  await Promise.all(simulation.draw(15).map(({ email }) => apiClient.call('POST', '/validation/single', { email })))
  await apiClient.call('GET', '/bulk/jobs/01890a5d-ac96-774b-bcce-b302099a8057')
  await reportOutcomes(db)
  await sendEvent()

  const queries = listDashboardQueries()
  expect(queries.length).toBeGreaterThan(50)
  await expect
    .poll(async () => {
      const answers = await Promise.all(
        queries.map(async (query) => ({ query, answer: await prometheus.query(query) })),
      )
      return answers.filter(({ answer }) => answer.length === 0).map(({ query }) => query)
    }, WITHIN)
    .toEqual([])
})

/** Name, type and labels of the documented metrics. */
function listDocumented(): string[] {
  const rows = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8').matchAll(
    /^\| `(probity_\w+)` \| (\w+) \| (.*?) ?\| /gm,
  )
  return [...rows].map(([, name, type, labels = '']) => `${name} ${type} ${labels.replaceAll('`', '')}`).toSorted()
}

async function listServed(): Promise<string[]> {
  const served = new Map<string, string>()
  for (const port of Object.values(ports)) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    for (const [, name = '', type] of text.matchAll(/^# TYPE (probity_\w+) (\w+)$/gm)) {
      const sample = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? `, 'm').exec(text)
      if (!sample) throw new Error(`${name} has no value`)
      const labels = [...(sample[1] ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label)
      served.set(name, `${name} ${type} ${labels.join(', ')}`)
    }
  }
  return [...served.values()].toSorted()
}

test('docs/metrics.md lists exactly the served metrics, with type and labels', { timeout: 120_000 }, async () => {
  // Some metrics have a value only after the counted process has finished.
  await vi.waitFor(async () => expect(await listServed()).toEqual(listDocumented()), WITHIN)
})

test('metrics contain no address, domain or account', async () => {
  const texts = await Promise.all(
    Object.values(ports).map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
  )
  const { rows } = await run(sql`select id from accounts`)
  const ids = (rows as { id: string }[]).map(({ id }) => id)
  for (const text of texts) {
    expect(text).toContain('probity_build_info')
    for (const { email } of simulation.running.simulation.addresses)
      expect(text).not.toContain(email.slice(email.indexOf('@') + 1))
    for (const id of ids) expect(text).not.toContain(id)
  }
})

test('alerts fire on failures', { timeout: 240_000 }, async () => {
  // A provider is suspended, outcomes diverge from predictions, and no webhook endpoint is reachable.
  for (let n = 0; n < 3; n += 1) await sendEvent()
  const apiClient = await createApiClient(instance, { credits: 100 })
  await apiClient.call('GET', '/account') // Prometheus needs a sample from before the slow requests
  await expectFiring('ProbityProviderSuspended', 'ProbityModelFallback', 'ProbityWebhookDeliveriesFailing')

  await holdUp(apiClient)
  await expectFiring('ProbityHighLatency')

  // Without a worker, clients keep the process busy until it sheds load, queues grow old, and reconciliation is overdue.
  await instance.worker.stop()
  await confirmList(api.url, apiClient, simulation.draw(5))
  await Promise.all(
    simulation.draw(40).map(({ email }) => apiClient.call('POST', '/validation/single', { email, timeout: 2 })),
  )
  await growOld()
  await driftBy(db, (await openTestAccount(db, 10)).id, 3)
  await expectFiring(
    ...[
      'ProbityLoadShedding',
      'ProbityNoWorkers',
      'ProbityWorkerDown',
      'ProbityBackupOverdue',
      'ProbityMigrationsMissing',
    ],
    ...[
      'ProbityInteractiveQueueBacklog',
      'ProbityJobStalled',
      'ProbityWebhookBacklog',
      'ProbityReconciliationOverdue',
      'ProbityEmailBacklog',
    ],
  )

  // The next worker finds the ledger mismatch and has no HELO name. Another host has no resolver.
  const second = await instance.startWorker({})
  await keepFindings(db, 'another-host', [
    {
      check: 'resolver-answers',
      subject: '127.0.0.1',
      status: 'fail',
      saw: 'The resolver did not respond.',
      fix: null,
    },
  ])
  await expectFiring('ProbityLedgerMismatch', 'ProbityEgressUnavailable', 'ProbityDoctorFailing')

  await instance.redisRelay.stop()
  await expectFiring('ProbityRedisDown')
  await instance.postgresRelay.stop()
  const asking = setInterval(() => void apiClient.call('GET', '/account').catch(() => {}), 200) // until the api stops
  await expectFiring('ProbityPostgresDown', 'ProbityHighErrorRate').finally(() => clearInterval(asking))
  await api.stop()
  await second.kill()
  await expectFiring('ProbityApiDown')
})

/** Tested with series in `alerts.test.yml`. */
const BY_SERIES = [
  'ProbityConclusiveRateLow',
  'ProbityDiskSpaceLow',
  'ProbityEventLoopLag',
  'ProbityMemoryHigh',
  'ProbityRequestLogDropping',
  'ProbityResolverUntrusted',
]

test('every alert fired, and every metric that alerts read exists', { timeout: 60_000 }, async () => {
  const rules = await prometheus.listRules()
  const fired = await prometheus.query('count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[10m]))')
  const bySeries = readFileSync(join(MONITORING, 'alerts.test.yml'), 'utf8')
  for (const name of BY_SERIES) expect(bySeries).toContain(`alertname: ${name}\n`)
  const made = new Set([...fired.map(({ metric }) => metric['alertname']), ...BY_SERIES])
  expect(rules.map(({ name }) => name).filter((name) => !made.has(name))).toEqual([])

  const selectors = [...new Set(rules.flatMap(({ query }) => listSelectors(query)))]
  expect(selectors.length).toBeGreaterThan(20)
  for (const selector of selectors) {
    expect(await prometheus.query(`count(last_over_time(${selector}[10m]))`), selector).toHaveLength(1)
  }
})
