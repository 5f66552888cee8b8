import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { listUnclassified } from '@probity/database/operators/unclassified-replies'
import { collectResults } from '@probity/database/validations/validations'
import { findDelivery, sendTestEvent } from '@probity/database/webhooks/deliveries'
import { openTestWebhook } from '@probity/database/webhooks/test-webhooks'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import { COMPILED } from '@probity/lab/compiled'
import { freePort, stopChild } from '@probity/lab/services/daemon'
import { type Script, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { type ResultNotification, subscribeToResults } from '@probity/redis/result-notification'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { expect, inject, test, vi } from 'vitest'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }

/** A worker that may dial loopback, and one mail server there for `mail.example`. */
async function startProbing(script: Script, egresses = [EGRESS]) {
  const world = await startTestWorld()
  const port = await freePort()
  const server = await startScripted(script, { host: '127.92.0.1', port })
  whenDone(() => server.stop())
  await world.dns.put({ 'mail.example': { mx: [[10, 'mx.mail.example']] }, 'mx.mail.example': { a: ['127.92.0.1'] } })
  const environment = {
    policy: { port, allows: (address: string) => address.startsWith('127.92.') },
    providerLimits: PROVIDER_LIMITS,
  }
  const config = { ...world.config, egresses }
  const worker = await start(config, environment, world.log)
  whenDone(() => worker.stop())

  const answers: ResultNotification[] = []
  const replyTo = randomUUID()
  const subscription = subscribeToResults(config.redisUrl, replyTo, (answer) => answers.push(answer))
  whenDone(() => subscription.stop())
  const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
  whenDone(() => queue.close())
  const put = async (emails: string[], wish: { mailbox?: boolean; domainLimited?: boolean } = {}) => {
    const refs = await world.open(emails, wish)
    await vi.waitFor(() => queue.add({ refs, replyTo }))
    return refs
  }
  const told = async (count: number) => {
    await vi.waitFor(() => expect(answers.length).toBe(count), 15_000)
    return answers.map(({ result, retryAt }) => ({ result: result as StoredResult, retryAt }))
  }
  return { world, server, worker, put, told }
}

test('without mailbox checks no mail server is probed, all addresses get the same result, and it is charged', async () => {
  const { world, server, put, told } = await startProbing({
    rcpt: (_peer, to) => (to.startsWith('ada') ? '250 2.1.5 Ok' : '550 5.1.1 No such user here'),
  })
  await put(['ada@mail.example', 'bob@mail.example'], { mailbox: false })
  const results = (await told(2)).map(({ result }) => result)
  for (const result of results) expect(result).toMatchObject({ status: 'unknown', sub_status: 'not_probed' })
  // Except the parts of the address itself.
  const [one, other] = results.map(({ details }) => ({ ...details, canonical_email: '', local_part: '' }))
  expect(one).toEqual(other)
  expect(server.connections()).toBe(0)
  expect(await world.look()).toMatchObject({ available: 998, spent: 2 })
})

test('an address beyond the daily limit of its domain is not probed, its DNS is checked, and it is refunded', async () => {
  const { world, server, put, told } = await startProbing({})
  await put(['ada@mail.example', 'bob@missing.mail.example'], { domainLimited: true })
  const results = (await told(2)).map(({ result }) => result)
  const [ada, bob] = results.toSorted((one, other) => (one.email < other.email ? -1 : 1))
  expect(ada).toMatchObject({ status: 'unknown', sub_status: 'not_probed', depth: 'dns', details: { dns_valid: true } })
  expect(ada?.evidence).toContainEqual(expect.objectContaining({ check: 'recipient', outcome: 'domain_limit' }))
  expect(bob).toMatchObject({ status: 'invalid', sub_status: 'domain_not_found' })
  expect(server.connections()).toBe(0)
  expect(await world.look()).toMatchObject({ available: 999, spent: 1 })
})

