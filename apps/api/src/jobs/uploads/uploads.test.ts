import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import type { Upload, UploadPreview } from '@probity/contract/schemas/jobs/uploads'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { confirmUpload } from '@probity/database/jobs/jobs'
import { PLAIN_LIST } from '@probity/database/jobs/test-jobs'
import { discardDraft } from '@probity/database/jobs/uploads'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { callApp, startTestApi, type TestClient } from '../../testing/test-api.ts'

const api = await startTestApi()
const { folder } = api.config.storage

async function send(by: TestClient, content = LIST, name = 'list.csv'): Promise<UploadPreview> {
  const form = new FormData()
  form.append('file', new Blob([content]), name)
  const { body } = await by.call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
  return body as UploadPreview
}

const look = (by: TestClient, id: string, query: Record<string, string> = {}) =>
  by.call({ method: 'GET', url: `/api/v1/bulk/uploads/${id}`, query })
const remove = (by: TestClient, id: string) => by.call({ method: 'DELETE', url: `/api/v1/bulk/uploads/${id}` })
const confirm = (by: TestClient, id: string) =>
  by.call({ method: 'POST', url: '/api/v1/bulk/upload/confirm', payload: { upload_id: id, email_column: 'email' } })

async function list(by: TestClient, query: Record<string, string> = {}) {
  const { text, headers } = await by.call({ method: 'GET', url: '/api/v1/bulk/uploads', query })
  return { uploads: JSON.parse(text) as Upload[], headers }
}

const LIST = `name,email,work mail
Ada,ada@example.com,ada@gmail.com
Bo,bo@example.com,
Cy,cy@example.com,ADA@gmail.com
Dee,dee@example.com,none
`

test('a repeated GET of an upload returns the same response as the upload', async () => {
  const caller = await api.openCaller({ credits: 7 })
  const first = await send(caller)
  const again = await look(caller, first.upload_id)
  expect([again.status, again.body]).toEqual([200, first])
  expect(first).toMatchObject({ email_column: 'email', email_count: 4, suggestion_reason: 'several_columns' })
})

test('another column is counted when it is named, and the suggestion is unchanged', async () => {
  const caller = await api.openCaller({ credits: 7 })
  const first = await send(caller)
  const { body } = await look(caller, first.upload_id, { email_column: 'work mail' })
  expect(body).toEqual({
    ...first,
    email_column: 'work mail',
    email_count: 2,
    empty_count: 1,
    not_address_count: 1,
    not_address_examples: [{ row: 5, value: 'none' }],
    unique_count: 1,
    duplicate_count: 1,
    provider_mix: [{ provider: 'google', count: 1 }],
    credits: { ...first.credits, quote: 1 },
  })
  const none = await look(caller, first.upload_id, { email_column: 'nowhere' })
  expect([none.status, none.body['code']]).toEqual([422, 'unknown_column'])
})

test('a repeated GET returns the current credits', async () => {
  const caller = await api.openCaller({ credits: 20 })
  const [first, other] = [await send(caller), await send(caller)]
  await confirm(caller, other.upload_id)
  const { body } = await look(caller, first.upload_id)
  const { same_file_job: same, ...rest } = body
  expect(rest).toEqual({ ...first, credits: { ...first.credits, available: 16 } })
  expect(same).toMatchObject({ filename: other.filename, email_column: 'email', credits_used: 0 })
})

test('uploads are listed newest first, with a total and links, until they are confirmed', async () => {
  const caller = await api.openCaller({ credits: 20 })
  const sent = [await send(caller, LIST, 'a.csv'), await send(caller, LIST, 'b.csv'), await send(caller, LIST, 'c.csv')]
  const { uploads, headers } = await list(caller, { limit: '2' })
  expect(uploads.map(({ filename }) => filename)).toEqual(['c.csv', 'b.csv'])
  expect([headers['x-total-count'], headers['link']]).toEqual([
    '3',
    '</api/v1/bulk/uploads?skip=2&limit=2>; rel="next"',
  ])
  const [newest] = uploads
  expect(sent[2]).toMatchObject({ upload_id: newest?.upload_id, unique_count: 4, expires_at: newest?.expires_at })
  expect(newest).toMatchObject({ row_count: 4, email_count: 4, duplicate_count: 0, livemode: true })

  expect((await confirm(caller, sent[2]?.upload_id ?? '')).status).toBe(201)
  expect((await list(caller)).uploads.map(({ filename }) => filename)).toEqual(['b.csv', 'a.csv'])
  expect((await look(caller, sent[2]?.upload_id ?? '')).status).toBe(404)
})

