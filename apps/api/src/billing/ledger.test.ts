import { randomUUID } from 'node:crypto'
import { type LedgerEntry, LedgerPage } from '@probity/contract/schemas/billing'
import { type Movement, postCredits } from '@probity/database/billing/ledger'
import { inTenant } from '@probity/database/connection/connect'
import { parse } from 'csv-parse/sync'
import Value from 'typebox/value'
import { expect, test } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'

const api = await startTestApi()

async function openBooks(key = {}) {
  const caller = await api.openCaller({ credits: 100, key })
  const get = (query = '') => caller.call({ method: 'GET', url: `/api/v1/ledger${query}` })
  const post = (movement: Movement) => inTenant(api.db, caller.accountId, (trx) => postCredits(trx, movement))
  return { ...caller, get, post }
}

test('GET /ledger returns the reason of each transaction in exactly the shape of the contract', async () => {
  const { call, get, keyId } = await openBooks({ name: 'The form' })
  const form = new FormData()
  form.append('file', new Blob(['email\na@example.com\nb@example.com\n']), 'spring.csv')
  const { body: upload } = await call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
  const payload = { upload_id: upload['upload_id'], email_column: 'email' }
  const { body: job } = await call({ method: 'POST', url: '/api/v1/bulk/upload/confirm', payload })
  const { body, headers } = await get()
  expect(Value.Check(LedgerPage, body)).toBe(true)
  expect(headers['x-total-count']).toBe('2')
  const about = { subject: 'job', job_id: job['id'], filename: 'spring.csv', validation_id: null }
  expect(body).toMatchObject([
    { kind: 'reserve', credits: 2, available_change: -2, available_after: 98, ...about, key_id: keyId },
    { kind: 'grant', credits: 100, available_change: 100, available_after: 100, subject: 'account', key_id: null },
  ])
  expect((body as unknown as LedgerEntry[]).map(({ key_name }) => key_name)).toEqual(['The form', null])

  await call({ method: 'POST', url: `/api/v1/bulk/jobs/${job['id']}/cancel` })
  await call({ method: 'DELETE', url: `/api/v1/bulk/jobs/${job['id']}` })
  const [released] = (await get()).body as unknown as LedgerEntry[]
  expect(released).toMatchObject({
    kind: 'release',
    credits: 2,
    available_after: 100,
    job_id: job['id'],
    filename: null,
  })
})

test('pages keep the filter, and no entry is on two of them', async () => {
  const { get, post, keyId } = await openBooks()
  for (let n = 0; n < 5; n++) await post({ kind: 'charge', credits: 1, subject: randomUUID(), keyId })
  await post({ kind: 'refund', credits: 1, subject: randomUUID(), keyId })
  const first = await get(`?kind=charge,refund&key_id=${keyId}&limit=4`)
  expect(first.headers['x-total-count']).toBe('6')
  const next = /<([^>]+)>; rel="next"/.exec(first.headers['link'] ?? '')?.[1] ?? ''
  const second = await get(next.slice('/api/v1/ledger'.length))
  const ids = [first, second].flatMap(({ body }) => (body as unknown as LedgerEntry[]).map(({ id }) => id))
  expect(new Set(ids).size).toBe(6)
  expect((await get('?key_id=none')).body).toMatchObject([{ kind: 'grant' }])
})

test('the export has every entry, and no cell is a spreadsheet formula', async () => {
  const { get, post } = await openBooks()
  for (let n = 0; n < 510; n++) await post({ kind: 'adjust', credits: n % 2 ? 1 : -1, subject: randomUUID() })
  await post({ kind: 'grant', credits: 1, subject: randomUUID(), note: '=HYPERLINK("http://x.example")' })
  const { status, headers, text } = await get('?format=csv')
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(headers['content-disposition']).toBe('attachment; filename="ledger.csv"')
  const rows = parse(text, { columns: true }) as Record<string, string>[]
  expect(rows).toHaveLength(512)
  expect(rows[0]).toMatchObject({ kind: 'grant', note: `'=HYPERLINK("http://x.example")`, available_after: '101' })
  expect(rows[2]).toMatchObject({ kind: 'adjust', available_change: '-1', available_after: '99' })
  expect(rows.at(-1)).toMatchObject({ kind: 'grant', available_change: '100', available_after: '100' })
  expect(parse((await get('?format=csv&kind=grant')).text)).toHaveLength(3)
})

test('a test key finds no transactions, since it charges no credits', async () => {
  const { get } = await openBooks({ mode: 'test' })
  const { body, headers } = await get()
  expect([body, headers['x-total-count']]).toEqual([[], '0'])
  expect(parse((await get('?format=csv')).text)).toHaveLength(1)
})

test.each(['kind=theft', 'kind=', 'key_id=me', 'from=2026-13-01', 'to=0000-01-01', 'format=xlsx', 'skip=-1'])(
  '%s is rejected',
  async (query) => {
    const { get } = await openBooks()
    const { status, body } = await get(`?${query}`)
    expect([status, body['code']]).toEqual([400, 'invalid_request'])
  },
)

test('the ledger requires the scope account:read', async () => {
  const { get } = await openBooks({ scopes: ['validations:write', 'jobs:write'] })
  expect(await get()).toMatchObject({ status: 403, body: { code: 'missing_scope' } })
})
