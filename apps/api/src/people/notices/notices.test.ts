import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Role } from '@probity/contract/constants/users'
import { NOTIFICATION_KINDS } from '@probity/contract/constants/users'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { maintainNotifications } from '@probity/database/users/notifications'
import { openTestWebhook } from '@probity/database/webhooks/test-webhooks'
import { openMailer } from '@probity/email/send'
import { startMailServers } from '@probity/lab/mail/start'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { addMember, openOrganisation, type SignedIn, signUp, startPeopleApi } from '../../testing/test-browser.ts'
import { noticeLetter } from './letters.ts'
import { startSendingNotices } from './send.ts'

const api = await startPeopleApi({ config: { publicUrl: 'https://probity.example' } })

type Organisation = { id: string; ada: SignedIn; account: { 'probity-account': string } }

async function openEngines(): Promise<Organisation> {
  const ada = await signUp(api)
  const account = await openOrganisation(ada)
  return { id: account['probity-account'], ada, account }
}

async function listNotices({ id }: Pick<Organisation, 'id'>) {
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ kind: string; data: Record<string, unknown>; userId: string }>`
      select kind, data, user_id from notifications where account_id = ${id} order by created_at`.execute(trx),
  )
  return rows
}

function makeKey({ id }: Organisation, name = 'Sign-up form') {
  return inTenant(api.db, id, (trx) => insertKey(trx, id, { mode: 'live', name, scopes: ['validations:write'] }))
}

/** A job of one address, which is done. */
async function insertJob({ id }: Organisation, state: 'processing' | 'completed', days = 30): Promise<string> {
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ id: string }>`
      insert into jobs (account_id, mode, upload_id, filename, email_column, state, row_count, email_count, unique_count, done_count,
        credits_per_email, refund_unknown, expires_on, created_at, finished_at)
      values (${id}, 'live', ${randomUUID()}, 'autumn.csv', 'email', ${state}, 1, 1, 1, 1, 1, true, utc_today() + ${days}::integer,
        now() - interval '20 days', ${state === 'completed' ? new Date() : null})
      returning id`.execute(trx),
  )
  return rows[0]?.id ?? ''
}

test('a list that is done, credits that fall, a key that is made and a webhook that is switched off are each written about once', async () => {
  const engines = await openEngines()
  const jobId = await insertJob(engines, 'processing')
  await asOwner(api.db, async (trx) => {
    await sql`update jobs set state = 'completed', finished_at = now() where id = ${jobId}`.execute(trx)
    await sql`update accounts set credits_low = false where id = ${engines.id}`.execute(trx)
    await sql`update accounts set credits_low = true, available = 3 where id = ${engines.id}`.execute(trx)
    await sql`update accounts set credits_low = true, available = 2 where id = ${engines.id}`.execute(trx)
  })
  await makeKey(engines)
  const view = { accountId: engines.id, mode: 'live' } as const
  const { id } = await openTestWebhook(api.db, view, { url: 'https://hooks.example/secret-path' })
  await inTenant(api.db, engines.id, (trx) => sql`select disable_webhook(${id}, 'failing')`.execute(trx))
  const notices = await listNotices(engines)
  expect(notices.map(({ kind }) => kind)).toEqual(['job_done', 'credits_low', 'key_created', 'webhook_failing'])
  expect(notices.map(({ data }) => data)).toMatchObject([
    { job_id: jobId, filename: 'autumn.csv', state: 'completed' },
    { available: 3 },
    { name: 'Sign-up form', mode: 'live' },
    { host: 'hooks.example', reason: 'failing' },
  ])
  expect(JSON.stringify(notices)).not.toContain('secret-path')
})

test('results that leave in three days are written about once, and those that stay or were never to stay are not', async () => {
  const engines = await openEngines()
  const leaving = await insertJob(engines, 'completed', 2)
  await insertJob(engines, 'completed', 10)
  await maintainNotifications(api.db)
  await maintainNotifications(api.db)
  expect(await listNotices(engines)).toMatchObject([{ kind: 'retention_warning', data: { job_id: leaving } }])
})

