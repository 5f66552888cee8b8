import { addOverrides } from '@probity/database/accounts/overrides'
import { inTenant } from '@probity/database/connection/connect'
import { EXPORT_RECORDS, exportAccount } from '@probity/database/system/account-export'
import { expect, test } from 'vitest'
import { addMember, PASSWORD, signUp, startUsersApi } from '../../testing/test-browser.ts'
import { openFullAccount } from '../../testing/test-full-account.ts'

const api = await startUsersApi()
const full = await openFullAccount(api)
const other = await openFullAccount(api)

type Line = { record: string } & Record<string, unknown>
const read = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)

test('the export is one file with all stored data, and ends with counts', async () => {
  const { status, headers, text } = await full.owner.post('/export', { password: PASSWORD }, full.account)
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson'])
  expect(headers['content-disposition']).toBe('attachment; filename="probity-export.ndjson"')
  const lines = read(text)
  expect(lines[0]).toMatchObject({ record: 'export', format: 1, account_id: full.accountId })
  expect(lines.at(-1)).toEqual({ record: 'end', records: lines.length - 2 })
  const found = Map.groupBy(lines.slice(1, -1), ({ record }) => record)
  for (const record of [
    'account',
    'member',
    'invitation',
    'api_key',
    'webhook',
    'policy',
    'override',
    'upload',
    'job',
  ]) {
    expect([record, found.get(record)?.length ?? 0]).not.toEqual([record, 0])
  }
  expect(found.get('member')).toMatchObject([{ email: full.owner.email, role: 'owner' }])
  expect(found.get('api_key')).toMatchObject([
    { livemode: true, ip_allowlist: [], replaces_key_id: null, replaced_by_key_id: null },
  ])
  expect(found.get('webhook')).toMatchObject([{ livemode: true }])
  expect(found.get('job_result')).toMatchObject([{ email: `${full.canary}@example.com`, status: 'valid' }])
  expect(found.get('validation')?.length).toBe(3)
  expect(found.get('webhook_event')?.length).toBeGreaterThan(0)
  expect(found.get('ledger_entry')?.length).toBeGreaterThan(0)
  expect([...found.keys()].every((record) => EXPORT_RECORDS.includes(record))).toBe(true)
}, 240_000)

test('the export contains no secrets and no data of other accounts', async () => {
  const { text } = await full.owner.post('/export', { password: PASSWORD }, full.account)
  expect(text).not.toContain(other.canary)
  expect(text).not.toContain(other.accountId)
  expect(text).not.toContain(full.key.key)
  expect(text).not.toMatch(/whsec_|"hash"|argon2/)
}, 240_000)

test('the export requires an owner and their password', async () => {
  const wrong = await full.owner.post('/export', { password: 'not the right one' }, full.account)
  expect([wrong.status, wrong.body['errors']]).toEqual([
    400,
    [{ pointer: '/password', detail: 'The password is incorrect.' }],
  ])
  const admin = await signUp(api)
  await addMember(api, full.accountId, admin, 'admin')
  const refused = await admin.post('/export', { password: PASSWORD }, full.account)
  expect([refused.status, refused.body['code']]).toEqual([403, 'missing_role'])
}, 240_000)

test('the export is a snapshot: data written during the export is not in it', async () => {
  const chunks = exportAccount(api.db, full.accountId)
  let text = String((await chunks.next()).value)
  const entries = Array.from({ length: 500 }, (_, n) => `late-${n}@example.com`)
  await inTenant(api.db, full.accountId, (trx) =>
    addOverrides(trx, full.accountId, { action: 'block', targets: entries, createdBy: 'Ada' }),
  )
  for await (const chunk of chunks) text += chunk
  expect(text).not.toContain('late-')
  let again = ''
  let largest = 0
  for await (const chunk of exportAccount(api.db, full.accountId)) {
    again += chunk
    largest = Math.max(largest, chunk.split('\n').length)
  }
  expect(read(again).filter(({ record }) => record === 'override')).toHaveLength(501)
  expect(largest).toBeLessThanOrEqual(201)
}, 240_000)

test('the connection is released when the client stops reading', async () => {
  for (let n = 0; n < 30; n++) {
    const chunks = exportAccount(api.db, full.accountId)
    await chunks.next()
    await chunks.return(undefined)
  }
  expect((await full.owner.get('/account', full.account)).status).toBe(200)
}, 240_000)