test('an upload is deleted with its file immediately', async () => {
  const caller = await api.openCaller({ credits: 20 })
  const before = readdirSync(folder)
  const { upload_id } = await send(caller)
  expect((await remove(caller, upload_id)).status).toBe(204)
  expect(readdirSync(folder)).toEqual(before)
  const after = [look(caller, upload_id), remove(caller, upload_id), confirm(caller, upload_id)]
  expect((await Promise.all(after)).map(({ status }) => status)).toEqual([404, 404, 404])
  const { rows } = await asOwner(api.db, (trx) => sql`select from uploads where id = ${upload_id}`.execute(trx))
  expect(rows).toEqual([])
})

test('a confirmed upload cannot be deleted: its job needs the file', async () => {
  const caller = await api.openCaller({ credits: 20 })
  const { upload_id } = await send(caller)
  await confirm(caller, upload_id)
  const before = readdirSync(folder)
  expect((await remove(caller, upload_id)).status).toBe(404)
  expect(readdirSync(folder)).toEqual(before)
})

test('an upload that is deleted while it is confirmed becomes either a job or nothing', async () => {
  const { accountId, ...caller } = await api.openCaller({ credits: 20 })
  const view = { accountId, mode: 'live' } as const
  const counts = { emailColumn: 'email', keyId: null, ...PLAIN_LIST, emailCount: 4, uniqueCount: 4 }
  const [first, second] = [await send({ accountId, ...caller }), await send({ accountId, ...caller })]

  const discarded = await inTenant(api.db, accountId, async (trx) => {
    await confirmUpload(trx, view, { uploadId: first.upload_id, ...counts })
    const discarding = inTenant(api.db, accountId, (other) => discardDraft(other, view, first.upload_id))
    await untilSomebodyWaits()
    return { discarding }
  })
  expect(await discarded.discarding).toBeUndefined()

  const confirmed = await inTenant(api.db, accountId, async (trx) => {
    expect(await discardDraft(trx, view, second.upload_id)).toBeDefined()
    const confirming = inTenant(api.db, accountId, (other) =>
      confirmUpload(other, view, { uploadId: second.upload_id, ...counts }),
    )
    await untilSomebodyWaits()
    return { confirming }
  })
  expect(await confirmed.confirming).toEqual({ kind: 'missing' })
})

function untilSomebodyWaits(): Promise<void> {
  return vi.waitFor(async () => {
    const { rows } = await asOwner(api.db, (trx) =>
      sql`select from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where not l.granted and a.datname = current_database()`.execute(trx),
    )
    expect(rows.length).toBeGreaterThan(0)
  })
}

test('uploads of live keys are visible to live keys, and uploads of test keys to test keys', async () => {
  const caller = await api.openCaller({ credits: 20 })
  const live = await send(caller)
  const { text } = await inTenant(api.db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode: 'test', name: 'test', scopes: ['jobs:write'] }),
  )
  const tester: TestClient = {
    ...caller,
    key: text,
    call: (request) => callApp(api.app, { ...request, headers: { 'x-api-key': text } }),
  }
  const sandbox = await send(tester)
  expect(sandbox.credits.quote).toBe(0)
  expect((await list(tester)).uploads.map(({ upload_id }) => upload_id)).toEqual([sandbox.upload_id])
  expect((await list(caller)).uploads.map(({ upload_id }) => upload_id)).toEqual([live.upload_id])
  expect((await look(tester, live.upload_id)).status).toBe(404)
  expect((await remove(tester, live.upload_id)).status).toBe(404)
})

test('an expired upload is not found', async () => {
  const caller = await api.openCaller()
  const { upload_id } = await send(caller)
  await asOwner(api.db, (trx) => sql`update uploads set expires_at = now() where id = ${upload_id}`.execute(trx))
  expect((await list(caller)).uploads).toEqual([])
  expect((await look(caller, upload_id)).status).toBe(404)
  expect((await look(caller, randomUUID())).status).toBe(404)
})
