import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ConnectionError, NotFoundError, Probity, ProbityApiError, ProbityError, TimeoutError } from '../probity.ts'
import { failureOf, refuse, startService } from '../test-service.ts'

const ACCOUNT = { name: 'Example Ltd' }

test.each([429, 502, 503, 504])('a %i response is retried twice', async (status) => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, status, 'overloaded'))
  const failure = await failureOf(probity.account.get())
  expect(failure).toBeInstanceOf(ProbityApiError)
  expect(failure).toMatchObject({ status, retryable: true })
  expect(received).toHaveLength(3)
})

test.each([400, 401, 402, 403, 404, 408, 409, 410, 413, 422])('a %i response is not retried', async (status) => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, status, 'some_code'))
  expect(await failureOf(probity.account.get())).toMatchObject({ status, code: 'some_code' })
  expect(received).toHaveLength(1)
})

test('a call returns the response of the attempt that succeeds', async () => {
  const { probity } = await startService((n, reply) => (n < 2 ? refuse(reply, 503, 'service_unavailable') : ACCOUNT))
  expect(await probity.account.get()).toEqual(ACCOUNT)
})

test('attempts of a call share an idempotency key, and calls do not', async () => {
  const { probity, received } = await startService((n, reply) =>
    n === 0 ? refuse(reply, 503, 'service_unavailable') : {},
  )
  await probity.validate('ada@example.com')
  await probity.validate('ada@example.com', { idempotencyKey: 'mine' })
  const [first, second, third] = received.map(({ headers }) => headers['idempotency-key'])
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(second).toBe(first)
  expect(third).toBe('mine')
  expect(received[1]?.body).toBe(received[0]?.body)
})

test('a call whose first attempt is still being processed is retried', async () => {
  const { probity, received } = await startService((n, reply) =>
    n === 0 ? refuse(reply, 409, 'idempotency_in_progress', { 'retry-after': '0' }) : { status: 'valid' },
  )
  expect((await probity.validate('ada@example.com')).status).toBe('valid')
  expect(received).toHaveLength(2)
})

test('a 500 response is retried for GET only', async () => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, 500, 'internal_error'))
  expect(await failureOf(probity.validate('ada@example.com'))).toMatchObject({
    code: 'internal_error',
    retryable: true,
  })
  expect(received).toHaveLength(1)
  await failureOf(probity.account.get())
  expect(received).toHaveLength(4)
})

test('uploads.create is sent once', async () => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, 503, 'service_unavailable'))
  await failureOf(probity.uploads.create(new Blob(['email\n'])))
  expect(received.map(({ method, path, headers }) => [method, path, headers['idempotency-key']])).toEqual([
    ['POST', '/api/v1/bulk/upload/preview', undefined],
  ])
})

test('a 404 after a lost response to DELETE counts as success', async () => {
  const { probity, received } = await startService((n, reply) =>
    n === 0 ? void reply.destroy() : refuse(reply, 404, 'not_found'),
  )
  expect(await probity.jobs.delete('id')).toBeUndefined()
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(2).fill('DELETE /api/v1/bulk/jobs/id'))
})

test('a 404 to DELETE is an error if no earlier attempt can have deleted the object', async () => {
  const { probity } = await startService((n, reply) =>
    n === 0 ? refuse(reply, 429, 'rate_limited', { 'retry-after': '0' }) : refuse(reply, 404, 'not_found'),
  )
  expect(await failureOf(probity.jobs.delete('id'))).toBeInstanceOf(NotFoundError)
  expect(await failureOf(probity.keys.revoke('id'))).toBeInstanceOf(NotFoundError)
})

test('every POST except uploads has an idempotency key and is retried', async () => {
  const { probity, received } = await startService((n, reply) =>
    n % 2 ? {} : refuse(reply, 503, 'service_unavailable'),
  )
  const { keys, jobs, policies, webhooks } = probity
  await keys.create({ name: 'Form' })
  await keys.rotate('id')
  await policies.create({ name: 'own', rules: [], default: { decision: 'allow', reason: 'Fine.' } })
  await webhooks.create({ url: 'https://hooks.example.com/' })
  await webhooks.rotateSecret('id')
  await webhooks.test('id')
  await webhooks.deliveries.resend('id', 'delivery')
  await jobs.cancel('id')
  await probity.feedback.report([])
  expect(received).toHaveLength(18)
  const sent = received.map(({ headers }) => headers['idempotency-key'])
  expect(sent.every((key) => key !== undefined)).toBe(true)
  expect(new Set(sent).size).toBe(9)

  await keys.create({ name: 'Form', idempotencyKey: 'mine' })
  expect(received.at(-1)?.headers['idempotency-key']).toBe('mine')
})

