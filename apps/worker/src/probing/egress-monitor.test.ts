import { randomUUID } from 'node:crypto'
import type { ProbingState } from '@probity/contract/schemas/system'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { confirmTestJob } from '@probity/database/jobs/test-jobs'
import { findProbing } from '@probity/database/validations/probing'
import type { ReferenceHost } from '@probity/engine/smtp/probe/data/reference-hosts'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, type ScriptedServer, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { openInteractiveQueue } from '@probity/redis/task-queues'
import { openStorage } from '@probity/uploads/open-storage'
import { sql } from 'kysely'
import { beforeEach, expect, test, vi } from 'vitest'
import type { WorkerConfig } from '../server/config.ts'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const LANDMARKS: ReferenceHost[] = ['north.example', 'south.example'].map((domain) => ({
  provider: domain,
  domain,
  greetsAs: [],
  why: '',
}))
const SOON = { timeout: 15_000, interval: 50 }

/** Addresses that begin with "a" have a mailbox, and all addresses at `all.example`. */
const HONEST: Script = {
  rcpt: (_peer, to) =>
    to.startsWith('a') || to.endsWith('@all.example') ? '250 2.1.5 Ok' : '550 5.1.1 No such user here',
}

const world = await startTestWorld()
const { db, accountId, config } = world
// The plan charges unknown results, so that refunds here are due to the missing egress.
await asOwner(db, (trx) => sql`update plans set refund_unknown = false`.execute(trx))

/** The simulated network of the workers: closed, nothing listens on the mail port; with a middlebox, it responds for every host. */
const network = { isOpen: true, hasBox: false }
const ports = { open: await freePort(), closed: await freePort() }
const names: Names = {}
const servers: ScriptedServer[] = []
for (const [n, name] of ['mail', 'all', 'north', 'south', 'west'].entries()) {
  const [host, mx] = [`127.94.0.${n + 1}`, `mx.${name}.example`]
  const banner = () => `220 ${network.hasBox ? 'relay.some-network.example' : mx} ESMTP`
  const server = await startScripted({ name: mx, ...HONEST, banner }, { host, port: ports.open })
  whenDone(() => server.stop())
  servers.push(server)
  Object.assign(names, { [`${name}.example`]: { mx: [[10, mx]] }, [mx]: { a: [host] } })
}
await world.dns.put(names)

const queue = openInteractiveQueue(config.redisUrl, config.queuePrefix)
whenDone(() => queue.close())

beforeEach(() => {
  Object.assign(network, { isOpen: true, hasBox: false })
})

async function startWorker(changes: Partial<WorkerConfig> = {}, referenceHosts = LANDMARKS) {
  const policy = {
    get port() {
      return network.isOpen ? ports.open : ports.closed
    },
    allows: (address: string) => address.startsWith('127.94.'),
  }
  const egressChecks = { referenceHosts, openMs: 600_000, closedMs: 200 }
  const worker = await start(
    { ...config, egresses: [EGRESS], ...changes },
    { policy, providerLimits: PROVIDER_LIMITS, egressChecks },
    world.log,
  )
  whenDone(() => worker.stop())
  return worker
}

async function validate(emails: string[]) {
  const refs = await world.open(emails)
  await vi.waitFor(() => queue.add({ refs, replyTo: randomUUID() }), SOON)
  const ids = new Set(refs.map(({ id }) => id))
  const ended = async () => (await world.look()).rows.filter(({ id, state }) => ids.has(id) && state === 'final')
  await vi.waitFor(async () => expect(await ended()).toHaveLength(emails.length), SOON)
  const rows = new Map((await ended()).map(({ email, result }) => [email, result as StoredResult]))
  return emails.map((email) => rows.get(email))
}

async function expectProbing(expected: ProbingState): Promise<void> {
  await vi.waitFor(async () => expect(await findProbing(db)).toEqual(expected), SOON)
}

const CLOSED: ProbingState = { mode: 'dns', reason: 'port_25_closed' }
const OPEN: ProbingState = { mode: 'smtp', reason: null }

function inShort(results: (StoredResult | undefined)[]): string[] {
  return results.map((result) => `${result?.status} ${result?.sub_status} ${result?.depth}`)
}

