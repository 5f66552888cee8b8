import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { countApiProcesses, createAdmission } from './admission.ts'
import { createFactsStore, createRecentResults, readRecentResults } from './cache.ts'
import { connectRedis } from './connection.ts'
import { domainFactsKey, probeCacheKey, REDIS_KEYS } from './keys.ts'
import { createRedisRateLimiter } from './rate-limiter.ts'
import { liftSuspension, listSuspensions, recordSuspension } from './rate-limiter-state.ts'
import { publishResults, subscribeToResults } from './result-notification.ts'
import { countZoneQuery, createErrorCounter } from './shared-counters.ts'
import {
  openBatchQueue,
  openInteractiveQueue,
  openWebhookQueue,
  readQueueDepths,
  startBatchWorker,
  startInteractiveWorker,
  startWebhookWorker,
  type TaskWorker,
} from './task-queues.ts'

const CONFIG = readFileSync(join(import.meta.dirname, '../../../deploy/redis-users.conf'), 'utf8')
const PROGRAMS = ['api', 'worker', 'maintenance'] as const

const server = await startRedis({ config: CONFIG })
whenDone(() => server.stop())

function connectAs(username: string, password: string): Redis {
  const redis = new Redis(server.url, { username, password })
  whenDone(() => redis.disconnect())
  return redis
}
const admin = connectAs('default', 'ADMIN_PASSWORD')
const urlOf = (program: (typeof PROGRAMS)[number]) =>
  server.url.replace('//', `//probity_${program}:${program.toUpperCase()}_PASSWORD@`)

const PREFIX = 'probity'
const POLICY = { name: 'account', quota: 10, windowS: 60 }

async function connectReady(program: (typeof PROGRAMS)[number]): Promise<Redis> {
  const redis = connectRedis(urlOf(program))
  whenDone(() => redis.disconnect())
  await vi.waitFor(() => expect(redis.status).toBe('ready'), 10_000)
  return redis
}

function run(worker: TaskWorker): void {
  whenDone(() => worker.close())
  worker.resume()
}

/** A command that reads, and one that writes, for each type of key. */
const COMMANDS = {
  string: [['get'], ['set', 'value']],
  hash: [['hgetall'], ['hset', 'field', 'value']],
  'sorted set': [['zcard'], ['zadd', '1', 'member']],
  several: [['llen'], ['lpush', 'value']],
  channel: [['subscribe'], ['publish', 'text']],
} as const

/** Example keys of a pattern: every alternative, with a text for each variable part. */
function listExamples(pattern: string): string[] {
  const key = pattern.replaceAll('<prefix>', 'probity').replaceAll(/<[^>]+>/g, 'x')
  const [, alternatives] = /\((.+)\)/.exec(key) ?? []
  return alternatives === undefined ? [key] : alternatives.split('|').map((one) => key.replace(/\(.+\)/, one))
}

async function may(program: string, [command, ...values]: readonly string[], key: string): Promise<boolean> {
  const reply = await admin.call('ACL', 'DRYRUN', `probity_${program}`, command ?? '', key, ...values)
  return reply === 'OK'
}

test('each Redis user may read and write exactly the keys of its process', async () => {
  for (const { pattern, type, access } of REDIS_KEYS) {
    for (const program of PROGRAMS) {
      const { [program]: allowed } = access
      const [reads, writes] = COMMANDS[type]
      for (const key of listExamples(pattern)) {
        expect({ program, key, read: await may(program, reads, key), write: await may(program, writes, key) }).toEqual({
          program,
          key,
          read: allowed === 'both' || allowed === 'read',
          write: allowed === 'both' || allowed === 'write',
        })
      }
    }
  }
})

test('no user of a process lists or deletes all keys, changes the server, or reaches keys of other programs', async () => {
  const forbidden = [
    ...['keys *', 'scan 0', 'randomkey', 'flushall', 'flushdb', 'swapdb 0 1', 'config get *', 'acl list', 'monitor'],
    ...['client list', 'client kill 127.0.0.1:1', 'script flush', 'function flush', 'debug sleep 1', 'shutdown'],
    ...['psubscribe *', 'sort other', 'get other', 'set other x', 'del other', 'eval x 1 other'],
  ]
  for (const program of PROGRAMS) {
    for (const command of forbidden) {
      const reply = await admin.call('ACL', 'DRYRUN', `probity_${program}`, ...command.split(' '))
      expect([program, command, String(reply)]).toEqual([program, command, expect.stringMatching(/no permissions/)])
    }
  }
})