test('PATCH and DELETE are retried', async () => {
  const { probity, received } = await startService((n, reply) =>
    n % 2 ? {} : refuse(reply, 503, 'service_unavailable'),
  )
  await probity.jobs.pause('id')
  await probity.keys.revoke('id')
  await probity.keys.update('id', { name: 'Form' })
  expect(received.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE', 'DELETE', 'PATCH', 'PATCH'])
})

test('a retry respects Retry-After, in seconds or as a date', { tags: ['timed'] }, async () => {
  const date = new Date(Date.now() + 2_500).toUTCString() // whole seconds: one and a half from now at least
  const asked = [{ 'retry-after': date }, { 'retry-after': '1' }]
  const { probity, received } = await startService((n, reply) =>
    n < 2 ? refuse(reply, 429, 'rate_limited', asked[n]) : ACCOUNT,
  )
  await probity.account.get()
  const [first = 0, second = 0, third = 0] = received.map(({ at }) => at)
  expect(second - first).toBeGreaterThanOrEqual(1_400)
  expect(third - second).toBeGreaterThanOrEqual(995)
})

test('a long Retry-After is returned as an error', async () => {
  const { probity, received } = await startService((_n, reply) =>
    refuse(reply, 503, 'account_on_hold', { 'retry-after': '600' }),
  )
  expect(await failureOf(probity.account.get())).toMatchObject({ code: 'account_on_hold', retryAfterSeconds: 600 })
  expect(received).toHaveLength(1)
})

test('maxRetries of the client and of the call limit the retries', async () => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, 503, 'service_unavailable'), {
    maxRetries: 0,
  })
  await failureOf(probity.account.get())
  expect(received).toHaveLength(1)
  await failureOf(probity.account.get({ maxRetries: 1 }))
  expect(received).toHaveLength(3)
  expect(await failureOf(probity.account.get({ maxRetries: 11 }))).toBeInstanceOf(ProbityError)
})

test('a lost connection is retried, before and during the response', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n === 0) reply.destroy()
    if (n === 1) reply.writeHead(200, { 'content-length': '100' }).write('{"name":', () => reply.destroy())
    return n < 2 ? undefined : ACCOUNT
  })
  expect(await probity.account.get()).toEqual(ACCOUNT)
  expect(received).toHaveLength(3)
})

test('an unreachable service is a ConnectionError with its cause', async () => {
  const { url, server } = await startService(() => ({}))
  server.close()
  const failure = await failureOf(new Probity({ apiKey: 'pb_test_key', baseUrl: url, maxRetries: 1 }).account.get())
  expect(failure).toBeInstanceOf(ConnectionError)
  expect(failure).toMatchObject({ name: 'ConnectionError', retryable: true })
  expect((failure as Error).cause).toBeInstanceOf(Error)
})

test('an attempt that exceeds timeoutMs is retried', async () => {
  const { probity, received } = await startService((n) => (n === 0 ? undefined : ACCOUNT), { timeoutMs: 200 })
  expect(await probity.account.get()).toEqual(ACCOUNT)
  expect(received).toHaveLength(2)
})

test('a response that does not end is a TimeoutError', async () => {
  const options = { timeoutMs: 200, maxRetries: 0 }
  const { probity } = await startService((_n, reply) => void reply.writeHead(200).write('{'), options)
  const failure = await failureOf(probity.account.get())
  expect(failure).toBeInstanceOf(TimeoutError)
  expect(failure).toMatchObject({ retryable: true, message: 'The service did not respond within 200 ms.' })
  expect(await failureOf(probity.account.get({ timeoutMs: 50 }))).toMatchObject({
    message: 'The service did not respond within 50 ms.',
  })
})

test('an aborted call rejects with the reason of the signal', async () => {
  const { probity, received } = await startService((n, reply) =>
    n === 0 ? undefined : refuse(reply, 503, 'service_unavailable', { 'retry-after': '5' }),
  )
  const during = new AbortController()
  const asked = failureOf(probity.account.get({ signal: during.signal }))
  await expect.poll(() => received.length).toBe(1)
  during.abort(new Error('no longer wanted'))
  expect(await asked).toBe(during.signal.reason)

  const waiting = new AbortController()
  const waited = failureOf(probity.account.get({ signal: waiting.signal }))
  await expect.poll(() => received.length).toBe(2)
  waiting.abort()
  expect(await waited).toBe(waiting.signal.reason)

  expect(await failureOf(probity.account.get({ signal: AbortSignal.abort('early') }))).toBe('early')
  expect(received).toHaveLength(2)
})

