import { getEventListeners } from 'node:events'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Probity, ProbityConnectionError, ProbityError, ProbityProblem, ProbityTimeoutError } from './probity.ts'
import { failureOf, refuse, startService } from './test-service.ts'

const ACCOUNT = { name: 'Example Ltd' }

test.each([429, 502, 503, 504])('what is answered %i is asked again, twice at most', async (status) => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, status, 'overloaded'))
  const failure = await failureOf(probity.account())
  expect(failure).toBeInstanceOf(ProbityProblem)
  expect(failure).toMatchObject({ status, retryable: true })
  expect(received).toHaveLength(3)
})

test.each([400, 401, 402, 403, 404, 408, 409, 410, 413, 422])(
  'what is answered %i is not asked again',
  async (status) => {
    const { probity, received } = await startService((_n, reply) => refuse(reply, status, 'some_code'))
    expect(await failureOf(probity.account())).toMatchObject({ status, code: 'some_code' })
    expect(received).toHaveLength(1)
  },
)

test('the answer that comes in the end is the one that counts', async () => {
  const { probity } = await startService((n, reply) => (n < 2 ? refuse(reply, 503, 'service_unavailable') : ACCOUNT))
  expect(await probity.account()).toEqual(ACCOUNT)
})

test('a call that spends carries one idempotency key over all its tries, and another call another', async () => {
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

test('who is told that the first try is still under way asks again for its answer', async () => {
  const { probity, received } = await startService((n, reply) =>
    n === 0 ? refuse(reply, 409, 'idempotency_in_progress', { 'retry-after': '0' }) : { status: 'valid' },
  )
  expect((await probity.validate('ada@example.com')).status).toBe('valid')
  expect(received).toHaveLength(2)
})

test('an error of the service is asked about again by GET alone', async () => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, 500, 'internal_error'))
  expect(await failureOf(probity.validate('ada@example.com'))).toMatchObject({
    code: 'internal_error',
    retryable: true,
  })
  expect(received).toHaveLength(1)
  await failureOf(probity.account())
  expect(received).toHaveLength(4)
})

test('what would be done twice is sent once', async () => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, 503, 'service_unavailable'))
  await failureOf(probity.lists.preview(new Blob(['email\n'])))
  await failureOf(probity.lists.remove('id'))
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/v1/bulk/upload/preview',
    'DELETE /api/v1/bulk/jobs/id',
  ])
})

test('every POST but the upload of a file carries an idempotency key and is tried again', async () => {
  const { probity, received } = await startService((n, reply) =>
    n % 2 ? {} : refuse(reply, 503, 'service_unavailable'),
  )
  const { keys, lists, policies, webhooks } = probity
  await keys.create({ name: 'Form' })
  await keys.rotate('id')
  await policies.create({ name: 'own', rules: [], default: { decision: 'allow', reason: 'Fine.' } })
  await webhooks.create({ url: 'https://hooks.example.com/' })
  await webhooks.rotate('id')
  await webhooks.test('id')
  await webhooks.resend('id', 'delivery')
  await lists.cancel('id')
  await probity.feedback.report([])
  expect(received).toHaveLength(18)
  const sent = received.map(({ headers }) => headers['idempotency-key'])
  expect(sent.every((key) => key !== undefined)).toBe(true)
  expect(new Set(sent).size).toBe(9)

  await keys.create({ name: 'Form', idempotencyKey: 'mine' })
  expect(received.at(-1)?.headers['idempotency-key']).toBe('mine')
})

test('what changes nothing when it is done again is tried again', async () => {
  const { probity, received } = await startService((n, reply) =>
    n % 2 ? {} : refuse(reply, 503, 'service_unavailable'),
  )
  await probity.lists.pause('id')
  await probity.keys.revoke('id')
  await probity.keys.update('id', { name: 'Form' })
  expect(received.map(({ method }) => method)).toEqual(['POST', 'POST', 'DELETE', 'DELETE', 'PATCH', 'PATCH'])
})

test('nobody comes back earlier than asked, in seconds or by a date', { tags: ['timed'] }, async () => {
  const date = new Date(Date.now() + 2_500).toUTCString() // whole seconds: one and a half from now at least
  const asked = [{ 'retry-after': date }, { 'retry-after': '1' }]
  const { probity, received } = await startService((n, reply) =>
    n < 2 ? refuse(reply, 429, 'rate_limited', asked[n]) : ACCOUNT,
  )
  await probity.account()
  const [first = 0, second = 0, third = 0] = received.map(({ at }) => at)
  expect(second - first).toBeGreaterThanOrEqual(1_400)
  expect(third - second).toBeGreaterThanOrEqual(995)
})

