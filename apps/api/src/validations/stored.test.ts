import { ValidationResult } from '@probity/contract/schemas/validations/single'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import Value from 'typebox/value'
import { expect, test, vi } from 'vitest'
import { startTestApi } from '../testing/test-api.ts'
import { startClaiming, startPlainWorker } from '../testing/test-plain-worker.ts'

const api = await startTestApi()
const caller = await api.openCaller({ credits: 100 })

const SINGLE = '/api/v1/validation/single'
const ask = (payload: object) => caller.call({ method: 'POST', url: SINGLE, payload })
const read = (id: unknown, by = caller) => by.call({ method: 'GET', url: `/api/v1/validations/${id}` })

const INVALID = { status: 'invalid', sub_status: 'no_mail_server', is_valid: false }

/** Runs until the end of the test. */
const startWorker = () => startPlainWorker(api.db, (email) => ({ ...pendingResult(email, 'not_probed'), ...INVALID }))

test('an unfinished validation is returned as pending, and reading it collects nothing', async () => {
  const claiming = startClaiming(api.db)
  const { body } = await ask({ email: 'slow@example.com', timeout: 2 })
  await claiming.stop()
  expect(body['retry_at']).not.toBeNull()
  const open = await read(body['id'])
  expect(Value.Errors(ValidationResult, open.body)).toEqual([])
  expect(open.body).toMatchObject({ id: body['id'], status: 'unknown', retry_at: expect.any(String) })

  startWorker()
  await vi.waitFor(async () =>
    expect((await read(body['id'])).body).toMatchObject({ status: 'invalid', retry_at: null }),
  )
  // The uncollected result is still available, free, once.
  expect((await ask({ email: 'slow@example.com' })).headers['credits-charged']).toBe('0')
})

test('a stored validation is returned by its id, unchanged and free', async () => {
  startWorker()
  const { body: first } = await ask({ email: 'ada@example.com', ai: false })
  const { status, body, headers } = await read(first['id'])
  expect([status, Value.Errors(ValidationResult, body)]).toEqual([200, []])
  const { performance: _, metadata: kept, ...rest } = body as ValidationResult
  const { performance: _first, metadata: made, ...before } = first as ValidationResult
  expect(rest).toEqual(before)
  // The features and time of the original validation, not those of a new one.
  expect(kept.features_used).toEqual(made.features_used)
  expect(kept.timestamp).toBeLessThanOrEqual(made.timestamp)
  expect(headers['credits-charged']).toBeUndefined()
})

test('reading is free, however often', async () => {
  startWorker()
  const { body } = await ask({ email: 'grace@example.com' })
  const credits = async () => (await caller.call({ method: 'GET', url: '/api/v1/account' })).body['credits']
  const before = await credits()
  for (let n = 0; n < 3; n++) expect((await read(body['id'])).status).toBe(200)
  expect(await credits()).toEqual(before)
})

test('a validation of another account and an expired one are not found', async () => {
  startWorker()
  const { body } = await ask({ email: 'mary@example.com' })
  const id = String(body['id'])
  expect((await read(id, await api.openCaller())).body).toMatchObject({ code: 'not_found' })
  expect((await read('0198f2c4-7b20-7a16-8e04-51c09d3e7f42')).body).toMatchObject({ code: 'not_found' })
  expect((await read('no-id')).status).toBe(400)
  await asOwner(api.db, (trx) => sql`delete from validations where id = ${id}`.execute(trx))
  expect((await read(id)).body).toMatchObject({ code: 'not_found' })
})

test('a key without the scope and a test key cannot read it', async () => {
  startWorker()
  const { body } = await ask({ email: 'alan@example.com' })
  const other = await api.openCaller({ key: { scopes: ['jobs:write'] } })
  expect((await read(body['id'], other)).status).toBe(403)
  const tester = await api.openCaller({ key: { mode: 'test' } })
  const simulated = await tester.call({ method: 'POST', url: SINGLE, payload: { email: 'valid@example.com' } })
  expect((await read(simulated.body['id'], tester)).body).toMatchObject({ code: 'not_found' })
})

test('a stored result shows its stored verdict and the current override', async () => {
  startWorker()
  const { body } = await ask({ email: 'listed@example.com' })
  expect((await read(body['id'])).body).toMatchObject({ override: null })
  const payload = { action: 'block', targets: ['listed@example.com'] }
  expect((await caller.call({ method: 'POST', url: '/api/v1/overrides', payload })).status).toBe(200)
  const again = (await read(body['id'])).body
  expect(again).toMatchObject({ override: 'block', status: body['status'], safe_to_send: false })
  expect(Value.Errors(ValidationResult, again)).toEqual([])
})
