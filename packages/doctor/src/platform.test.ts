import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { asOwner, connect } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { recordBackup } from '@probity/database/system/backups'
import { migrate } from '@probity/database/system/migrate'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { examineBackups } from './examine.ts'
import { examineAccess, examineHost, examinePostgres, examineRedis, judgeOpenFiles } from './platform.ts'

const { db, url } = await createTestDatabase()

async function byCheck(findings: ReturnType<typeof examinePostgres>) {
  return Object.fromEntries(
    (await findings).map((finding) => [`${finding.check}${finding.subject && ` ${finding.subject}`}`, finding]),
  )
}

test('all PostgreSQL checks pass with durable settings and no logged details', async () => {
  const server = await startPostgres({ fsync: true })
  whenDone(() => server.stop())
  await migrate(server.url)
  const own = connect(server.url, { connectionsMax: 2 })
  whenDone(() => own.destroy())
  await asOwner(own, (trx) => sql`alter database postgres set log_error_verbosity = terse`.execute(trx))
  const fresh = connect(server.url, { connectionsMax: 2 })
  whenDone(() => fresh.destroy())
  const found = await examinePostgres({ db: fresh })
  expect(found.map(({ check, status }) => [check, status])).toEqual([
    ['postgres-version', 'pass'],
    ['postgres-durability', 'pass'],
    ['postgres-log', 'pass'],
    ['migrations', 'pass'],
  ])
})

test('PostgreSQL checks show the command when fsync is off, details are logged or a migration is missing', async () => {
  // The shared test server runs with durability off, for speed.
  await asOwner(db, (trx) => sql`delete from migrations where name = '0001_baseline'`.execute(trx))
  const found = await byCheck(examinePostgres({ db }))
  expect(found['postgres-durability']).toMatchObject({
    status: 'fail',
    saw: 'fsync is off, full_page_writes is off, synchronous_commit is off.',
    fix: { lines: expect.arrayContaining(['alter system set fsync = on;', 'select pg_reload_conf();']) },
  })
  expect(found['postgres-log']).toMatchObject({
    status: 'warn',
    fix: { lines: ['alter system set log_error_verbosity = terse;', 'select pg_reload_conf();'] },
  })
  expect(found['migrations']).toMatchObject({
    status: 'fail',
    saw: 'Not applied: 0001_baseline.',
    fix: { lines: ['probity-admin migrate'] },
  })
})

test('all PostgreSQL checks are unknown when the database is down', async () => {
  const away = connect('postgres://nobody@127.0.0.1:1/none', { connectionsMax: 1 })
  whenDone(() => away.destroy())
  const found = await examinePostgres({ db: away })
  expect(found.map(({ status }) => status)).toEqual(found.map(() => 'unknown'))
  expect(found.map(({ check }) => check)).toContain('postgres-durability')
})

test('redis-eviction fails with an eviction policy and a memory limit, and warns without a limit', async () => {
  const server = await startRedis()
  whenDone(() => server.stop())
  const redis = new Redis(server.url, { maxRetriesPerRequest: 0 })
  whenDone(() => redis.disconnect())
  const look = () => byCheck(examineRedis({ redis }))
  expect(Object.values(await look()).map(({ status }) => status)).toEqual(['pass', 'pass', 'pass'])
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
  expect((await look())['redis-eviction']).toMatchObject({ status: 'warn' })
  await redis.config('SET', 'maxmemory', '100mb')
  expect((await look())['redis-eviction']).toMatchObject({
    status: 'fail',
    saw: 'maxmemory-policy is allkeys-lru, with a memory limit of 104857600 bytes.',
    fix: { lines: expect.arrayContaining(['redis-cli config set maxmemory-policy noeviction']) },
  })
})

test('redis-saving fails after a failed save; all Redis checks are unknown when Redis is down', async () => {
  const server = await startRedis()
  whenDone(() => server.stop())
  const redis = new Redis(server.url, { maxRetriesPerRequest: 0, retryStrategy: () => null })
  redis.on('error', () => {})
  whenDone(() => redis.disconnect())
  const [, folder = ''] = (await redis.config('GET', 'dir')) as string[]
  rmSync(folder, { recursive: true })
  await redis.bgsave()
  await vi.waitFor(
    async () => expect((await byCheck(examineRedis({ redis })))['redis-saving']).toMatchObject({ status: 'fail' }),
    10_000,
  )
  await server.halt()
  await vi.waitFor(async () =>
    expect((await examineRedis({ redis })).map(({ status }) => status)).toEqual(['unknown', 'unknown', 'unknown']),
  )
})