const DEFAULTS: Record<Role, string[]> = {
  owner: NOTIFICATION_KINDS,
  admin: NOTIFICATION_KINDS,
  developer: ['job_done', 'webhook_failing'],
  marketer: ['job_done', 'retention_warning'],
  viewer: [],
}

test.each(Object.entries(DEFAULTS))(
  'a member with the role %s receives its default notifications',
  async (role, kinds) => {
    const engines = await openEngines()
    const eve = await signUp(api)
    await addMember(api, engines.id, eve, role as Role)
    const { body } = await eve.get('/notices', engines.account)
    expect(body['wanted']).toBeNull()
    expect((body['usual'] as string[]).toSorted()).toEqual(kinds.toSorted())
  },
)

test('people choose for themselves, in each organisation anew, and are written about what they chose', async () => {
  const engines = await openEngines()
  const eve = await signUp(api)
  await addMember(api, engines.id, eve, 'viewer')
  expect((await eve.get('/notices', engines.account)).body).toEqual({ wanted: null, usual: [], mail: false })
  const chosen = await eve.call({
    method: 'PATCH',
    url: '/app/api/notices',
    payload: { wanted: ['key_created'] },
    headers: engines.account,
  })
  expect(chosen.body).toMatchObject({ wanted: ['key_created'] })
  const none = { method: 'PATCH', url: '/app/api/notices', payload: { wanted: [] }, headers: engines.account } as const
  expect((await engines.ada.call(none)).body).toMatchObject({ wanted: [], usual: NOTIFICATION_KINDS })
  await makeKey(engines)
  expect((await listNotices(engines)).map(({ userId }) => userId)).toEqual([eve.personId])

  const wrong = await eve.call({ ...none, payload: { wanted: ['everything'] } })
  expect(wrong.status).toBe(400)
  const stranger = await signUp(api)
  expect((await stranger.get('/notices', engines.account)).status).toBe(404)
})

test('a real mail server takes the letters, each once', async () => {
  const town = await startMailServers({ port: await freePort() })
  whenDone(() => town.stop())
  const { behind, logFile } = town.servers.postfix
  const engines = await openEngines()
  const resident = 'ada@postfix.example'
  // The address has one owner: a retried test gives it to its own user.
  await asOwner(api.db, (trx) => sql`delete from users where email = ${resident}`.execute(trx))
  await asOwner(api.db, (trx) =>
    sql`update users set email = ${resident} where id = ${engines.ada.personId}`.execute(trx),
  )
  await makeKey(engines, 'Newsletter')
  const settings = { url: `smtp://${behind.host}:${behind.port}`, from: 'Probity <post@probity.example>' }
  const log = pino({ level: 'silent' })
  const { admission } = api.services
  const office = { db: api.db, mail: openMailer(settings, log), admission, appUrl: 'https://probity.example/app', log }
  const senders = [startSendingNotices(office), startSendingNotices(office)]
  whenDone(() => Promise.all(senders.map((sender) => sender.stop())))
  const taken = () => readFileSync(logFile, 'utf8').match(/to=<ada@postfix\.example>.*status=sent/g) ?? []
  await vi.waitFor(() => expect(taken()).toHaveLength(1), { timeout: 30_000, interval: 200 })
  await vi.waitFor(async () => {
    const { rows } = await asOwner(api.db, (trx) =>
      sql`select attempts, next_at from notifications where account_id = ${engines.id} and sent_at is not null`.execute(
        trx,
      ),
    )
    expect(rows).toEqual([{ attempts: 1, nextAt: null }])
  })
})