test('who is asked to stay away for long is told so instead of waiting', async () => {
  const { probity, received } = await startService((_n, reply) =>
    refuse(reply, 503, 'account_on_hold', { 'retry-after': '600' }),
  )
  expect(await failureOf(probity.account())).toMatchObject({ code: 'account_on_hold', retryAfterS: 600 })
  expect(received).toHaveLength(1)
})

test('how often to try again is for the caller to say', async () => {
  const { probity, received } = await startService((_n, reply) => refuse(reply, 503, 'service_unavailable'), {
    retries: 0,
  })
  await failureOf(probity.account())
  expect(received).toHaveLength(1)
})

test('a connection that breaks is tried again, before the answer and in the middle of it', async () => {
  const { probity, received } = await startService((n, reply) => {
    if (n === 0) reply.destroy()
    if (n === 1) reply.writeHead(200, { 'content-length': '100' }).write('{"name":', () => reply.destroy())
    return n < 2 ? undefined : ACCOUNT
  })
  expect(await probity.account()).toEqual(ACCOUNT)
  expect(received).toHaveLength(3)
})

test('a service that is not there is a connection error, and says why', async () => {
  const { url, server } = await startService(() => ({}))
  server.close()
  const failure = await failureOf(new Probity({ apiKey: 'pb_test_key', baseUrl: url, retries: 1 }).account())
  expect(failure).toBeInstanceOf(ProbityConnectionError)
  expect(failure).toMatchObject({ name: 'ProbityConnectionError', retryable: true })
  expect((failure as Error).cause).toBeInstanceOf(Error)
})

test('a try that takes too long is given up and made once more', async () => {
  const { probity, received } = await startService((n) => (n === 0 ? undefined : ACCOUNT), { timeoutMs: 200 })
  expect(await probity.account()).toEqual(ACCOUNT)
  expect(received).toHaveLength(2)
})

test('an answer that never ends takes no longer than the time given', async () => {
  const options = { timeoutMs: 200, retries: 0 }
  const { probity } = await startService((_n, reply) => void reply.writeHead(200).write('{'), options)
  const failure = await failureOf(probity.account())
  expect(failure).toBeInstanceOf(ProbityTimeoutError)
  expect(failure).toMatchObject({ retryable: true, message: 'The service did not answer within 200 ms.' })
  expect(await failureOf(probity.account({ timeoutMs: 50 }))).toMatchObject({
    message: 'The service did not answer within 50 ms.',
  })
})

test('whoever aborts gets their own reason, whatever the call is doing', async () => {
  const { probity, received } = await startService((n, reply) =>
    n === 0 ? undefined : refuse(reply, 503, 'service_unavailable', { 'retry-after': '5' }),
  )
  const during = new AbortController()
  const asked = failureOf(probity.account({ signal: during.signal }))
  await expect.poll(() => received.length).toBe(1)
  during.abort(new Error('no longer wanted'))
  expect(await asked).toBe(during.signal.reason)

  const waiting = new AbortController()
  const waited = failureOf(probity.account({ signal: waiting.signal }))
  await expect.poll(() => received.length).toBe(2)
  waiting.abort()
  expect(await waited).toBe(waiting.signal.reason)

  expect(await failureOf(probity.account({ signal: AbortSignal.abort('early') }))).toBe('early')
  expect(received).toHaveLength(2)
})

