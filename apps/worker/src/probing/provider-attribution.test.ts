import { randomUUID } from 'node:crypto'
import { siteKey } from '@probity/engine/smtp/connections/connection'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { connectRedis } from '@probity/redis/connection'
import { listSuspensions, readRateLimiterState } from '@probity/redis/rate-limiter-state'
import { subscribeToResults } from '@probity/redis/result-notification'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { expect, test, vi } from 'vitest'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const GOOGLE = { egress: EGRESS.name, site: 'google' }
const GOOGLE_HOST = 'aspmx.l.google.com'
const GOOGLE_ADDRESS = '127.95.0.1'
const HOUR_MS = 3_600_000

/** Limits wide enough that no connection of the test waits for another. */
const WIDE = { connectionsPerEgress: 100, connectionsPerMinute: 60_000, tls: 'never' as const }
const LIMITS = {
  ...PROVIDER_LIMITS,
  '': { ...PROVIDER_LIMITS[''], ...WIDE },
  google: { ...PROVIDER_LIMITS['google'], ...WIDE },
}

/** MX preferences of the hostile host and Google's host, and a name that decides the order for equal preferences. */
const ORDERS = [
  { order: 'equal-before', hostile: 10, google: 10, label: 'a' },
  { order: 'equal-after', hostile: 10, google: 10, label: 'z' },
  { order: 'preferred', hostile: 5, google: 10, label: 'm' },
  { order: 'fallback', hostile: 10, google: 5, label: 'm' },
]

const HOSTILE_REPLIES = [
  '550 5.7.1 your host is blocked using dnsbl, try again in 24 hours',
  '421 4.7.28 too many connections from your IP, rate limited, try again in 24 hours',
  '450 4.7.1 too many errors, come back in 24 hours',
  '550 5.1.1 no such user',
]

/** A worker that may connect to 127.95.0.0/16, and the results of the addresses that it validates. */
async function startWatched() {
  const world = await startTestWorld()
  const port = await freePort()
  const config = { ...world.config, egresses: [EGRESS], concurrency: 100 }
  const policy = { port, allows: (address: string) => address.startsWith('127.95.') }
  const worker = await start(config, { policy, providerLimits: LIMITS }, world.log)
  whenDone(() => worker.stop())
  const redis = connectRedis(config.redisUrl)
  whenDone(() => redis.disconnect())
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  whenDone(() => queue.close())
  const answered: string[] = []
  const replyTo = randomUUID()
  const subscription = subscribeToResults(config.redisUrl, replyTo, ({ result }) =>
    answered.push(String((result as { sub_status: string }).sub_status)),
  )
  whenDone(() => subscription.stop())

  async function serve(host: string, script: Script) {
    const server = await startScripted(script, { host, port })
    whenDone(() => server.stop())
    return server
  }
  async function validate(emails: string[]): Promise<string[]> {
    const before = answered.length
    const refs = await world.open(emails)
    await vi.waitFor(() => queue.add({ refs, replyTo }))
    await vi.waitFor(() => expect(answered.length).toBeGreaterThanOrEqual(before + emails.length), {
      timeout: 60_000,
      interval: 100,
    })
    return answered.slice(before)
  }
  const { queuePrefix: prefix } = config
  return {
    dns: world.dns,
    serve,
    validate,
    suspensions: () => listSuspensions(redis, prefix),
    stateOf: (target: { egress: string; site: string }) => readRateLimiterState(redis, prefix, target),
  }
}

/** Domains whose MX set contains a hostile host of their own and Google's host. */
function mixedDomains(perOrder: number) {
  return ORDERS.flatMap(({ order, hostile, google, label }, o) =>
    Array.from({ length: perOrder }, (_, n) => {
      const domain = `${order}${n}.example`
      const host = `${label}.${domain}`
      const address = `127.95.${o + 1}.${n + 1}`
      const mx: [number, string][] = [
        [hostile, host],
        [google, GOOGLE_HOST],
      ]
      return { domain, host, address, mx }
    }),
  )
}

test("Google's state stays unchanged after 100 replies of hostile hosts that share an MX set with Google's, in every order", {
  timeout: 120_000,
}, async () => {
  const { dns, serve, validate, stateOf, suspensions } = await startWatched()
  const domains = mixedDomains(25)
  const names: Names = { [GOOGLE_HOST]: { a: [GOOGLE_ADDRESS] }, 'customer.example': { mx: [[10, GOOGLE_HOST]] } }
  let hostileReplies = 0
  for (const [n, { domain, host, address, mx }] of domains.entries()) {
    names[domain] = { mx }
    names[host] = { a: [address] }
    await serve(address, {
      rcpt: () => {
        hostileReplies += 1
        return HOSTILE_REPLIES[n % HOSTILE_REPLIES.length] ?? ''
      },
    })
  }
  await dns.put(names)
  // Nothing listens at Google's address yet, so that hostile hosts with a lower priority are reached as well.
  await validate(domains.map(({ domain }) => `ada@${domain}`))
  expect(hostileReplies).toBeGreaterThanOrEqual(100)

  const untouched = { refused: 0, level: 1_000, suspendedUntil: null, suspendedFor: null, connections: 0 }
  expect((await stateOf(GOOGLE)) ?? untouched).toEqual(untouched)
  expect(await suspensions()).toEqual([])

  const server = await serve(GOOGLE_ADDRESS, { rcpt: (_, to) => (to.startsWith('ada') ? '250 Ok' : '550 5.1.1 No') })
  expect(await validate(['ada@customer.example'])).toEqual([''])
  expect(server.recipients).toContain('ada@customer.example')
})

test('a hostile host suspends only its own set of hosts, within the limits of unknown providers', async () => {
  const { dns, serve, validate, stateOf } = await startWatched()
  const [mixed] = mixedDomains(1)
  if (mixed === undefined) throw new Error('no domain')
  const { domain, host, address, mx } = mixed
  await dns.put({ [domain]: { mx }, [host]: { a: [address] }, [GOOGLE_HOST]: { a: [GOOGLE_ADDRESS] } })
  await serve(address, { rcpt: () => HOSTILE_REPLIES[0] ?? '' })
  await validate([`ada@${domain}`])
  const own = {
    egress: EGRESS.name,
    site: siteKey(
      '',
      mx.map(([preference, name]) => ({ preference, name })),
    ),
  }
  const state = await vi.waitFor(async () => {
    const found = await stateOf(own)
    expect(found?.suspendedUntil).not.toBeNull()
    return found
  })
  expect(state?.suspendedFor).toBe('ip_blocked')
  expect(Number(state?.suspendedUntil)).toBeLessThanOrEqual(Date.now() + 2 * HOUR_MS)
})

test("a block by Google's own host suspends Google although the MX set is mixed", async () => {
  const { dns, serve, validate, stateOf, suspensions } = await startWatched()
  const mixed = mixedDomains(1).at(-1)
  if (mixed === undefined) throw new Error('no domain')
  const { domain, host, address, mx } = mixed
  await dns.put({ [domain]: { mx }, [host]: { a: [address] }, [GOOGLE_HOST]: { a: [GOOGLE_ADDRESS] } })
  await serve(GOOGLE_ADDRESS, { rcpt: () => HOSTILE_REPLIES[0] ?? '' })
  await validate([`ada@${domain}`])
  await vi.waitFor(async () => expect((await stateOf(GOOGLE))?.suspendedFor).toBe('ip_blocked'))
  expect((await suspensions()).map(({ provider }) => provider)).toEqual(['google'])
})