test('the result contains the reply of the mail server in the documented form', async () => {
  const { put, told } = await startProbing({
    rcpt: (_peer, to) => (to.startsWith('ada') ? '250 2.1.5 Ok' : '550 5.1.1 No such user here'),
  })
  await put(['ada@mail.example', 'bob@mail.example'])
  const results = (await told(2)).map(({ result }) => result)
  const ada = results.find(({ email }) => email === 'ada@mail.example')
  expect(ada).toMatchObject({
    status: 'valid',
    sub_status: '',
    is_valid: true,
    details: { smtp_valid: true, smtp_code: 250 },
    catchall: { is_catchall: false, confidence: 0.98 },
  })
  expect(results.find(({ email }) => email === 'bob@mail.example')).toMatchObject({
    status: 'invalid',
    sub_status: 'mailbox_not_found',
    details: { smtp_valid: false, smtp_code: 550 },
  })
  expect(ada?.evidence.map(({ check }) => check)).toEqual([
    'syntax',
    'mx',
    'spf',
    'dmarc',
    'domain_class',
    'recipient',
    'catch_all',
  ])
})

test('a greylisted address is returned as deferred, retried from the same egress, and its result waits to be collected', async () => {
  const senders = new Set<string>()
  const seen = new Set<string>()
  const { world, put, told } = await startProbing({
    rcpt(peer, to) {
      senders.add(`${peer.address} ${peer.sender}`)
      if (!to.startsWith('ada')) return '550 5.1.1 No such user'
      if (seen.has(to)) return '250 Ok'
      seen.add(to)
      return '450 4.2.0 Greylisted, try again in 1 second'
    },
  })
  await put(['ada@mail.example'])
  const [first] = await told(1)
  expect(first?.result).toMatchObject({ status: 'unknown', sub_status: 'greylisted', details: { smtp_code: 450 } })
  expect(first?.retryAt).toBeGreaterThan(Date.now() / 1000)
  const open = await world.look()
  expect([open.available, open.rows[0]?.state, open.rows[0]?.egress]).toEqual([999, 'open', EGRESS.name])

  await vi.waitFor(async () => expect((await world.look()).rows[0]?.state).toBe('final'), 15_000)
  const { available, accountId } = { ...(await world.look()), accountId: world.accountId }
  expect(available).toBe(999)
  const collected = await inTenant(world.db, accountId, (trx) => collectResults(trx, accountId, ['ada@mail.example']))
  expect(collected.get('ada@mail.example')?.result).toMatchObject({ status: 'valid' })
  expect([...senders]).toEqual([`127.0.0.1 ${EGRESS.mailFrom}`])
  expect(await asOwner(world.db, listDrift)).toEqual([])
})

test('an address that is deferred repeatedly ends unknown and is refunded', async () => {
  const { world, put, told } = await startProbing({ rcpt: () => '450 4.2.0 Greylisted, please come back later' })
  const [ref] = await put(['ada@mail.example'])
  await told(1)
  // As after four attempts, when the last retry is due.
  const late = { deferrals: 4, retryAt: new Date(0), createdAt: new Date(Date.now() - 10_000) }
  await asOwner(world.db, (trx) =>
    trx
      .updateTable('validations')
      .set(late as object)
      .where('id', '=', ref?.id ?? '')
      .execute(),
  )
  await vi.waitFor(async () => expect((await world.look()).rows[0]?.state).toBe('final'), 15_000)
  const { available, rows } = await world.look()
  expect([available, rows[0]?.conclusive]).toEqual([1_000, false])
  expect(rows[0]?.result).toMatchObject({ status: 'unknown', sub_status: 'greylisted' })
})

test('a deferred validation is left to the worker with its egress for ten minutes', async () => {
  const { world, put, told, server } = await startProbing({ rcpt: () => '450 4.2.0 Greylisted' })
  const [ref] = await put(['ada@mail.example'])
  await told(1)
  const setBack = (egress: string, retryAt: Date) =>
    asOwner(world.db, (trx) => {
      const createdAt = new Date(Date.now() - 60_000)
      const row = trx.updateTable('validations').set({ egress, retryAt, createdAt } as object)
      return row.where('id', '=', ref?.id ?? '').execute()
    })
  await setBack('another.probity.example', new Date(Date.now() - 60_000))
  const asked = server.recipients.length
  await new Promise((resolve) => setTimeout(resolve, 2_500)) // two polls of the dispatcher
  expect(server.recipients.length).toBe(asked)
  await setBack('another.probity.example', new Date(Date.now() - 11 * 60_000))
  await vi.waitFor(() => expect(server.recipients.length).toBeGreaterThan(asked), 5_000)
})

