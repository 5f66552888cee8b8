import type { KeyScope } from '@probity/contract/constants/keys'
import type { Result } from '@probity/contract/schemas/jobs/results'
import type { ValidationResult } from '@probity/contract/schemas/validations/single'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { startDns } from '@probity/lab/dns/start'
import { freePort, makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { expect, test, vi } from 'vitest'
import { startWorkerHere } from '../environment/in-process-worker.ts'
import { type ApiClient, createApiClient } from '../environment/instance.ts'
import { startApiProcess } from '../environment/processes.ts'
import { claimRedis } from '../environment/redis.ts'

/** Confidence and the evidence that changes it, with an honest mail server and a catch-all server. */
const database = await createTestDatabase()
const domains = ['truthful', 'all', 'firm', 'alone', 'shop']
const dns = await startDns({
  names: Object.fromEntries(
    domains.flatMap((name) => [
      [`${name}.example`, { mx: [[10, `mx.${name}.example`]] }],
      [`mx.${name}.example`, { a: [name === 'truthful' ? '127.94.0.1' : '127.94.0.2'] }],
    ]),
  ),
  faults: {},
})
whenDone(() => dns.stop())
const port = await freePort()
const truthful = await startScripted(
  {
    rcpt: (_peer, to) => (/^(ada|xk7qzvw9trb4)/.test(to) ? '250 2.1.5 Ok' : '550 5.1.1 User unknown'),
  },
  { host: '127.94.0.1', port },
)
whenDone(() => truthful.stop())
const asked: string[] = []
const all = await startScripted(
  {
    rcpt(_peer, to) {
      asked.push(to)
      return '250 2.1.5 Ok'
    },
  },
  { host: '127.94.0.2', port },
)
whenDone(() => all.stop())

const uploads = makeFolder('probity-uploads')
whenDone(() => removeFolder(uploads))
const settings = { DATABASE_URL: database.url, UPLOADS_FOLDER: uploads, STOP_NOTICE_MS: '0' }
await startWorkerHere({
  settings: { ...settings, REDIS_URL: await claimRedis() },
  dnsPort: dns.port,
  smtpPort: port,
  allows: (address) => address.startsWith('127.94.'),
})
const api = await startApiProcess(settings)
const SCOPES: KeyScope[] = ['validations:write', 'jobs:write', 'account:write']
const newCustomer = (plan = 'scale') => createApiClient({ db: database.db, api }, { plan, key: { scopes: SCOPES } })

async function sendRequest({ call }: ApiClient, email: string, options: object = {}): Promise<ValidationResult> {
  return (await call('POST', '/validation/single', { email, ...options })).body as unknown as ValidationResult
}

function sumOf({ evidence }: ValidationResult): number {
  return evidence.reduce((sum, { log_odds = 0 }) => sum + log_odds, 0)
}

const logit = (p: number) => Math.log(p / (1 - p))
const people = (domain: string, count: number) =>
  Array.from({ length: count }, (_, n) => `person.${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10)]}@${domain}`)

test('the evidence of every kind of result adds up to the deliverability, and confidence follows it', async () => {
  const apiClient = await newCustomer()
  const emails = ['ada@truthful.example', 'bob@truthful.example', 'grace@all.example', 'xk7qzvw9trb4@all.example']
  for (const email of [...emails, 'nonsense', 'a@not-there.example']) {
    const result = await sendRequest(apiClient, email)
    expect(Math.abs(sumOf(result) - logit(result.deliverability)), email).toBeLessThan(1e-9)
    const certainty = result.status === 'invalid' ? 1 - result.deliverability : result.deliverability
    expect(result.confidence).toBeCloseTo(certainty, 9)
  }
})

test('reported outcomes count within seconds, for every account', async () => {
  const [apiClient, other] = [await newCustomer(), await newCustomer()]
  const before = await sendRequest(apiClient, 'hedy.lamarr@firm.example')
  expect(before).toMatchObject({ sub_status: 'catch_all', safe_to_send: false })
  const messages = people('firm.example', 40).map((email) => ({ email, delivery: 'delivered' }))
  expect((await apiClient.call('POST', '/feedback', { messages })).body).toMatchObject({ counted: { delivered: 40 } })

  const after = await vi.waitFor(
    async () => {
      const found = await sendRequest(apiClient, 'hedy.lamarr@firm.example')
      expect(found.safe_to_send).toBe(true)
      return found
    },
    { timeout: 10_000, interval: 500 },
  )
  expect(after.sub_status).toBe('catch_all') // the SMTP replies are unchanged
  expect(after.deliverability).toBeGreaterThan(0.97)
  expect(after.evidence.find(({ check }) => check === 'domain_history')).toMatchObject({ outcome: 'positive' })
  expect(Math.abs(sumOf(after) - logit(after.deliverability))).toBeLessThan(1e-9)
  expect((await sendRequest(other, 'hedy.lamarr@firm.example')).deliverability).toBe(before.deliverability)

  const bounced = people('firm.example', 60).slice(40)
  const bounces = bounced.map((email) => ({ email, delivery: 'bounced', code: '550 5.1.1 User unknown' }))
  await apiClient.call('POST', '/feedback', { messages: bounces })
  await vi.waitFor(
    async () => expect((await sendRequest(apiClient, 'hedy.lamarr@firm.example')).safe_to_send).toBe(false),
    {
      timeout: 10_000,
      interval: 500,
    },
  )
})

test('the model is used when the plan and the request allow it, and the result says so', async () => {
  const [apiClient, starter] = [await newCustomer(), await newCustomer('starter')]
  const email = 'xk7qzvw9trb4@all.example'
  const used = await sendRequest(apiClient, email)
  expect(used).toMatchObject({ ai_enhancement: { used: true, method: 'probity-local-1' } })
  expect(used).toMatchObject({
    flags: { is_machine_generated: true },
    metadata: { features_used: { ai_enhancement: true } },
  })
  for (const without of [await sendRequest(apiClient, email, { ai: false }), await sendRequest(starter, email)]) {
    expect(without).toMatchObject({
      ai_enhancement: { used: false, method: null },
      flags: { is_machine_generated: false },
    })
    expect(without.metadata.features_used.ai_enhancement).toBe(false)
    expect(without.deliverability).toBeGreaterThan(used.deliverability + 0.2)
  }
  expect((await sendRequest(apiClient, email)).deliverability).toBe(used.deliverability) // not from the cached result of the other request
})

test('validation probes no control recipient when the catch-all test is off', async () => {
  const apiClient = await newCustomer()
  const result = await sendRequest(apiClient, 'ada.byron@alone.example', { catchall: false })
  expect(result).toMatchObject({ status: 'risky', sub_status: 'catch_all_untested', safe_to_send: false })
  expect(result).toMatchObject({
    catchall: { confidence: null },
    metadata: { features_used: { catchall_detection: false } },
  })
  const byQuery = await apiClient.call('GET', '/validation/single?email=ada.byron@alone.example&catchall=false')
  expect(byQuery.body).toMatchObject({ sub_status: 'catch_all_untested' })
  expect(new Set(asked.filter((to) => to.endsWith('@alone.example')))).toEqual(new Set(['ada.byron@alone.example']))
  expect((await sendRequest(apiClient, 'ada.byron@alone.example')).sub_status).toBe('catch_all')
})

test('safe_to_send follows the settings of the account', async () => {
  const apiClient = await newCustomer()
  expect(await sendRequest(apiClient, 'ada@truthful.example')).toMatchObject({ status: 'valid', safe_to_send: true })
  const machine = 'xk7qzvw9trb4@truthful.example'
  expect(await sendRequest(apiClient, machine)).toMatchObject({ status: 'valid', safe_to_send: false })
  const stricter = { sending: { threshold: 0.99 } }
  expect((await apiClient.call('PATCH', '/account', stricter)).body).toMatchObject({
    sending: { threshold: 0.99, excluded_traits: ['disposable', 'role_based', 'machine_generated'] },
  })
  const laxer = await newCustomer()
  await laxer.call('PATCH', '/account', { sending: { excluded_traits: [] } })
  expect(await sendRequest(laxer, machine)).toMatchObject({ status: 'valid', safe_to_send: true })
  expect(await sendRequest(apiClient, 'ada.king@truthful.example')).toMatchObject({
    status: 'valid',
    safe_to_send: false,
  })
})

test('a job uses the settings of its confirmation and its account', async () => {
  const apiClient = await newCustomer()
  await apiClient.call('PATCH', '/account', { sending: { excluded_traits: [] } })
  const judge = async (options: object) => {
    const form = new FormData()
    form.set('file', new Blob(['email\nxk7qzvw9trb4@shop.example\nxk7qzvw9trb4@truthful.example\n']), 'list.csv')
    const headers = { 'x-api-key': apiClient.key }
    const preview = await fetch(`${api.url}/api/v1/bulk/upload/preview`, { method: 'POST', headers, body: form })
    const { upload_id } = (await preview.json()) as { upload_id: string }
    const confirmed = await apiClient.call('POST', '/bulk/upload/confirm', {
      upload_id,
      email_column: 'email',
      ...options,
    })
    const jobId = String(confirmed.body['id'])
    await vi.waitFor(
      async () => expect((await apiClient.call('GET', `/bulk/jobs/${jobId}`)).body['status']).toBe('completed'),
      { timeout: 20_000, interval: 200 },
    )
    const { text } = await apiClient.call('GET', `/bulk/jobs/${jobId}/results?evidence=true`)
    return JSON.parse(text) as (Result & { ai_enhancement: { used: boolean } })[]
  }
  const [shop, truth] = await judge({})
  expect(shop).toMatchObject({ sub_status: 'catch_all', ai_enhancement: { used: true } })
  expect(truth).toMatchObject({ status: 'valid', safe_to_send: true, flags: { is_machine_generated: true } })
  const [without, plain] = await judge({ ai: false })
  expect(without).toMatchObject({ sub_status: 'catch_all', ai_enhancement: { used: false } })
  expect(plain).toMatchObject({ status: 'valid', flags: { is_machine_generated: false } })
})
