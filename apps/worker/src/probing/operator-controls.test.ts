import { randomUUID } from 'node:crypto'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { asOperator } from '@probity/database/connection/connect'
import { controlProvider, drainEgress } from '@probity/database/operators/controls'
import { listProbes } from '@probity/database/validations/probing'
import { createLocalRateLimiter } from '@probity/engine/smtp/connections/local-rate-limiter'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { freePort } from '@probity/lab/services/daemon'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { type ResultNotification, subscribeToResults } from '@probity/redis/result-notification'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { expect, test, vi } from 'vitest'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'
import { applyOperatorControls, openOperatorControls } from './operator-controls.ts'

const MAIL_FROM = 'bounce@probity.example'
const WAYS = ['one.probity.example', 'two.probity.example'].map((name) => ({
  name,
  heloName: name,
  mailFrom: MAIL_FROM,
}))

/** A worker with two egresses, and a mail server that records the HELO names. */
async function startWatched() {
  const world = await startTestWorld()
  const port = await freePort()
  const asked: string[] = []
  const server = await startScripted(
    {
      rcpt: (_peer, to) => {
        asked.push(to)
        if (to.startsWith('block')) return '550 5.7.1 Your address is on a block list of spamhaus'
        return to.startsWith('ada') ? '250 2.1.5 Ok' : '550 5.1.1 No such user here'
      },
    },
    { host: '127.93.0.1', port },
  )
  whenDone(() => server.stop())
  await world.dns.put({ 'mail.example': { mx: [[10, 'mx.mail.example']] }, 'mx.mail.example': { a: ['127.93.0.1'] } })
  const policy = { port, allows: (address: string) => address.startsWith('127.93.') }
  const config = { ...world.config, egresses: WAYS }
  const worker = await start(config, { policy, providerLimits: PROVIDER_LIMITS }, world.log)
  whenDone(() => worker.stop())
  const answers: ResultNotification[] = []
  const replyTo = randomUUID()
  const subscription = subscribeToResults(config.redisUrl, replyTo, (answer) => answers.push(answer))
  whenDone(() => subscription.stop())
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  whenDone(() => queue.close())

  async function ask(email: string): Promise<{ result: StoredResult; retryAt: unknown }> {
    const before = answers.length
    const refs = await world.open([email])
    await vi.waitFor(() => queue.add({ refs, replyTo }))
    await vi.waitFor(() => expect(answers.length).toBe(before + 1), 15_000)
    const { result, retryAt } = answers[before] as ResultNotification
    return { result: result as StoredResult, retryAt }
  }
  const change = (work: Parameters<typeof asOperator<void>>[1]) => asOperator(world.db, work)
  return { ...world, worker, asked, ask, change }
}

test('a paused provider is not probed, not even over an open connection, until it is resumed', async () => {
  const { asked, ask, change } = await startWatched()
  expect((await ask('ada@mail.example')).result.status).toBe('valid')
  await change((trx) => controlProvider(trx, '', { isPaused: true }))
  await vi.waitFor(async () => {
    const before = asked.length
    const { result, retryAt } = await ask(`ada-${randomUUID()}@mail.example`)
    expect(asked.length).toBe(before)
    expect(result.status).toBe('unknown')
    expect(retryAt).toEqual(expect.anything())
  }, 10_000)

  const quiet = asked.length
  await ask('ada.again@mail.example')
  expect(asked.length).toBe(quiet)
  await change((trx) => controlProvider(trx, '', { isPaused: false }))
  await vi.waitFor(
    async () => expect((await ask(`ada-${randomUUID()}@mail.example`)).result.status).toBe('valid'),
    10_000,
  )
})

test('a drained egress sends no probes, and the other egress sends all', async () => {
  const { db, worker, ask, change } = await startWatched()
  await change((trx) => drainEgress(trx, WAYS[0]?.name ?? '', true))
  await new Promise((resolve) => setTimeout(resolve, 3_000)) // the worker reloads its controls every two seconds
  for (const name of ['bob', 'eve', 'mallory']) await ask(`${name}@mail.example`)
  await worker.stop()
  const probes = await asOperator(db, (trx) => listProbes(trx, 1))
  const drained = probes.filter(({ egress }) => egress === WAYS[0]?.name)
  const other = probes.find(({ egress }) => egress === WAYS[1]?.name)
  expect(other?.['probes']).toBe(3)
  expect(drained).toEqual([])
})

test('probe outcomes are counted by provider and egress, with the last reply that blocked us', async () => {
  const { db, worker, ask } = await startWatched()
  await ask('ada@mail.example')
  await ask('bob@mail.example')
  await ask('blocked.person@mail.example')
  await worker.stop()
  const probes = await asOperator(db, (trx) => listProbes(trx, 1))
  const sum = (name: 'probes' | 'conclusive' | 'blocked') => probes.reduce((all, row) => all + row[name], 0)
  expect([sum('probes'), sum('conclusive'), sum('blocked')]).toEqual([3, 2, 1])
  expect(probes.flatMap(({ ms }) => ms).reduce((all, count) => all + count, 0)).toBe(3)
  const text = probes.map(({ lastBlock }) => lastBlock).find((said) => said !== null)
  expect(text).toMatch(/^550 .*spamhaus/)
  expect(text).not.toContain('blocked.person')
})

test('a lowered rate reduces connections, to no less than one', async () => {
  const { db, log } = await startTestWorld()
  await asOperator(db, (trx) => controlProvider(trx, 'gmx', { ratePercent: 50 }))
  const controls = await openOperatorControls({ db, log })
  whenDone(() => controls.stop())
  const pace = applyOperatorControls(createLocalRateLimiter(), controls, PROVIDER_LIMITS)
  const limits = { ...PROVIDER_LIMITS[''], connectionsPerEgress: 4, connectionsPerMinute: 60_000 }
  const count = async (site: string) => {
    const leases = []
    for (let n = 0; n < 6; n += 1) leases.push(await pace.lease({ egress: 'one', site, limits }))
    return leases.filter(({ kind }) => kind === 'lease').length
  }
  expect(await count('gmx')).toBe(2)
  expect(await count('mx.elsewhere.example')).toBe(4)
})
