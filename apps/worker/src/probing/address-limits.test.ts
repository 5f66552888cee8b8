import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { subscribeToResults } from '@probity/redis/result-notification'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { expect, test, vi } from 'vitest'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESSES = ['one.probity.example', 'two.probity.example'].map((name) => ({
  name,
  heloName: name,
  mailFrom: 'bounce@probity.example',
}))
const ADDRESS = '127.96.2.1'
const CONNECTIONS = 4
const REPLY_AFTER_MS = 5

/** A mail server that counts its open connections. It accepts recipients whose name begins with "known". */
async function startCounting(port: number) {
  const seen = { open: 0, most: 0, recipients: 0 }
  const server = createServer((socket) => {
    seen.open += 1
    seen.most = Math.max(seen.most, seen.open)
    socket.on('close', () => {
      seen.open -= 1
    })
    socket.on('error', () => socket.destroy())
    socket.write('220 mx.example ESMTP\r\n')
    socket.on('data', (chunk) => {
      const command = chunk.toString('latin1')
      if (/^QUIT/i.test(command)) return void socket.end('221 2.0.0 Bye\r\n')
      const isRecipient = /^RCPT/i.test(command)
      if (isRecipient) seen.recipients += 1
      const reply = isRecipient && !command.includes('<known') ? '550 5.1.1 Unknown' : '250 2.0.0 Ok'
      setTimeout(() => socket.destroyed || socket.write(`${reply}\r\n`), isRecipient ? REPLY_AFTER_MS : 0).unref()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(port, ADDRESS, resolve)
  })
  whenDone(() => void server.close())
  return seen
}

test(`two workers open at most ${CONNECTIONS} connections to an address that 200 MX names resolve to`, () =>
  expectConnections(200))

test(
  `two workers open at most ${CONNECTIONS} connections to an address that 1,000 MX names resolve to`,
  { tags: ['long'], timeout: 300_000 },
  () => expectConnections(1_000),
)

async function expectConnections(count: number): Promise<void> {
  const world = await startTestWorld()
  const port = await freePort()
  const seen = await startCounting(port)
  const domains = Array.from({ length: count }, (_, n) => `d${n}.many.example`)
  const names = domains.flatMap((domain): [string, Names[string]][] => [
    [domain, { mx: [[10, `mx.${domain}`]] }],
    [`mx.${domain}`, { a: [ADDRESS] }],
  ])
  await world.dns.put(Object.fromEntries(names))
  const config = {
    ...world.config,
    egresses: EGRESSES,
    concurrency: 500,
    addressLimits: { connections: CONNECTIONS, perMinute: 600_000 },
  }
  const policy = { port, allows: (address: string) => address === ADDRESS }
  for (const _ of [1, 2]) {
    const worker = await start(config, { policy, providerLimits: PROVIDER_LIMITS }, world.log)
    whenDone(() => worker.stop())
  }
  const answered = new Map<string, string>()
  const replyTo = randomUUID()
  const subscription = subscribeToResults(config.redisUrl, replyTo, ({ id, result }) =>
    answered.set(id, (result as { status: string }).status),
  )
  whenDone(() => subscription.stop())
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  whenDone(() => queue.close())

  const refs = await world.open(domains.map((domain) => `known@${domain}`))
  const tasks = Array.from({ length: count / 100 }, (_, n) => refs.slice(n * 100, (n + 1) * 100))
  for (const some of tasks) await vi.waitFor(() => queue.add({ refs: some, replyTo }))
  await vi.waitFor(() => expect(answered.size).toBe(count), { timeout: 150_000, interval: 200 })
  expect(seen.most).toBe(CONNECTIONS)
  expect(seen.recipients).toBeGreaterThan(0)
}
