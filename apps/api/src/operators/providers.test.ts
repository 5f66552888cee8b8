import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { recordProcess } from '@probity/database/system/processes'
import { type ProbeCounts, recordProbes } from '@probity/database/validations/probing'
import { rateLimiterKey } from '@probity/redis/keys'
import { listSuspensions, recordSuspension } from '@probity/redis/rate-limiter-state'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startUsersApi } from '../testing/test-browser.ts'
import { getJob, planJob, startJob } from '../testing/test-jobs.ts'
import { signUpOperator } from '../testing/test-operator.ts'

const api = await startUsersApi()
const operator = await signUpOperator(api)
const { queuePrefix } = api.config
const { redis } = api.services

const [ONE, TWO] = ['one.example.com', 'two.example.com'] as const
const COUNTS: ProbeCounts = {
  provider: 'gmx',
  egress: ONE,
  probes: 10,
  conclusive: 5,
  deferred: 2,
  blocked: 1,
  noResponse: 1,
  throttled: 3,
  ms: [0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0],
  lastBlock: '550 5.7.1 first',
}

await recordProbes(api.db, [COUNTS, { ...COUNTS, provider: '', lastBlock: null }])
await recordProbes(api.db, [{ ...COUNTS, lastBlock: '550 5.7.1 second' }])
await recordProcess(api.db, {
  id: randomUUID(),
  kind: 'worker',
  version: '0.1.0',
  facts: {
    egresses: [
      { name: ONE, helo: ONE, address: '192.0.2.1', proxy: null },
      { name: TWO, helo: TWO, address: null, proxy: 'proxy.example.com:1080' },
    ],
    limits: { gmx: { connections: 2, per_minute: 30 } },
  },
})

type Row = Record<string, unknown>

async function listProviders(hours = 24): Promise<Row[]> {
  const { status, body } = await operator.get(`/operator/providers?hours=${hours}`)
  expect(status).toBe(200)
  return body['providers'] as Row[]
}

test('probe counts of workers are summed by provider, with shares and percentiles', async () => {
  const [gmx, others] = await listProviders()
  expect(gmx).toMatchObject({
    provider: 'gmx',
    probes: 20,
    throttled: 6,
    conclusive: 0.5,
    deferred: 0.2,
    blocked: 0.1,
    no_response: 0.1,
    p50_ms: 200,
    p95_ms: 200,
    connections: 0,
    connections_max: 4,
    per_minute: 30,
    paused_at: null,
    rate_percent: 100,
  })
  expect(others).toMatchObject({ provider: '', probes: 10, connections_max: null })
  await asOwner(api.db, (trx) =>
    sql`update provider_hours set hour = hour - interval '5 hours' where provider = ''`.execute(trx),
  )
  expect((await listProviders(1)).map(({ provider }) => provider)).toEqual(['gmx'])
  expect(await listProviders(168)).toHaveLength(2)
  expect((await operator.get('/operator/providers?hours=1000')).status).toBe(400)
})

test('provider suspensions are read from Redis, and a provider counts as suspended only if all egresses are', async () => {
  const until = Date.now() + 600_000
  const shut = (egress: string) =>
    redis.hset(rateLimiterKey(queuePrefix, { egress, site: 'gmx' }), {
      until,
      reason: 'ip_blocked',
      level: 500,
      'lease:a': `${Date.now() + 60_000}:0`,
      'lease:b': `${Date.now() - 60_000}:0`,
    })
  await shut(ONE)
  expect((await listProviders())[0]).toMatchObject({ suspension_ends_at: null, connections: 1, level: 0.5 })
  await shut(TWO)
  const [gmx] = await listProviders()
  expect(gmx).toMatchObject({ suspension_ends_at: new Date(until).toISOString(), suspension_reason: 'ip_blocked' })

  const { body } = await operator.get('/operator/egress')
  expect(body['egresses']).toMatchObject([
    {
      name: ONE,
      address: '192.0.2.1',
      workers: 1,
      connections: 1,
      blocked_24h: 3,
      last_block: '550 5.7.1 second',
      suspensions: [{ provider: 'gmx', reason: 'ip_blocked' }],
      drained_at: null,
    },
    { name: TWO, proxy: 'proxy.example.com:1080', probes_24h: 0, last_block: null },
  ])
})

