import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { listTestResults } from '@probity/database/jobs/results/test-results'
import { confirmTestJob } from '@probity/database/jobs/test-jobs'
import { freePort } from '@probity/lab/services/daemon'
import { startScripted } from '@probity/lab/smtp/server'
import { whenDone } from '@probity/lab/when-done'
import { openStorage } from '@probity/uploads/open-storage'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestWorld } from '../server/test-worker.ts'

const EGRESS = { name: 'probe.probity.example', heloName: 'probe.probity.example', mailFrom: 'bounce@probity.example' }
const POISON = '127.94.0.66'
/** More than needed: two for the whole batch, one for each half, and five for the single address. */
const DEATHS_MAX = 40

test('an address that crashes every worker does not affect other addresses', {
  tags: ['long'],
  timeout: 180_000,
}, async () => {
  const world = await startTestWorld()
  const port = await freePort()
  const server = await startScripted({}, { host: '127.94.0.1', port })
  whenDone(() => server.stop())
  await world.dns.put({
    'mail.example': { mx: [[10, 'mx.mail.example']] },
    'mx.mail.example': { a: ['127.94.0.1'] },
    'poison.example': { mx: [[10, 'mx.poison.example']] },
    'mx.poison.example': { a: [POISON] },
  })
  const config = { ...world.config, egresses: [EGRESS], logLevel: 'silent' }
  const emails = Array.from({ length: 11 }, (_, n) => (n === 6 ? 'she@poison.example' : `a${n}@mail.example`))
  const { key } = await openStorage(config.storage).save(one(['email', ...emails].join('\n')))
  const { id } = await confirmTestJob(world.db, world.accountId, { uniqueCount: 11, storageKey: key })
  const look = () =>
    inTenant(world.db, world.accountId, async (trx) => {
      const job = await trx.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const results = await listTestResults(world.db, id)
      const { available, reserved, spent } = await trx.selectFrom('accounts').selectAll().executeTakeFirstOrThrow()
      return { job, results, credits: { available, reserved, spent } }
    })

  const redis = new Redis(config.redisUrl)
  whenDone(() => redis.disconnect())
  let deaths = 0
  let isOver = false
  for (; deaths < DEATHS_MAX && !isOver; deaths += 1) {
    const child = spawn(process.execPath, [ENTRY, JSON.stringify({ config, port, poison: POISON })], {
      stdio: 'ignore',
    })
    whenDone(() => void child.kill('SIGKILL'))
    isOver = await isDoneBeforeDeath(child, async () => (await look()).job.state === 'completed')
    // After this time everything that the worker held has been released: connections, heartbeat and batches.
    const held = await redis.keys(`${config.queuePrefix}*`)
    if (held.length > 0) await redis.del(held)
    await asOwner(world.db, (trx) => sql`update job_workers set seen_at = seen_at - interval '1 minute'`.execute(trx))
    await asOwner(world.db, (trx) => sql`update job_queue set queued_at = queued_at - interval '1 minute'`.execute(trx))
  }
  const { results, credits } = await look()
  expect(results.map(({ email, status }) => [email, status])).toEqual(
    emails.map((email, n) => [email, n === 6 ? 'unknown' : 'risky']),
  )
  expect(results[6]?.subStatus).toBe('internal_error')
  expect(credits).toEqual({ available: 990, reserved: 0, spent: 10 })
  expect(deaths).toBeGreaterThan(6)
  expect(await asOwner(world.db, listDrift)).toEqual([])
})

const ENTRY = fileURLToPath(new URL('./test-poisoned.ts', import.meta.url))

async function isDoneBeforeDeath(child: ChildProcess, isDone: () => Promise<boolean>): Promise<boolean> {
  const died = new Promise<boolean>((resolve) => child.once('exit', () => resolve(true)))
  for (let n = 0; n < 600; n += 1) {
    if (await isDone()) return true
    const isDead = await Promise.race([died, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 100))])
    if (isDead) return false
  }
  throw new Error('neither done nor dead within a minute')
}

async function* one(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
