import { asOperator, asOwner } from '@probity/database/connection/connect'
import { listFindings, requestDoctorRun } from '@probity/database/operators/doctor'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { describeDoctorInput, runDoctor, startDoctor } from './doctor.ts'
import { openTestLog } from './test-log.ts'
import { startTestWorld } from './test-worker.ts'

const world = await startTestWorld()
await world.dns.put({ 'answers.org': { txt: ['so that there is an org'] } })
const server = await startRedis()
whenDone(() => server.stop())
const redis = new Redis(server.url)
whenDone(() => redis.disconnect())
const context = describeDoctorInput(world.config, world.environment, { db: world.db, redis })

const { log, lines } = openTestLog()

const kept = async () => {
  const rows = await asOperator(world.db, listFindings)
  return Object.fromEntries(rows.map(({ checkId, host, status }) => [checkId, `${host}:${status}`]))
}
const lookAgainNow = () =>
  asOwner(world.db, (trx) => sql`update doctor_runs set began_at = began_at - interval '2 hours'`.execute(trx))

test('runDoctor runs once per hour, stores findings under its host and logs changes', async () => {
  const looking = { context, log, host: 'here' }
  expect([await runDoctor(looking), await runDoctor(looking)]).toEqual([true, false])
  expect(await kept()).toMatchObject({
    'egress-configured': 'here:warn',
    'resolver-answers': 'here:pass',
    'postgres-durability': ':fail',
    'redis-eviction': ':pass',
    migrations: ':pass',
    'public-url': ':unknown',
    'backup-age': ':warn',
  })
  const first = lines().map(({ check }) => check)
  expect(first).toContain('postgres-durability')
  expect(first).not.toContain('redis-eviction')

  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
  await lookAgainNow()
  await runDoctor(looking)
  expect(lines().slice(first.length)).toMatchObject([
    { level: 40, check: 'redis-eviction', was: 'pass', status: 'warn', msg: 'doctor status changed' },
  ])
})

test('runDoctor runs at once when an operator requests it', async () => {
  const doctor = startDoctor(context, log, 0)
  whenDone(() => doctor.stop())
  await vi.waitFor(
    async () =>
      expect((await asOperator(world.db, listFindings)).some(({ host }) => host !== 'here' && host !== '')).toBe(true),
    15_000,
  )
  const at = async () =>
    (await asOperator(world.db, listFindings)).find(({ checkId, host }) => checkId === 'clock' && host !== 'here')
      ?.checkedAt
  const before = await at()
  expect(await asOperator(world.db, requestDoctorRun)).toBe(true)
  await vi.waitFor(async () => expect((await at())?.getTime()).toBeGreaterThan(before?.getTime() ?? 0), 20_000)
})
