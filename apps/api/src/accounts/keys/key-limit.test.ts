import { inTenant } from '@probity/database/connection/connect'
import { expect, test } from 'vitest'
import { callApp, startTestApi } from '../../testing/test-api.ts'

const KEYS_MAX = 4
const api = await startTestApi({ config: { keysMax: KEYS_MAX } })
const post = (name: string) => ({ method: 'POST', url: '/api/v1/keys', payload: { name } }) as const

test('an account has a limited number of keys, also when many are created at once', async () => {
  const { call, accountId } = await api.openCaller()
  const made = await Promise.all(Array.from({ length: 10 }, (_, n) => call(post(`key ${n}`))))
  expect(made.filter(({ status }) => status === 201)).toHaveLength(KEYS_MAX - 1)
  const refused = made.filter(({ status }) => status !== 201)
  expect(refused.map(({ status, body }) => [status, body['code']])).toEqual(refused.map(() => [409, 'too_many_keys']))
  const rows = await inTenant(api.db, accountId, (trx) => trx.selectFrom('apiKeys').select('id').execute())
  expect(rows).toHaveLength(KEYS_MAX)
})

test('a revoked key makes room for another', async () => {
  const { call } = await api.openCaller()
  const ids: unknown[] = []
  for (let n = 1; n < KEYS_MAX; n++) ids.push((await call(post(`key ${n}`))).body['id'])
  expect((await call(post('one more'))).body['code']).toBe('too_many_keys')
  await call({ method: 'DELETE', url: `/api/v1/keys/${String(ids[0])}` })
  expect((await call(post('one more'))).status).toBe(201)
})

test('an account at its limit can rotate keys, a limited number of times', async () => {
  const { call, keyId, key } = await api.openCaller()
  for (let n = 1; n < KEYS_MAX; n++) await call(post(`key ${n}`))
  const codes: unknown[] = []
  let newest = { id: keyId, key }
  for (let n = 0; n <= KEYS_MAX; n++) {
    const headers = { 'x-api-key': newest.key }
    const request = { method: 'POST', url: `/api/v1/keys/${newest.id}/rotate`, payload: {}, headers } as const
    const { status, body } = await callApp(api.app, request)
    codes.push(status === 201 ? 201 : body['code'])
    newest = body as typeof newest
  }
  expect(codes).toEqual([201, 201, 201, 201, 'too_many_keys'])
})

test('alternating creation and revocation is limited to ten times the key limit per day', async () => {
  const { call } = await api.openCaller()
  const create = async () => {
    const { status, body } = await call(post('short-lived'))
    if (status === 201) await call({ method: 'DELETE', url: `/api/v1/keys/${String(body['id'])}` })
    return status
  }
  for (let n = 1; n < KEYS_MAX * 10; n++) expect(await create()).toBe(201)
  expect(await create()).toBe(409)
})
