import { randomUUID } from 'node:crypto'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { limitsFor } from '@probity/engine/smtp/providers/limits'
import { freePort } from '@probity/lab/services/daemon'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { connectRedis } from '@probity/redis/connection'
import { listSuspensions, recordSuspension } from '@probity/redis/rate-limiter-state'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { expect, inject, test, vi } from 'vitest'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const SUSPENDED_S = 4

/** Probes a provider that defers all recipients, like a real worker. */
async function askDeferring(domain: string, mailHost: string) {
  const world = await startTestWorld()
  const port = await freePort()
  const deferring = { banner: () => ({ reply: '421 4.7.0 Try again later, too many connections', thenClose: true }) }
  const server = await startScripted(deferring, { host: '127.92.0.1', port })
  whenDone(() => server.stop())
  await world.dns.put({ [domain]: { mx: [[10, mailHost]] }, [mailHost]: { a: ['127.92.0.1'] } })
  const short = { suspendS: { rate_limited: SUSPENDED_S } }
  const providerLimits = {
    ...PROVIDER_LIMITS,
    '': { ...PROVIDER_LIMITS[''], ...short },
    microsoft: { ...limitsFor('microsoft', PROVIDER_LIMITS), ...short },
  }
  const policy = { port, allows: (address: string) => address.startsWith('127.92.') }
  const config = { ...world.config, egresses: [EGRESS] }
  const worker = await start(config, { policy, providerLimits }, world.log)
  whenDone(() => worker.stop())
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  whenDone(() => queue.close())
  const redis = connectRedis(config.redisUrl)
  whenDone(() => redis.disconnect())
  const refs = await world.open([`ada@${domain}`])
  await vi.waitFor(() => queue.add({ refs, replyTo: randomUUID() }))
  await vi.waitFor(() => expect(server.connections()).toBeGreaterThan(0), 15_000)
  return { list: () => listSuspensions(redis, config.queuePrefix) }
}

test('a provider suspension is published to all accounts until it ends', async () => {
  const { list } = await askDeferring('hotmail.example', 'hotmail-example.olc.protection.outlook.com')
  const [suspension] = await vi.waitFor(async () => {
    const found = await list()
    expect(found).toHaveLength(1)
    return found
  }, 15_000)
  expect(suspension).toMatchObject({ provider: 'microsoft', name: 'Microsoft Outlook.com', reason: 'rate_limited' })
  expect(suspension?.until.getTime()).toBeLessThan(Date.now() + SUSPENDED_S * 1_000)
  await vi.waitFor(async () => expect(await list()).toEqual([]), { timeout: 15_000, interval: 200 })
})

test('a suspension of an unknown provider is not published', async () => {
  const { list } = await askDeferring('own.example', 'mx.own.example')
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(await list()).toEqual([])
})

test('of two suspensions of a provider on an egress the later end applies, and egresses are independent', async () => {
  const redis = connectRedis(inject('redisUrl'))
  whenDone(() => redis.disconnect())
  const prefix = `test-${randomUUID()}`
  const base = { provider: 'yahoo', name: 'Yahoo', egress: 'one', reason: 'rate_limited' }
  const [soon, late] = [new Date(Date.now() + 60_000), new Date(Date.now() + 120_000)]
  await vi.waitFor(() => recordSuspension(redis, prefix, { ...base, until: late }))
  await recordSuspension(redis, prefix, { ...base, until: soon })
  await recordSuspension(redis, prefix, { ...base, egress: 'two', until: soon })
  await recordSuspension(redis, prefix, { ...base, egress: 'three', until: new Date(Date.now() - 1) })
  expect(await listSuspensions(redis, prefix)).toEqual([
    { ...base, egress: 'two', until: soon },
    { ...base, until: late },
  ])
})
