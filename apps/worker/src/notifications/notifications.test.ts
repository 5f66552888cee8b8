import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { NOTIFICATION_KINDS } from '@probity/contract/constants/users'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, connect, inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { openMailer } from '@probity/email/send'
import { startMailServers } from '@probity/lab/mail/start'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { createAdmission } from '@probity/redis/admission'
import { connectRedis } from '@probity/redis/connection'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, inject, test, vi } from 'vitest'
import { startNotifications } from './notifications.ts'
import { notificationEmail } from './templates.ts'

const { db: testDb, url } = await createTestDatabase()
const db = connect(url, { connectionsMax: 4, programRole: 'probity_maintenance' })
whenDone(() => db.destroy())
const redis = connectRedis(inject('redisUrl'))
whenDone(() => redis.disconnect())
const admission = createAdmission(redis)

type Owned = { id: string; userId: string }

/** An account with one member, its owner. */
async function openOwned(email = `ada-${randomUUID()}@example.com`): Promise<Owned> {
  const { id } = await openTestAccount(testDb, 0)
  const userId = randomUUID()
  await asOwner(testDb, async (trx) => {
    // The address has one owner: a retried test gives it to its own user.
    await sql`delete from users where email = ${email}`.execute(trx)
    await sql`insert into users (id, name, email, email_verified) values (${userId}, 'Ada', ${email}, true)`.execute(
      trx,
    )
    await sql`insert into members (account_id, user_id, role) values (${id}, ${userId}, 'owner')`.execute(trx)
  })
  return { id, userId }
}

function createKey({ id }: Owned, name = 'Sign-up form') {
  return inTenant(testDb, id, (trx) => insertKey(trx, id, { mode: 'live', name, scopes: ['validations:write'] }))
}

test('an SMTP relay accepts each email once with two processes', async () => {
  const town = await startMailServers({ port: await freePort() })
  whenDone(() => town.stop())
  const { behind, logFile } = town.servers.postfix
  const engines = await openOwned('ada@postfix.example')
  await createKey(engines, 'Newsletter')
  const settings = { url: `smtp://${behind.host}:${behind.port}`, from: 'Probity <post@probity.example>' }
  const log = pino({ level: 'silent' })
  const needed = { db, mailer: openMailer(settings, log), admission, appUrl: 'https://probity.example/app', log }
  const senders = [startNotifications(needed), startNotifications(needed)]
  whenDone(() => Promise.all(senders.map((sender) => sender.stop())))
  const taken = () => readFileSync(logFile, 'utf8').match(/to=<ada@postfix\.example>.*status=sent/g) ?? []
  await vi.waitFor(() => expect(taken()).toHaveLength(1), { timeout: 30_000, interval: 200 })
  await vi.waitFor(async () => {
    const { rows } = await asOwner(testDb, (trx) =>
      sql`select attempts, next_at from notifications where account_id = ${engines.id} and sent_at is not null`.execute(
        trx,
      ),
    )
    expect(rows).toEqual([{ attempts: 1, nextAt: null }])
  })
})

test('an email that the SMTP relay does not accept is retried later and fails in the end', async () => {
  const engines = await openOwned()
  await createKey(engines)
  const log = pino({ level: 'silent' })
  const mailer = openMailer({ url: 'smtp://127.0.0.1:1', from: 'post@probity.example' }, log)
  const sender = startNotifications({ db, mailer, admission, appUrl: 'https://probity.example/app', log })
  whenDone(() => sender.stop())
  const look = async () => {
    const { rows } = await asOwner(testDb, (trx) =>
      sql<{ attempts: number; waitS: number | null }>`
        select attempts, extract(epoch from next_at - clock_timestamp())::float8 as wait_s from notifications
        where account_id = ${engines.id}`.execute(trx),
    )
    return rows[0]
  }
  await vi.waitFor(async () => expect(await look()).toMatchObject({ attempts: 1 }), { timeout: 20_000, interval: 200 })
  await vi.waitFor(async () => expect((await look())?.waitS).toBeLessThan(61), { timeout: 10_000, interval: 200 })
  await asOwner(testDb, (trx) =>
    sql`update notifications set attempts = 6, next_at = now() where account_id = ${engines.id}`.execute(trx),
  )
  await vi.waitFor(async () => expect(await look()).toEqual({ attempts: 7, waitS: null }), {
    timeout: 20_000,
    interval: 200,
  })
})