test('unclassified replies are counted for the operator, without addresses', async () => {
  const { world, put, told, worker } = await startProbing({ rcpt: (_peer, to) => `550 Flurb <${to}> zonk` })
  await put(['ada@mail.example', 'bob@mail.example'])
  await told(2)
  await worker.stop()
  const counted = await asOwner(world.db, (trx) => listUnclassified(trx, 10))
  expect(counted).toMatchObject([{ provider: '', stage: 'rcpt', code: 550, seen: 2 }])
  expect(counted[0]?.reply).toContain('flurb')
  expect(counted[0]?.reply).not.toContain('ada')
})

test('no setting and no flag lets the production entry point dial non-public addresses, for mail or webhooks', async () => {
  const world = await startTestWorld()
  await world.dns.put({
    'inside.example': { mx: [[10, 'mx.inside.example']] },
    'mx.inside.example': { a: ['127.0.0.1'] },
  })
  const log = openSync(join(inject('logFolder'), `entry-${randomUUID()}.log`), 'a')
  const child = spawn(process.execPath, [MAIN, '--policy=any', '--allow-private', '--port=2525'], {
    stdio: ['ignore', log, log],
    env: {
      ...COMPILED,
      DATABASE_URL: world.config.databaseUrl,
      REDIS_URL: world.config.redisUrl,
      DNS_SERVERS: world.config.dnsServers.join(),
      SMTP_HELO_NAME: EGRESS.heloName,
      SMTP_MAIL_FROM: EGRESS.mailFrom,
      ...TRIED,
    },
  })
  whenDone(() => stopChild(child, 'SIGTERM'))
  const { accountId } = world
  const view = { accountId, mode: 'live' as const }
  const { id: webhookId } = await openTestWebhook(world.db, view, { url: 'https://mx.inside.example/' })
  const sent = await inTenant(world.db, accountId, (trx) => sendTestEvent(trx, view, webhookId))
  const deliveryId = typeof sent === 'object' ? sent.id : ''
  await world.open(['ada@inside.example'])
  await vi.waitFor(async () => expect((await world.look()).rows[0]?.state).toBe('final'), 18_000)
  expect((await world.look()).rows[0]?.result).toMatchObject({ status: 'unknown', sub_status: 'not_routable' })
  await vi.waitFor(async () => {
    const delivery = await inTenant(world.db, accountId, (trx) => findDelivery(trx, view, { webhookId, deliveryId }))
    expect(delivery?.tried[0]).toMatchObject({ status: null, error: 'not_routable' })
  }, 18_000)
})

const MAIN = fileURLToPath(new URL('../server/main.ts', import.meta.url))

/** Settings that do not exist: none of them has an effect. */
const TRIED = {
  NODE_ENV: 'test',
  SMTP_POLICY: 'any',
  SMTP_ALLOW: '127.0.0.0/8',
  SMTP_ALLOW_PRIVATE: 'true',
  SMTP_PORT: '2525',
  WEBHOOK_ALLOW: '127.0.0.0/8',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  WEBHOOK_PORT: '2525',
  ADDRESS_POLICY: 'loopback',
  PROBITY_LAB: 'true',
}

test('a mail host at the address of an own egress is not dialed', async () => {
  const own = { ...EGRESS, heloName: 'mx.mail.example' }
  const { server, put, told } = await startProbing({ rcpt: () => '250 2.1.5 Ok' }, [own])
  await put(['ada@mail.example'])
  const [answer] = await told(1)
  expect(answer?.result).toMatchObject({ status: 'unknown', sub_status: 'not_routable' })
  expect(server.connections()).toBe(0)
})
