import { randomUUID } from 'node:crypto'
import { grantPaid } from '@probity/database/billing/payments'
import { inTenant } from '@probity/database/connection/connect'
import { confirmTestJob } from '@probity/database/jobs/test-jobs'
import { PROVIDER_LIMITS } from '@probity/engine/smtp/providers/data/limits'
import type { Names } from '@probity/lab/dns/zone-file'
import { freePort } from '@probity/lab/services/daemon'
import { type Script, startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { openStorage } from '@probity/uploads/open-storage'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { start } from '../server/start.ts'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const ADDRESS = '127.97.0.1'
const LIST_SIZE = 10_000
/** Maximum number of probes before a guessed list is paused. */
const PROBES_MAX = 300
/** Fast limits, so that the test is short. */
const LIMITS = {
  ...PROVIDER_LIMITS,
  '': {
    ...PROVIDER_LIMITS[''],
    ...{ connectionsPerEgress: 20, connectionsPerMinute: 60_000, errorsPerHour: null, errorsPerConnection: 100 },
    ...{ recipientsPerConnection: 100, errorsByFamily: {} },
  },
}
const SOON = { timeout: 60_000, interval: 50 }
/** Addresses whose name begins with "known" have a mailbox. */
const SCRIPT: Script = {
  rcpt: (_peer, to) => (to.startsWith('known') ? '250 2.1.5 Ok' : '550 5.1.1 No such user here'),
}

/** A worker with abuse limits, and a mail server for the given domains. The account has bought `paid` credits before. */
async function startLimited(domains: string[], { paid = 0, domainAddresses = 200 } = {}) {
  const world = await startTestWorld()
  const { db, accountId } = world
  const port = await freePort()
  const server = await startScripted(SCRIPT, { host: ADDRESS, port })
  whenDone(() => server.stop())
  const names = domains.flatMap((domain): [string, Names[string]][] => [
    [domain, { mx: [[10, `mx.${domain}`]] }],
    [`mx.${domain}`, { a: [ADDRESS] }],
  ])
  await world.dns.put(Object.fromEntries(names))
  await inTenant(db, accountId, (trx) =>
    grantPaid(trx, accountId, { reference: `cs_${randomUUID()}`, credits: Math.max(paid, 1) }),
  )
  if (paid === 0)
    await inTenant(db, accountId, (trx) =>
      sql`select ledger_post('grant', ${LIST_SIZE}, gen_random_uuid())`.execute(trx),
    )
  const environment = {
    policy: { port, allows: (address: string) => address === ADDRESS },
    providerLimits: LIMITS,
    addressLimits: { connections: 100, perMinute: 100_000 },
  }
  const config = { ...world.config, egresses: [EGRESS], abuseLimits: { domainAddresses } }
  const worker = await start(config, environment, world.log)
  whenDone(() => worker.stop())

  async function confirm(emails: string[]): Promise<string> {
    const { key } = await openStorage(config.storage).save(one(['email', ...emails].join('\n')))
    return (await confirmTestJob(db, accountId, { uniqueCount: emails.length, storageKey: key })).id
  }
  const lookAt = (id: string) =>
    inTenant(db, accountId, async (trx) => ({
      job: await trx.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      review: await trx.selectFrom('jobReviews').selectAll().where('jobId', '=', id).executeTakeFirst(),
    }))
  return { server, worker, confirm, lookAt }
}

async function* one(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

const permutations = (domain: string) => Array.from({ length: LIST_SIZE }, (_, n) => `first.last${n}@${domain}`)

test(`a list of ${LIST_SIZE} permutations at one domain is paused before the first probe if it exceeds the daily limit`, async () => {
  const { server, confirm, lookAt } = await startLimited(['target.example'])
  const id = await confirm(permutations('target.example'))
  await vi.waitFor(async () => expect((await lookAt(id)).review?.state).toBe('waiting'), SOON)
  const { job, review } = await lookAt(id)
  expect(review).toMatchObject({
    reason: 'domain_limit',
    domain: 'target.example',
    domainCount: LIST_SIZE,
    sampleDone: 0,
  })
  expect(job).toMatchObject({ state: 'processing', doneCount: 0, pausedAt: expect.any(Date) })
  expect(server.recipients).toEqual([])
})

test(`a list of ${LIST_SIZE} permutations within the daily limit is paused before ${PROBES_MAX} probes are sent`, async () => {
  const { server, worker, confirm, lookAt } = await startLimited(['target.example'], { paid: 10 * LIST_SIZE })
  const id = await confirm(permutations('target.example'))
  await vi.waitFor(async () => expect((await lookAt(id)).review?.state).toBe('waiting'), SOON)
  const { job, review } = await lookAt(id)
  expect(review).toMatchObject({ reason: 'guessed_addresses', domain: 'target.example', domainCount: LIST_SIZE })
  expect(review?.sampleInvalid).toBe(review?.sampleDone)
  expect(job.pausedAt).toEqual(expect.any(Date))
  await worker.stop() // finishes the rest of the claimed sample
  expect(server.recipients.length).toBeGreaterThan(0)
  expect(server.recipients.length).toBeLessThan(PROBES_MAX)
})

test('a list of one domain whose sample is mostly valid continues by itself', async () => {
  const { confirm, lookAt } = await startLimited(['own.example'], { domainAddresses: 1_000 })
  const emails = Array.from({ length: 300 }, (_, n) => `${n % 5 === 0 ? 'left' : 'known'}${n}@own.example`)
  const id = await confirm(emails)
  await vi.waitFor(async () => expect((await lookAt(id)).job.state).toBe('completed'), SOON)
  expect((await lookAt(id)).review).toMatchObject({ reason: 'guessed_addresses', state: 'passed' })
})

test(`an ordinary list of ${LIST_SIZE} addresses over 500 domains is not paused`, {
  tags: ['long'],
  timeout: 180_000,
}, async () => {
  const domains = Array.from({ length: 500 }, (_, n) => `customer${n}.example`)
  const { server, confirm, lookAt } = await startLimited(domains)
  const emails = Array.from(
    { length: LIST_SIZE },
    (_, n) => `${n % 4 === 0 ? 'left' : 'known'}${n}@${domains[n % 500]}`,
  )
  const id = await confirm(emails)
  await vi.waitFor(async () => expect((await lookAt(id)).job.state).toBe('completed'), {
    timeout: 170_000,
    interval: 200,
  })
  expect((await lookAt(id)).review).toBeUndefined()
  expect(server.recipients.length).toBeGreaterThanOrEqual(LIST_SIZE)
})