test('a letter that no mail server takes is tried again later, and given up in the end', async () => {
  const engines = await openEngines()
  await makeKey(engines)
  const log = pino({ level: 'silent' })
  const mail = openMailer({ url: 'smtp://127.0.0.1:1', from: 'post@probity.example' }, log)
  const { admission } = api.services
  const sender = startSendingNotices({ db: api.db, mail, admission, appUrl: 'https://probity.example/app', log })
  whenDone(() => sender.stop())
  const look = async () => {
    const { rows } = await asOwner(api.db, (trx) =>
      sql<{ attempts: number; waitS: number | null }>`
        select attempts, extract(epoch from next_at - clock_timestamp())::float8 as wait_s from notifications
        where account_id = ${engines.id}`.execute(trx),
    )
    return rows[0]
  }
  await vi.waitFor(async () => expect(await look()).toMatchObject({ attempts: 1 }), { timeout: 20_000, interval: 200 })
  await vi.waitFor(async () => expect((await look())?.waitS).toBeLessThan(61), { timeout: 10_000, interval: 200 })
  await asOwner(api.db, (trx) =>
    sql`update notifications set attempts = 6, next_at = now() where account_id = ${engines.id}`.execute(trx),
  )
  await vi.waitFor(async () => expect(await look()).toEqual({ attempts: 7, waitS: null }), {
    timeout: 20_000,
    interval: 200,
  })
})

test('many new keys lead to one email per member, and to at most ten per hour', async () => {
  const engines = await openEngines()
  const letters: string[] = []
  const mail = {
    send: async ({ lines }: { lines: string[] }) => letters.push(lines.join(' ')) > 0,
    close: () => {},
  }
  const { admission } = api.services
  const log = pino({ level: 'silent' })
  // Notifications of other tests are not due.
  await asOwner(api.db, (trx) => sql`update notifications set next_at = null`.execute(trx))
  for (let n = 0; n < 20; n++) await makeKey(engines, `Key ${n}`)
  const sender = startSendingNotices({ db: api.db, mail, admission, appUrl: 'https://probity.example/app', log })
  whenDone(() => sender.stop())
  await vi.waitFor(() => expect(letters).toHaveLength(1), { timeout: 20_000, interval: 100 })
  expect(letters[0]).toContain('There are 19 more events of this kind.')

  await asOwner(api.db, (trx) =>
    sql`
      insert into notifications (account_id, user_id, kind, subject, data)
      select ${engines.id}, ${engines.ada.personId}, kind, n::text, '{"filename": "x.csv"}'
      from unnest(array['job_done', 'credits_low', 'webhook_failing', 'retention_warning']) kind, generate_series(1, 3) n
    `.execute(trx),
  )
  const deferred = sql<{ count: number }>`
    select count(*)::int as count from notifications
    where account_id = ${engines.id} and next_at > clock_timestamp() + interval '50 minutes'`
  await vi.waitFor(
    async () => {
      const { rows } = await asOwner(api.db, (trx) => deferred.execute(trx))
      expect((rows[0]?.count ?? 0) + letters.length).toBe(13)
    },
    { timeout: 20_000, interval: 100 },
  )
  expect(letters.length).toBeGreaterThanOrEqual(10)
  expect(letters.length).toBeLessThanOrEqual(11) // the limit refills by one in six minutes
})

test('each letter names what happened, to whom it is sent, and one thing to do', () => {
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
    count: 12_000,
    available: 3,
    name: 'Form',
    mode: 'live',
  }
  for (const kind of NOTIFICATION_KINDS) {
    const more = { hint: 'pb_live_…a1B2', webhook_id: 'w', host: 'hooks.example', reason: 'gone', on: '2026-12-01' }
    const letter = noticeLetter({ ...notice, kind, data: { ...data, ...more } }, 'https://probity.example/app')
    expect(letter.to).toBe('ada@example.com')
    expect(letter.link).toMatch(/^https:\/\/probity\.example\/app\/[a-z]+(\/[jw])?\?org=engines$/)
    expect(letter.lines.at(-1)).toContain('/app/settings/notices?org=engines')
    expect(JSON.stringify(letter)).not.toContain('undefined')
  }
})