test('many new keys cause one email per member, and at most ten per hour', async () => {
  const engines = await openOwned()
  const letters: string[] = []
  const mailer = {
    send: async ({ lines }: { lines: string[] }) => letters.push(lines.join(' ')) > 0,
    close: () => {},
  }
  const log = pino({ level: 'silent' })
  // Notifications of other tests are not due.
  await asOwner(testDb, (trx) => sql`update notifications set next_at = null`.execute(trx))
  for (let n = 0; n < 20; n++) await createKey(engines, `Key ${n}`)
  const sender = startNotifications({ db, mailer, admission, appUrl: 'https://probity.example/app', log })
  whenDone(() => sender.stop())
  await vi.waitFor(() => expect(letters).toHaveLength(1), { timeout: 20_000, interval: 100 })
  expect(letters[0]).toContain('There are 19 more events of this kind.')

  await asOwner(testDb, (trx) =>
    sql`
      insert into notifications (account_id, user_id, kind, subject, data)
      select ${engines.id}, ${engines.userId}, kind, n::text, '{"filename": "x.csv"}'
      from unnest(array['job_done', 'credits_low', 'webhook_failing', 'retention_warning']) kind, generate_series(1, 3) n
    `.execute(trx),
  )
  const deferred = sql<{ count: number }>`
    select count(*)::int as count from notifications
    where account_id = ${engines.id} and next_at > clock_timestamp() + interval '50 minutes'`
  await vi.waitFor(
    async () => {
      const { rows } = await asOwner(testDb, (trx) => deferred.execute(trx))
      expect((rows[0]?.count ?? 0) + letters.length).toBe(13)
    },
    { timeout: 20_000, interval: 100 },
  )
  expect(letters).toHaveLength(10) // the limit refills by one in six minutes, which is longer than the test may take
})

test('each email names the event, the recipient and one action', () => {
  const notice = {
    id: '',
    attempts: 1,
    email: 'ada@example.com',
    name: 'Ada',
    organisation: 'Engines',
    slug: 'engines',
  }
  const data = {
    job_id: 'j',
    filename: 'autumn.csv',
    state: 'completed',
    ...{ line_count: 12_400, blank_count: 100, empty_count: 20, not_address_count: 30, left_out_count: 15 },
    ...{ extra_address_count: 18, duplicate_count: 253, unique_count: 12_000 },
    several_addresses: 'all',
    available: 3,
    name: 'Form',
    mode: 'live',
  }
  for (const kind of NOTIFICATION_KINDS) {
    const more = { hint: 'pb_live_…a1B2', webhook_id: 'w', host: 'hooks.example', reason: 'gone', on: '2026-12-01' }
    const letter = notificationEmail({ ...notice, kind, data: { ...data, ...more } }, 'https://probity.example/app')
    expect(letter.to).toBe('ada@example.com')
    expect(letter.link).toMatch(/^https:\/\/probity\.example\/app\/[a-z]+(\/[jw])?\?org=engines$/)
    expect(letter.lines.at(-1)).toContain('/app/settings/notices?org=engines')
    expect(JSON.stringify(letter)).not.toMatch(/undefined|NaN/)
    if (kind === 'job_done')
      expect(letter.lines[1]).toBe(
        'The validation of autumn.csv is completed. 12,400 lines and 18 second addresses: 100 blank, 50 without an address, 15 malformed, 253 duplicates, 12,000 validated.',
      )
  }
})