test('without a working egress nothing is dialed, no address ends invalid for that reason, and unprobed addresses are refunded on every plan', async () => {
  network.isOpen = false
  await startWorker()
  await expectProbing(CLOSED)

  const before = await world.look()
  const results = await validate(['ada@mail.example', 'bob@mail.example', 'ada@absent.example', 'no address'])
  expect(inShort(results)).toEqual([
    'unknown not_probed dns',
    'unknown not_probed dns',
    'invalid domain_not_found dns',
    'invalid syntax_error dns',
  ])
  expect(results[0]?.evidence.find(({ check }) => check === 'recipient')).toMatchObject({ outcome: 'no_egress' })
  expect(servers.map(({ connections }) => connections())).toEqual([0, 0, 0, 0, 0])
  expect(await world.look()).toMatchObject({ available: before.available - 2, spent: before.spent + 2 })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('without a working egress a list completes at once, and only addresses with a definite verdict are charged', async () => {
  network.isOpen = false
  await startWorker()
  const before = await world.look()
  const emails = Array.from({ length: 60 }, (_, n) => (n % 3 === 0 ? `a${n}@absent.example` : `b${n}@mail.example`))
  async function* file() {
    yield Buffer.from(['email', ...emails].join('\n'))
  }
  const { key } = await openStorage(config.storage).save(file())
  const { id } = await confirmTestJob(db, accountId, { uniqueCount: 60, storageKey: key, mode: 'live' })
  const lookAt = () =>
    inTenant(db, accountId, (trx) => trx.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow())
  await vi.waitFor(async () => expect((await lookAt()).state).toBe('completed'), SOON)

  expect(await lookAt()).toMatchObject({ doneCount: 60, refundedCount: 40 })
  const counts = await inTenant(db, accountId, (trx) =>
    trx.selectFrom('jobCounts').select(['status', 'subStatus', 'count']).orderBy('status').execute(),
  )
  expect(counts).toEqual([
    { status: 'invalid', subStatus: 'domain_not_found', count: 20 },
    { status: 'unknown', subStatus: 'not_probed', count: 40 },
  ])
  expect(await world.look()).toMatchObject({ available: before.available - 20, spent: before.spent + 20 })
  expect(await asOwner(db, listDrift)).toEqual([])
})

test('earlier SMTP results still count, and probing resumes by itself when the egress works again', async () => {
  const first = await startWorker()
  expect(inShort(await validate(['x@all.example', 'bob@mail.example']))).toEqual([
    'risky catch_all smtp',
    'invalid mailbox_not_found smtp',
  ])
  await first.stop()
  network.isOpen = false
  await startWorker()
  expect(inShort(await validate(['y@all.example', 'carol@mail.example']))).toEqual([
    'risky catch_all smtp',
    'unknown not_probed dns',
  ])

  network.isOpen = true
  await expectProbing(OPEN)
  expect(inShort(await validate(['alan@mail.example']))).toEqual(['valid  smtp'])
})

test('repeated timeouts trigger an egress check before it is due', async () => {
  await startWorker()
  await expectProbing(OPEN)
  network.isOpen = false
  // At domains that never replied: others are deferred.
  await validate(Array.from({ length: 24 }, (_, n) => `a${n}@${['north', 'south', 'west'][n % 3]}.example`))
  await expectProbing(CLOSED)
})

test('a middlebox that responds for every host is detected', async () => {
  network.hasBox = true
  await startWorker()
  await expectProbing({ mode: 'dns', reason: 'intercepted' })
  expect(inShort(await validate(['bert@mail.example']))).toEqual(['unknown not_probed dns'])
})

test('the egress state is unchanged while the reference hosts cannot be resolved', async () => {
  await startWorker(
    {},
    LANDMARKS.map((landmark) => ({ ...landmark, domain: `absent-${landmark.domain}` })),
  )
  await expectProbing(OPEN)
  expect(inShort(await validate(['adam@mail.example']))).toEqual(['valid  smtp'])
})

test('a worker without a working egress leaves work to one with an egress, and takes it when that one stops', async () => {
  const able = await startWorker()
  await expectProbing(OPEN)
  await startWorker({ egresses: [] })
  const emails = Array.from({ length: 20 }, (_, n) => `ann${n}@mail.example`)
  // Each as a task of its own, so that both workers would get some.
  const results = await Promise.all(emails.map((email) => validate([email])))
  expect(new Set(inShort(results.flat()))).toEqual(new Set(['valid  smtp']))

  await able.stop()
  await expectProbing({ mode: 'dns', reason: 'no_helo_name' })
  expect(inShort(await validate(['anna@mail.example']))).toEqual(['unknown not_probed dns'])
})
