import { setTimeout as sleep } from 'node:timers/promises'
import { listDrift } from '@probity/database/billing/ledger'
import { asOwner } from '@probity/database/connection/connect'
import { startRedis } from '@probity/lab/services/redis'
import { whenDone } from '@probity/lab/when-done'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type ApiClient, createApiClient, type Instance, startInstance } from '../environment/instance.ts'
import { startWorkerProcess } from '../environment/processes.ts'

/** A short outage runs in gate 2, a long one in gate 3. */
const OUTAGES = [
  { seconds: 6, tags: [] },
  { seconds: 30, tags: ['long'] },
]

const EXPECTED: Record<string, string> = {
  'null-mx.example': 'invalid null_mx',
  'two-mx.example': 'unknown not_probed',
  'not-there.example': 'invalid domain_not_found',
  'silent.example': 'unknown dns_failed',
}
const ASKED = ['null-mx.example', 'two-mx.example', 'not-there.example']

type Asked = { email: string; verdict: string }

/** Without a pause the load would take the CPU time of all other processes. */
const PAUSE_MS = 50

/** Clients that validate a new address shortly after each response. */
function startLoad({ call }: ApiClient, clients: number) {
  const answers: Asked[] = []
  const failed: string[] = []
  let going = true
  let n = 0
  async function validateRepeatedly(): Promise<void> {
    while (going) {
      const domain = ASKED[n % ASKED.length]
      const email = `client${n++}@${domain}`
      try {
        const { status, body, text } = await call('POST', '/validation/single', { email, timeout: 30 })
        if (status === 200) answers.push({ email, verdict: `${body['status']} ${body['sub_status']}` })
        else failed.push(`${status} ${text}`)
      } catch (error) {
        failed.push(String(error))
      }
      await sleep(PAUSE_MS)
    }
  }
  const running = Array.from({ length: clients }, validateRepeatedly)
  return {
    answers,
    async stop() {
      going = false
      await Promise.all(running)
      return { answers, failed }
    },
  }
}

/** Every verdict is correct, every row is done, and the ledger has no mismatch. */
async function expectAllExact({ db }: Instance, apiClient: ApiClient, answers: Asked[]): Promise<void> {
  const wrong = answers.filter(({ email, verdict }) => EXPECTED[email.split('@')[1] ?? ''] !== verdict)
  expect(wrong).toEqual([])
  expect(new Set(answers.map(({ email }) => email)).size).toBe(answers.length)

  const { rows } = await asOwner(db, (trx) =>
    sql<{ state: string; conclusive: boolean; n: number }>`
      select state, conclusive, count(*) as n from validations where account_id = ${apiClient.accountId}
      group by state, conclusive order by conclusive`.execute(trx),
  )
  const definite = answers.filter(({ verdict }) => verdict.startsWith('invalid')).length
  expect(rows).toEqual([
    { state: 'final', conclusive: false, n: answers.length - definite },
    { state: 'final', conclusive: true, n: definite },
  ])
  const account = await apiClient.call('GET', '/account')
  expect(account.body['credits']).toMatchObject({ available: 100_000 - definite, reserved: 0, used: definite })
  expect(await asOwner(db, listDrift)).toEqual([])
}

for (const { seconds, tags } of OUTAGES) {
  test(`single validations have the same verdicts and exact charges when Redis is down for ${seconds} s`, {
    tags,
    timeout: 120_000 + seconds * 2_000,
  }, async () => {
    const redis = await startRedis()
    whenDone(() => redis.stop())
    const instance = await startInstance({ REDIS_URL: redis.url })
    const apiClient = await createApiClient(instance, { credits: 100_000 })
    const load = startLoad(apiClient, 8)
    await expect.poll(() => load.answers.length, { timeout: 20_000 }).toBeGreaterThan(50)

    await redis.halt()
    const before = load.answers.length
    await sleep(seconds * 1_000)
    const during = load.answers.length - before
    await redis.restart()
    const after = load.answers.length
    await expect.poll(() => load.answers.length, { timeout: 20_000 }).toBeGreaterThan(after + 50)

    const { answers, failed } = await load.stop()
    expect(failed).toEqual([])
    expect(during).toBeGreaterThan(10)
    await expectAllExact(instance, apiClient, answers)
  })
}

test('a killed worker costs a retry, and no response and no credit is lost', async () => {
  const instance = await startInstance()
  const apiClient = await createApiClient(instance, { credits: 100_000 })
  // DNS never replies for this address in time, so that the worker certainly dies during its validation.
  const slow = apiClient.call('POST', '/validation/single', { email: 'slow@silent.example', timeout: 30 })
  const load = startLoad(apiClient, 8)
  await expect.poll(() => load.answers.length, { timeout: 20_000 }).toBeGreaterThan(50)

  await instance.worker.kill()
  // The claims of the worker end with their expiry, which is shortened here so that the test need not wait.
  await asOwner(instance.db, (trx) =>
    sql`update validations set claimed_until = now() where state = 'open'`.execute(trx),
  )
  await startWorkerProcess(instance.settings)
  const seen = load.answers.length
  await expect.poll(() => load.answers.length, { timeout: 20_000 }).toBeGreaterThan(seen + 50)

  const { answers, failed } = await load.stop()
  expect(failed).toEqual([])
  const { body } = await slow
  await expectAllExact(instance, apiClient, [
    ...answers,
    { email: 'slow@silent.example', verdict: `${body['status']} ${body['sub_status']}` },
  ])
})