test('a script of the worker cannot change the rate limit of an account', async () => {
  const worker = connectAs('probity_worker', 'WORKER_PASSWORD')
  await admin.set('rate:{account}', '1')
  await expect(worker.eval("return redis.call('DEL', 'rate:{account}')", 0)).rejects.toThrow(/can't access/)
  await expect(worker.eval("return redis.call('KEYS', '*')", 0)).rejects.toThrow(/can't run this command/)
  await expect(worker.del('recent:{account}:known')).rejects.toThrow('NOPERM')
  expect(await admin.get('rate:{account}')).toBe('1')
})

test('a client without a password is rejected', async () => {
  const redis = new Redis(server.url, { enableReadyCheck: false })
  redis.on('error', () => {})
  whenDone(() => redis.disconnect())
  await expect(redis.ping()).rejects.toThrow('NOAUTH')
})

test('the API, the worker and maintenance need nothing that their Redis users lack', async () => {
  await admin.call('ACL', 'LOG', 'RESET')
  const [api, worker, maintenance] = await Promise.all(PROGRAMS.map(connectReady))
  if (!api || !worker || !maintenance) throw new Error('unreachable')

  // Tasks from the API, and between workers; results to the API.
  const tasks: string[] = []
  const note = (kind: string) => async () => void tasks.push(kind)
  const queue = openInteractiveQueue(urlOf('api'), PREFIX)
  const batches = openBatchQueue(urlOf('worker'), PREFIX)
  const webhooks = openWebhookQueue(urlOf('worker'), PREFIX)
  for (const one of [queue, batches, webhooks]) whenDone(() => one.close())
  const replyTo = randomUUID()
  const results: unknown[] = []
  const subscription = subscribeToResults(urlOf('api'), replyTo, ({ id }) => results.push(id))
  whenDone(() => subscription.stop())
  run(startInteractiveWorker(urlOf('worker'), PREFIX, 1, note('interactive')))
  run(startBatchWorker({ url: urlOf('worker'), prefix: PREFIX }, 1, note('batch')))
  run(startWebhookWorker({ url: urlOf('worker'), prefix: PREFIX }, 1, note('webhook')))
  await vi.waitFor(() => queue.add({ refs: [], replyTo }), 10_000)
  const batch = { expiresOn: '2026-01-01', accountId: 'a', jobId: 'job', no: 1, epoch: 1 }
  await vi.waitFor(() => batches.add([batch, { ...batch, no: 2 }]), 10_000)
  await vi.waitFor(() => webhooks.add([{ accountId: 'a', id: 'delivery', epoch: 1 }]), 10_000)
  await expect.poll(() => tasks.toSorted()).toEqual(['batch', 'batch', 'interactive', 'webhook'])
  expect((await readQueueDepths(api, PREFIX)).map(({ name }) => name)).toEqual(['interactive', 'batches', 'webhooks'])
  await expect
    .poll(async () => {
      await publishResults(worker, replyTo, [{ id: 'one', result: null, retryAt: null, refunded: false }])
      return results.length
    })
    .toBeGreaterThan(0)

  // Rate limits of accounts, and of emails that maintenance sends.
  const validation = { recentKey: 'recent:{a}:key', recentStoredForMs: 1, slots: 1, slotName: 'request' }
  expect(await createAdmission(api).admit('a', POLICY, validation)).toMatchObject({ rate: { remaining: 9 } })
  createAdmission(api).release('a', 'request')
  await createAdmission(maintenance).admit('people:email:hour:job:x', POLICY)
  expect(await admin.exists('rate:{people:email:hour:job:x}', 'rate:{a}')).toBe(2)
  const counts: number[] = []
  const processes = countApiProcesses(api, (count) => counts.push(count))
  whenDone(() => processes.stop())
  await expect.poll(() => counts[0]).toBe(1)

  // Recent results: written and reused by workers, read and erased by the API.
  await createRecentResults(worker).save([{ key: 'recent:{a}:key', text: '{}' }])
  expect(await readRecentResults(worker, ['recent:{a}:key'], 60)).toEqual(['{}'])
  expect(await readRecentResults(api, ['recent:{a}:key'], 60)).toEqual(['{}'])
  expect([
    await api.del('recent:{a}:key'),
    await api.set('sandbox:recent:{a}:key', '{}', 'EX', 60, 'NX', 'GET'),
  ]).toEqual([1, null])

  // Limits and facts of mail servers.
  const target = { egress: 'egress', site: 'google' }
  const limiter = createRedisRateLimiter({ redis: worker, prefix: PREFIX, log: pino({ level: 'silent' }) })
  expect(await limiter.lease({ ...target, limits: PROVIDER_LIMITS[''] })).toMatchObject({ kind: 'lease' })
  await createErrorCounter(worker, PREFIX).add(target, [{ accountId: 'a', rejected: 1 }])
  const suspension = { provider: 'google', name: 'Google', egress: 'egress', reason: 'ip_blocked' }
  await recordSuspension(worker, PREFIX, { ...suspension, until: new Date(Date.now() + 60_000) })
  expect(await listSuspensions(api, PREFIX)).toHaveLength(1)
  await liftSuspension(api, PREFIX, { provider: 'google', egresses: ['egress'] })
  expect(await listSuspensions(api, PREFIX)).toEqual([])
  expect(await countZoneQuery(worker, PREFIX, { window: 1, zone: 'example.com' })).toBe(1)
  for (const keyOf of [domainFactsKey, (name: string) => probeCacheKey(PREFIX, name)]) {
    await createFactsStore(worker, keyOf).set('example.com', '{}', 60_000)
    expect(await createFactsStore(worker, keyOf).get('example.com')).toBe('{}')
  }

  expect(await admin.call('ACL', 'LOG')).toEqual([])
})