test('a signal that outlives many calls is not weighed down by them', async () => {
  const { probity } = await startService((n, reply) => (n === 0 ? refuse(reply, 503, 'service_unavailable') : ACCOUNT))
  const { signal } = new AbortController()
  for (let n = 0; n < 3; n++) await probity.account({ signal })
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('what a proxy answers in place of the service is told apart', async () => {
  const { probity, received } = await startService((_n, reply) => void reply.writeHead(502).end('<h1>Bad gateway</h1>'))
  expect(await failureOf(probity.account())).toMatchObject({
    code: 'unexpected_answer',
    status: 502,
    retryable: true,
    problem: undefined,
    requestId: undefined,
  })
  expect(received).toHaveLength(3)
})

test('an answer of success that is not JSON points to the address', async () => {
  const { probity } = await startService((_n, reply) => void reply.end('<h1>Welcome</h1>'))
  const failure = await failureOf(probity.account())
  expect(failure).toMatchObject({ code: 'unexpected_answer', status: 200, retryable: false })
  expect((failure as Error).message).toContain('baseUrl')
})

test('the key goes nowhere but to the service: redirects are not followed', async () => {
  const other = await startService(() => ACCOUNT)
  const { probity } = await startService((_n, reply) => void reply.writeHead(307, { location: `${other.url}/` }).end())
  expect(await failureOf(probity.account())).toMatchObject({ code: 'unexpected_answer', status: 307, retryable: false })
  expect(other.received).toEqual([])
})

test('the key and the address are in no error and in nothing that can be printed', async () => {
  const { url, server } = await startService(() => ({}))
  server.close()
  const probity = new Probity({ apiKey: 'pb_live_secret', baseUrl: url, retries: 0 })
  const failure = await failureOf(probity.validate('ada@example.com'))
  const printed = [probity, failure].map((one) => inspect(one, { depth: 9, showHidden: true }) + JSON.stringify(one))
  expect(printed.join()).not.toMatch(/pb_live_secret|ada@example/)
})

test.each([
  [{ apiKey: 'pb_live_\nsecret' }, 'The API key has a character that no key has.'],
  [{ apiKey: ' ' }, 'There is no API key: pass apiKey, or set PROBITY_API_KEY.'],
  [{ baseUrl: 'probity.example.com' }, 'baseUrl is not an address such as https://probity.example.com.'],
  [
    { baseUrl: 'https://user:word@probity.example.com' },
    'baseUrl is not an address such as https://probity.example.com.',
  ],
  [{ timeoutMs: 0 }, 'timeoutMs must be a whole number from 1 to 2147483647.'],
  [{ retries: 1.5 }, 'retries must be a whole number from 0 to 10.'],
])('a setting that cannot be right is refused at once: %j', (options, message) => {
  expect(() => new Probity({ apiKey: 'pb_test_key', ...options })).toThrow(new ProbityError(message))
})

test('what is wrong with a call is a refusal too, not thrown past its promise', async () => {
  const { probity, received } = await startService(() => ({}))
  for (const id of ['', '.', '..']) expect(await failureOf(probity.lists.get(id))).toBeInstanceOf(ProbityError)
  expect(await failureOf(probity.validate('ada@example.com', { idempotencyKey: 'a b' }))).toBeInstanceOf(ProbityError)
  expect(await failureOf(probity.account({ timeoutMs: -1 }))).toBeInstanceOf(ProbityError)
  expect(received).toEqual([])
  await probity.lists.get('a/../b')
  expect(received[0]?.path).toBe('/api/v1/bulk/jobs/a%2F..%2Fb')
})

test('key and address are taken from the environment where nothing else is said', async () => {
  const { url, received } = await startService(() => ACCOUNT)
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PROBITY_API_KEY', 'pb_test_environment')
  vi.stubEnv('PROBITY_BASE_URL', `${url}/below/`)
  await new Probity().account()
  await new Probity({ apiKey: 'pb_test_given', baseUrl: url }).account()
  await new Probity({ baseUrl: `${url}/api/v1/` }).account()
  expect(received.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
    ['/below/api/v1/account', 'pb_test_environment'],
    ['/api/v1/account', 'pb_test_given'],
    ['/api/v1/account', 'pb_test_environment'],
  ])
})

test('a fetch of the caller is used instead of that of the platform', async () => {
  const asked: unknown[] = []
  const own: typeof fetch = async (url) => {
    asked.push(url)
    return Response.json(ACCOUNT)
  }
  const probity = new Probity({ apiKey: 'pb_test_key', baseUrl: 'https://probity.example.com', fetch: own })
  expect(await probity.account()).toEqual(ACCOUNT)
  expect(asked).toEqual(['https://probity.example.com/api/v1/account'])
})

test('who asks for the headers alone has dealt with the failure', async () => {
  const unseen: unknown[] = []
  const note = (reason: unknown) => unseen.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const { probity } = await startService((_n, reply) => refuse(reply, 404, 'not_found'))
  expect(await failureOf(probity.account().withResponse())).toBeInstanceOf(ProbityProblem)
  await new Promise((resolve) => setImmediate(resolve))
  expect(unseen).toEqual([])
})