test('calls remove their listeners from the signal', async () => {
  const { probity } = await startService((n, reply) => (n === 0 ? refuse(reply, 503, 'service_unavailable') : ACCOUNT))
  const { signal } = new AbortController()
  for (let n = 0; n < 3; n++) await probity.account.get({ signal })
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an error page of a proxy has the code unexpected_response', async () => {
  const { probity, received } = await startService((_n, reply) => void reply.writeHead(502).end('<h1>Bad gateway</h1>'))
  expect(await failureOf(probity.account.get())).toMatchObject({
    code: 'unexpected_response',
    status: 502,
    retryable: true,
    problem: undefined,
    requestId: undefined,
  })
  expect(received).toHaveLength(3)
})

test('a successful response that is not JSON mentions baseUrl', async () => {
  const { probity } = await startService((_n, reply) => void reply.end('<h1>Welcome</h1>'))
  const failure = await failureOf(probity.account.get())
  expect(failure).toMatchObject({ code: 'unexpected_response', status: 200, retryable: false })
  expect((failure as Error).message).toContain('baseUrl')
})

test('redirects are not followed', async () => {
  const other = await startService(() => ACCOUNT)
  const { probity } = await startService((_n, reply) => void reply.writeHead(307, { location: `${other.url}/` }).end())
  expect(await failureOf(probity.account.get())).toMatchObject({
    code: 'unexpected_response',
    status: 307,
    retryable: false,
  })
  expect(other.received).toEqual([])
})

test('errors and clients show neither API key nor email address when printed', async () => {
  const { url, server } = await startService(() => ({}))
  server.close()
  const probity = new Probity({ apiKey: 'pb_live_secret', baseUrl: url, maxRetries: 0 })
  const failure = await failureOf(probity.validate('ada@example.com'))
  const printed = [probity, failure].map((one) => inspect(one, { depth: 9, showHidden: true }) + JSON.stringify(one))
  expect(printed.join()).not.toMatch(/pb_live_secret|ada@example/)
})

test.each([
  [{ apiKey: 'pb_live_\nsecret' }, 'The API key contains an invalid character.'],
  [{ apiKey: ' ' }, 'The API key is missing: pass apiKey, or set PROBITY_API_KEY.'],
  [{ baseUrl: 'probity.example.com' }, 'baseUrl is not a URL such as https://probity.example.com.'],
  [{ baseUrl: 'https://user:word@probity.example.com' }, 'baseUrl is not a URL such as https://probity.example.com.'],
  [{ timeoutMs: 0 }, 'timeoutMs must be an integer from 1 to 2147483647.'],
  [{ maxRetries: 1.5 }, 'maxRetries must be an integer from 0 to 10.'],
])('an invalid option throws at construction: %j', (options, message) => {
  expect(() => new Probity({ apiKey: 'pb_test_key', ...options })).toThrow(new ProbityError(message))
})

test('an invalid argument rejects the call instead of being thrown', async () => {
  const { probity, received } = await startService(() => ({}))
  for (const id of ['', '.', '..']) expect(await failureOf(probity.jobs.get(id))).toBeInstanceOf(ProbityError)
  expect(await failureOf(probity.validate('ada@example.com', { idempotencyKey: 'a b' }))).toBeInstanceOf(ProbityError)
  expect(await failureOf(probity.account.get({ timeoutMs: -1 }))).toBeInstanceOf(ProbityError)
  expect(received).toEqual([])
  await probity.jobs.get('a/../b')
  expect(received[0]?.path).toBe('/api/v1/bulk/jobs/a%2F..%2Fb')
})

test('API key and base URL are read from the environment by default', async () => {
  const { url, received } = await startService(() => ACCOUNT)
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PROBITY_API_KEY', 'pb_test_environment')
  vi.stubEnv('PROBITY_BASE_URL', `${url}/below/`)
  await new Probity().account.get()
  await new Probity({ apiKey: 'pb_test_given', baseUrl: url }).account.get()
  await new Probity({ baseUrl: `${url}/api/v1/` }).account.get()
  expect(received.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
    ['/below/api/v1/account', 'pb_test_environment'],
    ['/api/v1/account', 'pb_test_given'],
    ['/api/v1/account', 'pb_test_environment'],
  ])
})

test('the fetch option replaces the fetch of the platform', async () => {
  const asked: unknown[] = []
  const own: typeof fetch = async (url) => {
    asked.push(url)
    return Response.json(ACCOUNT)
  }
  const probity = new Probity({ apiKey: 'pb_test_key', baseUrl: 'https://probity.example.com', fetch: own })
  expect(await probity.account.get()).toEqual(ACCOUNT)
  expect(asked).toEqual(['https://probity.example.com/api/v1/account'])
})

test('withResponse leaves no unhandled rejection', async () => {
  const unseen: unknown[] = []
  const note = (reason: unknown) => unseen.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const { probity } = await startService((_n, reply) => refuse(reply, 404, 'not_found'))
  expect(await failureOf(probity.account.get().withResponse())).toBeInstanceOf(ProbityApiError)
  await new Promise((resolve) => setImmediate(resolve))
  expect(unseen).toEqual([])
})
