import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { VERSION } from './client-options.ts'
import { type AttemptInfo, type AttemptResult, ConnectionError, Probity, ProbityError } from './probity.ts'
import { failureOf, refuse, startService } from './test-service.ts'

test('VERSION is that of package.json', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  expect(VERSION).toBe(manifest.version)
})

test('every request names the client', async () => {
  const { probity, received } = await startService(() => ({}))
  await probity.account.get()
  await probity.validate('ada@example.com')
  for (const { headers } of received) {
    expect(headers['user-agent']).toBe(`probity-js/${VERSION}`)
    expect(headers['x-probity-client']).toBe(`js/${VERSION} (node ${process.versions.node})`)
  }
})

test('headers of the client and of the call are added, and cannot replace those of the SDK', async () => {
  const { probity, received } = await startService(() => ({}), { headers: { 'X-Team': 'crm', 'User-Agent': 'crm/1' } })
  await probity.account.get({ headers: { 'x-team': 'sales', 'X-Api-Key': 'other', 'x-trace': '7' } })
  expect(received[0]?.headers).toMatchObject({
    'x-team': 'sales',
    'x-trace': '7',
    'user-agent': 'crm/1',
    'x-api-key': 'pb_test_key',
  })
})

function pretendBrowser(): void {
  vi.stubGlobal('document', {})
  onTestFinished(() => void vi.unstubAllGlobals())
}

test.each(['pb_live_key', 'pb_test_key'])('the secret key %s throws in a browser unless allowed', (apiKey) => {
  pretendBrowser()
  const options = { apiKey, baseUrl: 'https://probity.example.com' }
  expect(() => new Probity(options)).toThrow(ProbityError)
  expect(() => new Probity({ ...options, allowSecretKeyInBrowser: false })).toThrow('publishable key')
  expect(new Probity({ ...options, allowSecretKeyInBrowser: true })).toBeInstanceOf(Probity)
  expect(new Probity({ ...options, apiKey: 'pb_pub_key' })).toBeInstanceOf(Probity)
})

test('a browser sends its own User-Agent', async () => {
  const { url, received } = await startService(() => ({}))
  pretendBrowser()
  await new Probity({ apiKey: 'pb_pub_key', baseUrl: url }).decide('ada@example.com')
  expect(received[0]?.headers['user-agent']).not.toContain('probity')
  expect(received[0]?.headers['x-probity-client']).toBe(`js/${VERSION} (browser)`)
})

test('a live key without baseUrl warns once', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  onTestFinished(() => warn.mockRestore())
  vi.stubEnv('PROBITY_BASE_URL', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const apiKey of ['pb_test_secret', 'pb_live_secret', 'pb_live_secret'])
    expect(new Probity({ apiKey })).toBeDefined()
  expect(new Probity({ apiKey: 'pb_live_secret', baseUrl: 'https://probity.example.com' })).toBeDefined()
  expect(warn).toHaveBeenCalledTimes(1)
  expect(warn.mock.calls[0]?.[0]).toContain('http://localhost:3000')
  expect(warn.mock.calls[0]?.[0]).not.toContain('secret')
})

test('onRequest and onResponse observe every attempt, without the API key', async () => {
  const requests: AttemptInfo[] = []
  const responses: AttemptResult[] = []
  const hooks = {
    onRequest: (request: AttemptInfo) => void requests.push(request),
    onResponse: (response: AttemptResult) => void responses.push(response),
  }
  const { probity, url } = await startService((n, reply) => {
    if (n === 0) return void reply.destroy()
    if (n === 1) return refuse(reply, 503, 'overloaded', { 'request-id': 'req_1', 'retry-after': '0' })
    return {}
  }, hooks)
  await probity.validate('ada@example.com', { idempotencyKey: 'order-1' })
  expect(requests.map(({ method, attempt }) => [method, attempt])).toEqual([
    ['POST', 1],
    ['POST', 2],
    ['POST', 3],
  ])
  expect(requests[0]?.url).toBe(`${url}/api/v1/validation/single`)
  expect(requests[0]?.headers.get('idempotency-key')).toBe('order-1')
  expect(requests.every(({ headers }) => !headers.has('x-api-key'))).toBe(true)
  expect(responses.map(({ attempt, status, requestId }) => [attempt, status, requestId])).toEqual([
    [1, undefined, undefined],
    [2, 503, 'req_1'],
    [3, 200, undefined],
  ])
  expect(responses[0]?.error).toBeInstanceOf(ConnectionError)
  expect(responses.every(({ durationMs }) => durationMs >= 0)).toBe(true)
})

test.each(['onRequest', 'onResponse'])('an error of %s rejects the call without a retry', async (hook) => {
  const broken = new Error('hook')
  const fail = () => {
    throw broken
  }
  const { probity, received } = await startService(() => ({}), { [hook]: fail })
  expect(await failureOf(probity.account.get())).toBe(broken)
  expect(received).toHaveLength(hook === 'onRequest' ? 0 : 1)
})