test('lifting a suspension ends it for all egresses, removes its notice and is recorded in the audit log', async () => {
  const until = new Date(Date.now() + 600_000)
  const site = 'comcast'
  for (const egress of [ONE, TWO]) {
    await redis.hset(rateLimiterKey(queuePrefix, { egress, site }), { until: until.getTime(), reason: 'ip_blocked' })
    await recordSuspension(redis, queuePrefix, { provider: site, name: 'Comcast', egress, reason: 'ip_blocked', until })
  }
  await recordSuspension(redis, queuePrefix, { provider: 'gmx', name: 'GMX', egress: ONE, reason: 'ip_blocked', until })
  await recordProbes(api.db, [{ ...COUNTS, provider: site }])
  const find = async () => (await listProviders()).find(({ provider }) => provider === site)
  expect(await find()).toMatchObject({ suspension_ends_at: until.toISOString(), suspended_egresses: 2 })

  const lift = (body: object) => operator.post('/operator/providers/lift-suspension', body)
  expect((await lift({ provider: site })).status).toBe(204)
  expect(await find()).toMatchObject({ suspension_ends_at: null, suspension_reason: null, suspended_egresses: 0 })
  expect((await listSuspensions(redis, queuePrefix)).map(({ provider }) => provider)).toEqual(['gmx'])
  const { body } = await operator.get('/operator/audit-log?account=installation')
  expect((body['entries'] as Row[])[0]).toMatchObject({
    action: 'provider.suspension_lifted',
    subject_name: site,
    actor: 'operator',
  })
  expect((await lift({ provider: '' })).status).toBe(400)
})

test('pausing, slowing and draining are stored and recorded once each, however often they are requested', async () => {
  const control = (body: object) => operator.post('/operator/provider_controls', body)
  for (const is_paused of [true, true, false])
    expect((await control({ provider: 'yahoo', is_paused })).status).toBe(204)
  expect((await control({ provider: 'yahoo', rate_percent: 25 })).status).toBe(204)
  expect((await control({ provider: 'yahoo', rate_percent: 0 })).status).toBe(400)
  expect((await listProviders()).find(({ provider }) => provider === 'yahoo')).toMatchObject({
    probes: 0,
    conclusive: null,
    rate_percent: 25,
    paused_at: null,
  })
  const drain = (drained: boolean) => operator.post('/operator/egress_controls', { egress: ONE, is_drained: drained })
  for (const drained of [true, true, false]) expect((await drain(drained)).status).toBe(204)

  const { body } = await operator.get('/operator/audit-log?account=installation')
  const told = (body['entries'] as Row[]).map(({ action, subject_name }) => [action, subject_name])
  expect(told.filter(([action]) => /^(provider|egress)/.test(String(action))).slice(0, 5)).toEqual([
    ['egress.undrained', ONE],
    ['egress.drained', ONE],
    ['provider.rate_changed', 'yahoo'],
    ['provider.resumed', 'yahoo'],
    ['provider.paused', 'yahoo'],
  ])
})

test('GET /operator/queues returns waiting, oldest and stalled tasks, and stalled jobs can be requeued', async () => {
  const caller = await api.openCaller({ credits: 100 })
  const jobId = await startJob(caller, 5)
  await planJob(api.db, jobId, [3, 2])
  const look = async () =>
    (await operator.get('/operator/queues')).body as { validations: Row; jobs: Row; webhooks: Row }
  expect((await look()).jobs).toMatchObject({ in_progress: 1, waiting: 5, active: 0, stalled: [] })
  await asOwner(api.db, async (trx) => {
    await sql`update jobs set created_at = now() - interval '1 hour' where id = ${jobId}`.execute(trx)
    await sql`update job_queue set queued_at = now() + interval '1 hour' where job_id = ${jobId}`.execute(trx)
    await sql`update job_queue set retry_at = now() + interval '5 minutes' where job_id = ${jobId} and size = 2`.execute(
      trx,
    )
  })
  const { jobs } = await look()
  expect(jobs).toMatchObject({
    waiting: 3,
    deferred: { minute: 0, ten_minutes: 2, hour: 0, later: 0 },
    stalled: [{ job_id: jobId, account_id: caller.accountId, done: 0, total: 5, last_done_at: null }],
  })
  expect(JSON.stringify(jobs)).not.toContain('@')

  const again = await operator.post(`/operator/queues/jobs/${jobId}/requeue`)
  expect([again.status, again.body]).toEqual([200, { batches: 2 }])
  const rest = await asOwner(api.db, (trx) =>
    trx.selectFrom('jobQueue').select('queuedAt').where('jobId', '=', jobId).execute(),
  )
  expect(rest.map(({ queuedAt }) => queuedAt)).toEqual([null, null])
  expect((await operator.post(`/operator/queues/jobs/${randomUUID()}/requeue`)).status).toBe(404)
  expect((await getJob(caller, jobId)).status).not.toBe('failed')
})