test('clock and disk report the skew and the free space', async () => {
  const folder = makeFolder('probity-uploads')
  whenDone(() => removeFolder(folder))
  const host = { db, uploadsFolder: folder, databaseFolder: tmpdir(), now: Date.now }
  const well = await byCheck(examineHost(host, { lowBytes: 1, fullBytes: 0 }))
  expect(Object.values(well).map(({ check, status }) => [check, status])).toEqual([
    ['clock', 'pass'],
    ['disk', 'pass'],
    ['disk', 'pass'],
    ['open-files', 'pass'],
  ])
  const behind = (ms: number) => ({ ...host, now: () => Date.now() - ms })
  expect((await byCheck(examineHost(behind(5_000))))['clock']).toMatchObject({
    status: 'warn',
    saw: expect.stringMatching(/5\.0 s behind/),
  })
  expect((await byCheck(examineHost(behind(-60_000))))['clock']).toMatchObject({
    status: 'fail',
    saw: expect.stringMatching(/60\.0 s ahead/),
  })
  const EXABYTE = 1e18
  const full = await byCheck(examineHost(host, { lowBytes: EXABYTE, fullBytes: EXABYTE }))
  expect(full['disk uploads']).toMatchObject({
    status: 'fail',
    fix: { lines: expect.arrayContaining([`df -h ${folder}`]) },
  })
  const low = await byCheck(examineHost(host, { lowBytes: EXABYTE, fullBytes: 0 }))
  expect([low['disk uploads']?.status, low['disk PostgreSQL']?.status]).toEqual(['warn', 'warn'])
})

test.each([
  ['Max open files            1024                 1048576              files', 'warn'],
  ['Max open files            65536                65536                files', 'pass'],
  ['Max open files            unlimited            unlimited            files', 'pass'],
  ['nothing of the kind', 'unknown'],
])('%s: %s', (limits, status) => {
  expect(judgeOpenFiles(limits).status).toBe(status)
})

test('backup-age distinguishes no backup, a late backup and an old backup', async () => {
  const look = async (now = Date.now()) => (await examineBackups({ db, now: () => now }))[0]
  expect(await look()).toMatchObject({
    status: 'warn',
    saw: expect.stringMatching(/^No backup/),
    fix: { lines: expect.any(Array) },
  })
  const madeAt = new Date('2026-11-01T02:00:00Z')
  await recordBackup(db, { madeAt, bytes: 1, sha256: 'x' })
  const HOUR_MS = 3_600_000
  const after = (hours: number) => look(madeAt.getTime() + hours * HOUR_MS)
  expect(await after(1)).toMatchObject({
    status: 'pass',
    saw: 'The newest backup was created 1 hour ago, at 2026-11-01T02:00:00.000Z.',
    fix: null,
  })
  expect(await after(30)).toMatchObject({ status: 'warn' })
  expect(await after(24 * 8)).toMatchObject({ status: 'fail', saw: expect.stringContaining('8 days ago') })
})

test('worker-login and redis-password warn on a public installation only', async () => {
  const server = await startRedis()
  whenDone(() => server.stop())
  const redis = new Redis(server.url, { maxRetriesPerRequest: 0 })
  whenDone(() => redis.disconnect())
  const login = `worker_${randomUUID().replaceAll('-', '')}`
  await asOwner(db, (trx) => sql`create role ${sql.ref(login)} login noinherit in role probity_worker`.execute(trx))
  whenDone(() => asOwner(db, (trx) => sql`drop role ${sql.ref(login)}`.execute(trx)))
  const connectAs = (user: string) => {
    const own = connect(Object.assign(new URL(url), { username: user }).href, { programRole: 'probity_worker' })
    whenDone(() => own.destroy())
    return own
  }
  const look = async (user: string, publicUrl?: string) => {
    const found = await byCheck(examineAccess({ db: connectAs(user), redis, publicUrl }))
    return [found['worker-login']?.status, found['redis-password']?.status]
  }
  const shared = new URL(url).username
  expect(await look(shared, 'https://probity.example.com')).toEqual(['warn', 'warn'])
  expect(await look(shared, 'http://127.0.0.1:3000')).toEqual(['pass', 'pass'])
  expect(await look(shared)).toEqual(['pass', 'pass'])
  expect(await look(login, 'https://probity.example.com')).toEqual(['pass', 'warn'])

  await redis.config('SET', 'requirepass', 'secret')
  const withPassword = new Redis(server.url, { maxRetriesPerRequest: 0, password: 'secret' })
  whenDone(() => withPassword.disconnect())
  const found = await byCheck(examineAccess({ db, redis: withPassword, publicUrl: 'https://probity.example.com' }))
  expect(found['redis-password']).toMatchObject({ status: 'pass' })
})
