import { expect, test } from 'vitest'
import { ProbityError } from './probity.ts'
import { failureOf, refuse, startService } from './test-service.ts'

/** Responds as the API does: one item per unique address, with the positions of its duplicates. */
function summarize(body: string) {
  const { emails } = JSON.parse(body) as { emails: string[] }
  const unique = [...new Set(emails.map((email) => email.toLowerCase()))]
  const results = unique.map((address) => {
    const indexes = emails.flatMap((email, index) => (email.toLowerCase() === address ? [index] : []))
    return { email: emails[indexes[0] ?? 0], status: 'valid', indexes }
  })
  return { total: emails.length, results }
}

const addressesOf = (count: number) => Array.from({ length: count }, (_, n) => `person${n}@example.com`)

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const item of items) collected.push(item)
  return collected
}

test('validateAll yields one item per address in input order, whichever request ends first', async () => {
  const { probity, received } = await startService(async (n, _reply, { body }) => {
    if (n === 0) await expect.poll(() => received.length).toBeGreaterThan(1)
    return summarize(body)
  })
  const emails = [...addressesOf(2_500), 'Person2400@example.com', 'PERSON2499@example.com']
  const items = await collect(probity.validateAll(emails, { policy: 'signup', waitSeconds: 25 }))
  expect(items.map(({ index, email }) => [index, email])).toEqual(emails.map((email, index) => [index, email]))
  expect(items[0]).not.toHaveProperty('indexes')
  expect(received.map(({ body }) => JSON.parse(body).emails.length)).toEqual([1_000, 1_000, 502])
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ policy: 'signup', timeout: 25 })
  expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(3)
})

test('validateAll sends at most `concurrency` requests at a time and reads no further', async () => {
  let open = 0
  let most = 0
  const { probity } = await startService(async (_n, _reply, { body }) => {
    most = Math.max(most, ++open)
    await new Promise((resolve) => setTimeout(resolve, 20))
    open--
    return summarize(body)
  })
  let read = 0
  async function* source() {
    for (const email of addressesOf(100)) {
      read++
      yield email
    }
  }
  const items = probity.validateAll(source(), { chunkSize: 5, concurrency: 3 })
  await items.next()
  expect(read).toBe(15)
  expect(await collect(items)).toHaveLength(99)
  expect(most).toBe(3)
})

test('validateAll closes the source and aborts requests when the consumer stops', async () => {
  let aborted = 0
  const { probity, received } = await startService((n, reply, { body }) => {
    if (n === 0) return summarize(body)
    reply.on('close', () => aborted++)
    return undefined
  })
  let isClosed = false
  async function* source() {
    try {
      yield* addressesOf(1_000)
    } finally {
      isClosed = true
    }
  }
  for await (const { index } of probity.validateAll(source(), { chunkSize: 10 })) {
    await expect.poll(() => received.length).toBe(2)
    if (index === 3) break
  }
  expect(isClosed).toBe(true)
  await expect.poll(() => aborted).toBe(1)
  expect(received).toHaveLength(2)
})

test('validateAll yields the items before a failed request, then throws', async () => {
  const { probity } = await startService((n, reply, { body }) =>
    n === 1 ? refuse(reply, 402, 'insufficient_credits') : summarize(body),
  )
  const items = probity.validateAll(addressesOf(30), { chunkSize: 10 })
  for (let n = 0; n < 10; n++) expect((await items.next()).value).toMatchObject({ index: n })
  expect(await failureOf(items.next())).toMatchObject({ code: 'insufficient_credits' })
})

test('validateAll yields the items before an error of the source, then throws it', async () => {
  const { probity } = await startService((_n, _reply, { body }) => summarize(body))
  const broken = new Error('database')
  async function* source() {
    yield* addressesOf(10)
    throw broken
  }
  const items = probity.validateAll(source(), { chunkSize: 5 })
  for (let n = 0; n < 10; n++) expect((await items.next()).value).toMatchObject({ index: n })
  expect(await failureOf(items.next())).toBe(broken)
})

test('validateAll ends with the signal while the source is waiting', async () => {
  const { probity, received } = await startService(() => ({}))
  async function* source() {
    yield 'ada@example.com'
    await new Promise(() => {})
  }
  const controller = new AbortController()
  const next = failureOf(probity.validateAll(source(), { signal: controller.signal }).next())
  controller.abort('stop')
  expect(await next).toBe('stop')
  expect(received).toEqual([])
})

test('validateAll of nothing sends nothing, and rejects invalid options', async () => {
  const { probity, received } = await startService(() => ({}))
  expect(await collect(probity.validateAll([]))).toEqual([])
  for (const options of [{ concurrency: 0 }, { chunkSize: 1_001 }, { waitSeconds: 56 }]) {
    expect(await failureOf(probity.validateAll(['ada@example.com'], options).next())).toBeInstanceOf(ProbityError)
  }
  expect(received).toEqual([])
})
