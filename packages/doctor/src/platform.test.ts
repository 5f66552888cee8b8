import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { noteBackup } from '@probity/database/backups'
import { asOwner, connect } from '@probity/database/connect'
import { migrate } from '@probity/database/migrate'
import { createTestDatabase } from '@probity/database/test-database'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startPostgres } from '@probity/lab/services/postgres'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { examineAccess } from './access.ts'
import { examineBackups } from './backup.ts'
import { examineHost, judgeOpenFiles } from './host.ts'
import { examinePostgres } from './postgres.ts'
import { examineRedis } from './redis.ts'

const { db, url } = await createTestDatabase()

async function byCheck(findings: ReturnType<typeof examinePostgres>) {
  return Object.fromEntries(
    (await findings).map((finding) => [`${finding.check}${finding.subject && ` ${finding.subject}`}`, finding]),
  )
}

test('a PostgreSQL that is set up for money passes', async () => {
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

test('fsync that is off, logged details and a missing migration are told with the command', async () => {
  // The lab's own server is quick because it keeps nothing over a power cut.
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
    fix: { lines: ['pnpm admin migrate'] },
  })
})

test('a database that is away leaves its checks unknown, each by its name', async () => {
  const away = connect('postgres://nobody@127.0.0.1:1/none', { connectionsMax: 1 })
  whenDone(() => away.destroy())
  const found = await examinePostgres({ db: away })
  expect(found.map(({ status }) => status)).toEqual(found.map(() => 'unknown'))
  expect(found.map(({ check }) => check)).toContain('postgres-durability')
})

test('a Redis that throws things away fails, and one that might is warned about', async () => {
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
    saw: 'maxmemory-policy is allkeys-lru, with a bound of 104857600 bytes.',
    fix: { lines: expect.arrayContaining(['redis-cli config set maxmemory-policy noeviction']) },
  })
})

test('a Redis that could not save is told before it refuses writes, and one that is away is unknown', async () => {
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

test('a clock that is off, and a disk without room, are told by how much', async () => {
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

test('no backup, a late one and an old one are told apart', async () => {
  const look = async (now = Date.now()) => (await examineBackups({ db, now: () => now }))[0]
  expect(await look()).toMatchObject({
    status: 'warn',
    saw: expect.stringMatching(/^No backup/),
    fix: { lines: expect.any(Array) },
  })
  const madeAt = new Date('2026-11-01T02:00:00Z')
  await noteBackup(db, { madeAt, bytes: 1, sha256: 'x' })
  const HOUR_MS = 3_600_000
  const after = (hours: number) => look(madeAt.getTime() + hours * HOUR_MS)
  expect(await after(1)).toMatchObject({
    status: 'pass',
    saw: 'The newest was made 1 hour ago, at 2026-11-01T02:00:00.000Z.',
    fix: null,
  })
  expect(await after(30)).toMatchObject({ status: 'warn' })
  expect(await after(24 * 8)).toMatchObject({ status: 'fail', saw: expect.stringContaining('8 days ago') })
})

test('a worker with the login of the API and a Redis without a password are warned about on a public installation', async () => {
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
