import { randomUUID } from 'node:crypto'
import { describeLines, type LineCounts } from '@probity/contract/constants/texts/jobs'
import type { Role } from '@probity/contract/constants/users'
import { NOTIFICATION_KINDS } from '@probity/contract/constants/users'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { maintainNotifications } from '@probity/database/users/notifications'
import { openTestWebhook } from '@probity/database/webhooks/test-webhooks'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addMember, openNewAccount, type SignedIn, signUp, startUsersApi } from '../testing/test-browser.ts'

const api = await startUsersApi({ config: { publicUrl: 'https://probity.example' } })

type Organisation = { id: string; ada: SignedIn; account: { 'probity-account': string } }

async function openEngines(): Promise<Organisation> {
  const ada = await signUp(api)
  const account = await openNewAccount(ada)
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

/** A completed job of one address. */
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

test('one email each is sent for a completed job, low credits, a new key and a disabled webhook', async () => {
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

/** Makes a job a rerun of the unknown rows of another. */
function makeRerun(jobId: string, of: string) {
  return asOwner(api.db, (trx) =>
    sql`update jobs set rerun_of = ${of}, rerun_rows = 'unknown' where id = ${jobId}`.execute(trx),
  )
}

test('the email about a rerun of unknown rows leads to the list that it is merged into', async () => {
  const engines = await openEngines()
  const list = await insertJob(engines, 'completed')
  const end = async (of: string) => {
    const rerun = await insertJob(engines, 'processing')
    await makeRerun(rerun, of)
    await asOwner(api.db, (trx) =>
      sql`update jobs set state = 'completed', finished_at = now() where id = ${rerun}`.execute(trx),
    )
    return rerun
  }
  await end(list)
  const alone = await end(randomUUID()) // the list was deleted
  expect((await listNotices(engines)).map(({ data }) => data)).toMatchObject([
    { job_id: list, rerun_rows: 'unknown' },
    { job_id: alone, rerun_rows: 'unknown' },
  ])
})

test('no email warns of the expiry of a rerun of unknown rows', async () => {
  const engines = await openEngines()
  const list = await insertJob(engines, 'completed', 10)
  await makeRerun(await insertJob(engines, 'completed', 2), list)
  await maintainNotifications(api.db)
  expect(await listNotices(engines)).toEqual([])
})

test('the email about a completed job accounts for the same lines as the API', async () => {
  const engines = await openEngines()
  const jobId = await insertJob(engines, 'processing')
  await asOwner(api.db, async (trx) => {
    await sql`update jobs set row_count = 60, blank_count = 4, not_address_count = 3, extra_address_count = 5, left_out_count = 7,
      several_addresses = 'all', malformed = 'skip', email_count = 50, unique_count = 41, done_count = 41 where id = ${jobId}`.execute(
      trx,
    )
    await sql`update jobs set state = 'completed', finished_at = now() where id = ${jobId}`.execute(trx)
  })
  const [notice] = await listNotices(engines)
  const { body } = await engines.ada.get(`/bulk/jobs/${jobId}`, engines.account)
  const text = '64 lines and 5 second addresses: 4 blank, 8 without an address, 7 malformed, 9 duplicates, 41 validated'
  expect([notice?.data, body].map((sum) => describeLines(sum as unknown as LineCounts))).toEqual([text, text])
})

test('one email is sent for results that expire in three days, and none for other results', async () => {
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

test('users choose notifications per account and receive the chosen ones', async () => {
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
  const outsider = await signUp(api)
  expect((await outsider.get('/notices', engines.account)).status).toBe(404)
})
