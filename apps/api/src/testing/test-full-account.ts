import { randomUUID } from 'node:crypto'
import { KEY_SCOPES, type KeyScope } from '@probity/contract/constants/keys'
import { pendingResult } from '@probity/contract/schemas/validations/stored-result'
import { insertKey } from '@probity/database/accounts/keys'
import { type Db, inTenant } from '@probity/database/connection/connect'
import { deferResult, finishValidation, openValidations } from '@probity/database/validations/validations'
import { expect } from 'vitest'
import { callApp, type TestApi, type TestClient } from './test-api.ts'
import { openNewAccount, type SignedIn, signUp } from './test-browser.ts'
import { startClaiming } from './test-plain-worker.ts'
import { keepList } from './test-results.ts'

export type FullAccount = {
  owner: SignedIn
  account: { 'probity-account': string }
  accountId: string
  /** Part of every address and name of the account. */
  canary: string
  key: TestClient
}

const SCOPES = Object.keys(KEY_SCOPES) as KeyScope[]

/** An account with all kinds of stored data. No worker runs, so its validations stay unfinished. */
export async function openFullAccount(api: TestApi): Promise<FullAccount> {
  const canary = `canary-${randomUUID()}`
  const owner = await signUp(api, `${canary}@people.example`)
  const account = await openNewAccount(owner, `Org ${canary}`)
  const accountId = account['probity-account']
  const key = await openKey(api, accountId)
  const email = `${canary}@example.com`
  const post = async (url: string, payload: object, headers = {}) => {
    const answer = await key.call({ method: 'POST', url: `/api/v1${url}`, payload, headers })
    expect([url, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([url, answer.status, ''])
    return answer
  }
  await post('/webhooks', { url: `https://${canary}.example.com/` })
  await post('/overrides', { action: 'block', targets: [email], note: canary })
  await post('/policies', {
    name: 'own',
    description: canary,
    rules: [],
    default: { decision: 'allow', reason: canary },
  })
  // Claimed addresses stay unfinished when their requests time out.
  const worker = startClaiming(api.db)
  await post('/validation/single', { email, timeout: 2 }, { 'idempotency-key': 'once' })
  await endOne(api.db, accountId, `ended-${email}`)
  await post('/validation/bulk', { emails: [`bulk-${email}`], timeout: 2 })
  await worker.stop()
  await post('/feedback', { messages: [{ email, delivery: 'delivered' }] })
  await keepList(api, { content: `email\n${email}\n`, filename: `${canary}.csv`, by: key })
  await startList(key, `email\n${email}\n`, `${canary}-running.csv`)
  const invite = { organizationId: accountId, email: `invited-${email}`, role: 'viewer' }
  expect((await owner.post('/auth/organization/invite-member', invite)).status).toBe(200)
  return { owner, account, accountId, canary, key }
}

/** Ends an unfinished validation: its result waits to be collected, and a webhook event is created. */
async function endOne(db: Db, accountId: string, email: string): Promise<void> {
  const row = { id: randomUUID(), email, emailKey: email }
  await inTenant(db, accountId, async (trx) => {
    const opened = await openValidations(trx, { accountId, keyId: null, retentionDays: 30, group: row.id }, [row])
    const ref = opened.kind === 'opened' ? opened.refs[0] : undefined
    if (ref === undefined) throw new Error('not opened')
    await deferResult(trx, ref)
    await finishValidation(trx, ref, { conclusive: true, result: pendingResult(email, 'not_probed') })
  })
}

/** Starts a job without a worker. */
async function startList(by: TestClient, content: string, filename: string): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([content]), filename)
  const { body } = await by.call({ method: 'POST', url: '/api/v1/bulk/upload/preview', payload: form })
  const payload = { upload_id: body['upload_id'], email_column: 'email' }
  const confirmed = await by.call({ method: 'POST', url: '/api/v1/bulk/upload/confirm', payload })
  expect(confirmed.status).toBe(201)
}

async function openKey(api: TestApi, accountId: string): Promise<TestClient> {
  const { text, key } = await insertFullKey(api.db, accountId)
  const call: TestClient['call'] = (request) =>
    callApp(api.app, { ...request, headers: { ...request.headers, 'x-api-key': text } })
  return { accountId, keyId: key.id, key: text, call }
}

function insertFullKey(db: Db, accountId: string) {
  return inTenant(db, accountId, (trx) =>
    insertKey(trx, accountId, { mode: 'live', name: 'Production', scopes: SCOPES }),
  )
}
