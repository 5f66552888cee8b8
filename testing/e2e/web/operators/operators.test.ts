import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { asOwner } from '@probity/database/connection/connect'
import { beginRound, keepFindings } from '@probity/database/operators/doctor'
import { recordUnclassifiedReplies } from '@probity/database/operators/unclassified-replies'
import { recordProcess } from '@probity/database/system/processes'
import { recordProbes } from '@probity/database/validations/probing'
import { whenDone } from '@probity/lab/when-done'
import { connectWithRetries } from '@probity/redis/connection'
import { rateLimiterKey } from '@probity/redis/keys'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../../browser/browser.ts'
import { choose, testCases } from '../../browser/page-states.ts'
import { signUpUser, type TestUser } from '../../browser/users.ts'
import { startOpenInstance } from '../../environment/open-instance.ts'

const instance = await startOpenInstance()
// The doctor of this host considers its checks just run, so only the findings below are shown.
await beginRound(instance.db, hostname())
await keepFindings(instance.db, hostname(), [])
const browser = await startBrowser()
const operator = await signUpUser(browser, instance, { name: 'Mary Somerville', organisation: 'The Operator' })
await asOwner(instance.db, (trx) =>
  sql`update users set is_operator = true where email = ${operator.email}`.execute(trx),
)
const owner = await signUpUser(browser, instance, { name: 'Ada Lovelace', organisation: 'Analytical Engines' })
const made = await owner.sendRequest('POST', '/keys', { name: 'CI', livemode: true, scopes: ['account:read'] })
await recordUnclassifiedReplies(instance.db, [
  { provider: 'gmx', stage: 'rcpt', code: 550, reply: '5.7.1 We have our reasons', seen: 7 },
  { provider: '', stage: 'greeting', code: 421, reply: 'Not on a Sunday', seen: 3 },
])

/** Figures and facts as reported by workers. */
const EGRESS = 'probe.probity.example'
await recordProbes(instance.db, [
  {
    provider: 'gmx',
    egress: EGRESS,
    probes: 100,
    conclusive: 75,
    deferred: 10,
    blocked: 5,
    noResponse: 5,
    throttled: 20,
    ms: [0, 0, 0, 95, 0, 0, 0, 0, 0, 0, 0],
    lastBlock: '550 5.7.1 on a list',
  },
])
await recordProcess(instance.db, {
  id: randomUUID(),
  kind: 'worker',
  version: '0.1.0',
  facts: {
    egresses: [{ name: EGRESS, helo: EGRESS, address: '192.0.2.25', proxy: null }],
    limits: { gmx: { connections: 2, per_minute: 30 } },
  },
})
/** Findings as reported by a worker on another host. */
const DURABLE = {
  says: 'Run in psql as a superuser:',
  lines: ['alter system set fsync = on;', 'select pg_reload_conf();'],
}
await keepFindings(instance.db, 'probe-1', [
  { check: 'clock', subject: '', status: 'pass', saw: 'The clock agrees with PostgreSQL.', fix: null },
  { check: 'postgres-durability', subject: '', status: 'fail', saw: 'fsync is off.', fix: DURABLE },
  {
    check: 'blocklists',
    subject: `${EGRESS} · zen.spamhaus.org`,
    status: 'unknown',
    saw: 'The DNSBL could not be queried.',
    fix: null,
  },
])
// That process does not exist, so its heartbeat is kept up here.
const beating = setInterval(
  () => void asOwner(instance.db, (trx) => sql`update processes set seen_at = now()`.execute(trx)),
  5_000,
)
whenDone(() => clearInterval(beating))

/** A list of half an hour ago without any progress: its file is missing, and no worker plans it. */
const stuck = await asOwner(instance.db, (trx) =>
  sql<{ id: string }>`
    insert into jobs (account_id, mode, upload_id, filename, email_column, row_count, email_count, unique_count, credits_per_email,
      refund_unknown, expires_on, state, created_at)
    values (${operator.accountId}, 'test', gen_random_uuid(), 'spring.csv', 'email', 3, 3, 3, 0, true, utc_today() + 5, 'processing',
      now() - interval '30 minutes')
    returning id`.execute(trx),
)
const stuckId = String(stuck.rows[0]?.id)
await asOwner(instance.db, (trx) =>
  sql`insert into job_queue (job_id, no, account_id, site, site_max, size, queued_at)
    values (${stuckId}, 0, ${operator.accountId}, '', 1, 3, now() + interval '1 hour')`.execute(trx),
)

/** A list that the abuse limits paused. */
const reviewed = await asOwner(instance.db, (trx) =>
  sql<{ id: string }>`
    with job as (
      insert into jobs (account_id, mode, upload_id, filename, email_column, row_count, email_count, unique_count, credits_per_email,
        refund_unknown, expires_on, state, paused_at)
      values (${owner.accountId}, 'test', gen_random_uuid(), 'guessed.csv', 'email', 900, 900, 900, 0, true, utc_today() + 5,
        'processing', now())
      returning id, account_id
    )
    insert into job_reviews (job_id, account_id, reason, state, domain, domain_count, sample_done, sample_invalid)
    select id, account_id, 'guessed_addresses', 'waiting', 'target.example', 900, 100, 95 from job returning job_id as id`.execute(
    trx,
  ),
)
const reviewedId = String(reviewed.rows[0]?.id)

async function open(person: TestUser, path: string): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(path)
  await loaded(page)
  return page
}

async function askByKey(): Promise<number> {
  const headers = { 'x-api-key': String(made.body['key']) }
  return (await fetch(`${instance.api.url}/api/v1/account`, { headers })).status
}

test('an operator sees the health of the installation and can pause automatic refreshes', async () => {
  const page = await open(operator, '/app/quick-start')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operator' }).click()
  await page.waitForURL(/\/app\/operator\/health/)
  const tiles = page.getByRole('list', { name: 'Components' }).getByRole('listitem')
  const tile = (name: string) => tiles.filter({ has: page.getByRole('heading', { name, exact: true }) })
  await tile('PostgreSQL').getByText('OK', { exact: true }).waitFor()
  await tile('Workers')
    .getByText(/\d process(es)? (is|are) running/)
    .waitFor()
  await tile('SMTP relay').getByText('Off', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Pause' }).click()
  const before = await page.getByText(/As of/).textContent()
  await vi.waitFor(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click() // the time is shown to the second
    expect(await page.getByText(/As of/).textContent()).not.toBe(before)
  }, 5_000)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText(/^Refreshes every 10 seconds/).waitFor()
})

test('an operator reads the doctor findings, most severe first, copies a fix and runs the checks again', async () => {
  const page = await open(operator, '/app/operator/doctor')
  await page.getByRole('heading', { name: '1 check fails, 1 check could not run' }).waitFor()
  const cards = page.getByRole('list', { name: 'Findings' }).getByRole('listitem')
  expect(await cards.getByRole('heading').allTextContents()).toEqual([
    'PostgreSQL durability settings are on',
    'The egress IP is not listed on a DNSBL',
  ])
  await cards.first().getByText('Credits are money.').waitFor()
  await cards.first().getByRole('button', { name: /^Copy/ }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(DURABLE.lines.join('\n'))
  await page.getByRole('list', { name: 'Passing' }).getByText('The clock is correct').waitFor()
  const tiles = (await open(operator, '/app/operator/health')).getByRole('list', { name: 'Components' })
  await tiles.getByText(/PostgreSQL durability settings are on/).waitFor()
  await page.getByRole('button', { name: 'Run checks' }).click()
  // The worker of this installation runs the checks and adds its own findings.
  await cards
    .filter({ hasText: `host ${hostname()}` })
    .first()
    .waitFor({ timeout: 45_000 })
})

test('an operator adds credits, changes a plan, suspends an account and reactivates it', async () => {
  const page = await open(operator, '/app/operator/accounts')
  await page.getByRole('searchbox', { name: 'Search by name or ID' }).fill('analytical')
  await page.waitForURL(/search=analytical/)
  const row = page.getByRole('row', { name: /Analytical Engines/ })
  await vi.waitFor(async () => expect(await page.getByRole('row').count()).toBe(2))

  await choose('Actions for Analytical Engines', 'Adjust credits')(page)
  await page.getByRole('button', { name: 'Adjust credits' }).click()
  await page.getByText('Please fix 2 fields.').waitFor()
  await page.getByLabel('Credits', { exact: true }).fill('500')
  await page.getByLabel('Reason', { exact: true }).fill('For the delay')
  await page.getByRole('button', { name: 'Adjust credits' }).click()
  await row.getByText('10,500').waitFor()

  await choose('Actions for Analytical Engines', 'Change plan')(page)
  await page.getByLabel('Plan', { exact: true }).selectOption('scale')
  await page.getByRole('button', { name: 'Change plan' }).click()
  await row.getByText('scale').waitFor()

  expect(await askByKey()).toBe(200)
  await choose('Actions for Analytical Engines', 'Suspend')(page)
  await page.getByRole('button', { name: 'Suspend account' }).click()
  await row.getByText('Suspended').waitFor()
  await vi.waitFor(async () => expect(await askByKey()).toBe(403), 5_000)
  await choose('Actions for Analytical Engines', 'Reactivate')(page)
  await page.getByRole('button', { name: 'Reactivate account' }).click()
  await row.getByText('Active').waitFor()
  await vi.waitFor(async () => expect(await askByKey()).toBe(200), 5_000)

  await page.getByRole('button', { name: 'Actions for Analytical Engines' }).click()
  await page.getByRole('menuitem', { name: 'Audit log' }).click()
  await page.waitForURL(/operator\/audit-log\?.*account=/)
  const entries = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await entries.filter({ hasText: 'Credits added' }).getByText('Note: For the delay').waitFor()
  await entries.filter({ hasText: 'Plan changed' }).getByText('Plan: Pay as you go → Scale').waitFor()
  await entries.filter({ hasText: 'Account suspended' }).getByText('Mary Somerville').waitFor()
})

test('an unclassified reply is copied as a rule and marked as reviewed', async () => {
  const page = await open(operator, '/app/operator/replies')
  const row = page.getByRole('row', { name: /We have our reasons/ })
  await row.getByRole('button', { name: /^Copy a rule/ }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("enhanced: '5.7.1'")
  await row.getByRole('button', { name: /^Mark as reviewed/ }).click()
  await vi.waitFor(async () => expect(await row.count()).toBe(0))
  await page.getByRole('radio', { name: 'All' }).check()
  await row.getByRole('button', { name: /^Mark as new/ }).click()
  await page.getByRole('radio', { name: 'New' }).check()
  await row.waitFor()
})

test('an operator adjusts credits by keyboard', async () => {
  const page = await open(operator, '/app/operator/accounts')
  await page.getByRole('button', { name: 'Actions for The Operator' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Adjust credits' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.getByLabel('Credits', { exact: true }).focus()
  await page.keyboard.type('7')
  await page.keyboard.press('Tab')
  await page.keyboard.type('By keyboard')
  await page.keyboard.press('Enter')
  await page
    .getByRole('row', { name: /The Operator/ })
    .getByText('10,007')
    .waitFor()
  // The focus returns to the button that opened the menu.
  await vi.waitFor(async () =>
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Actions for The Operator',
    ),
  )
})

test('a member who is not an operator sees no link to the operator pages and no data on them', async () => {
  const page = await open(owner, '/app/quick-start')
  expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0)
  for (const place of [
    'health',
    'doctor',
    'providers',
    'egress',
    'queues',
    'reviews',
    'accounts',
    'replies',
    'audit-log',
  ]) {
    await page.goto(`/app/operator/${place}`)
    await loaded(page)
    await page.getByRole('heading', { name: 'Operator access required' }).waitFor()
    expect((await owner.sendRequest('GET', `/operator/${place}`)).status).toBe(404)
  }
})

test('an operator changes the time range, pauses a provider, lowers its rate and resumes it', async () => {
  const page = await open(operator, '/app/operator/providers')
  await page.getByRole('radio', { name: '7 days' }).check()
  await page.waitForURL(/hours=168/)
  const row = page.getByRole('row', { name: /^GMX/ })
  await row.getByText('75%').waitFor()
  await row.getByText('400 ms').first().waitFor()
  await choose('Actions for GMX', 'Pause')(page)
  await page.getByRole('button', { name: 'Pause provider' }).click()
  await row.getByText('Paused').waitFor()
  await choose('Actions for GMX', 'Change rate')(page)
  await page.getByLabel('Rate', { exact: true }).selectOption('25')
  await page.getByRole('button', { name: 'Change rate' }).click()
  await page.getByText('Rate of GMX set to 25%.').waitFor()
  await choose('Actions for GMX', 'Resume')(page)
  await page.getByRole('button', { name: 'Resume provider' }).click()
  await row.getByText('Reduced rate', { exact: true }).waitFor()

  const log = await open(operator, '/app/operator/audit-log?account=installation')
  const entries = log.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await entries.filter({ hasText: 'Provider paused' }).getByText('Mary Somerville').waitFor()
  await entries.filter({ hasText: 'Provider rate changed' }).getByText('Rate (%): 100 → 25').waitFor()
})

test('an operator lifts the suspension of a provider', async () => {
  const until = Date.now() + 3_600_000
  const key = rateLimiterKey('probity', { egress: EGRESS, site: 'gmx' })
  const redis = connectWithRetries(instance.settings['REDIS_URL'] ?? '')
  whenDone(() => redis.disconnect())
  await redis.hset(key, { until, reason: 'ip_blocked' })
  const page = await open(operator, '/app/operator/providers')
  const row = page.getByRole('row', { name: /^GMX/ })
  await row.getByText('Suspended', { exact: true }).waitFor()
  await choose('Actions for GMX', 'Lift suspension')(page)
  await page.getByRole('button', { name: 'Lift suspension', exact: true }).click()
  await page.getByText('Suspension of GMX lifted.').waitFor()
  await row.getByText('Suspended', { exact: true }).waitFor({ state: 'detached' })

  const log = await open(operator, '/app/operator/audit-log?account=installation')
  const entries = log.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await entries.filter({ hasText: 'Provider suspension lifted' }).getByText('Mary Somerville').waitFor()
})

test('an operator drains an egress and resumes it', async () => {
  const page = await open(operator, '/app/operator/egress')
  const row = page.getByRole('row', { name: /probe\.probity\.example/ })
  await row.getByText('550 5.7.1 on a list').waitFor()
  await row.getByRole('button', { name: 'Drain' }).click()
  await page.getByRole('button', { name: 'Drain egress' }).click()
  await row.getByText('Drained').waitFor()
  await row.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Resume egress' }).click()
  await row.getByText('Active').waitFor()
})

test('a stalled list is shown and requeued', async () => {
  const page = await open(operator, '/app/operator/queues')
  const row = page.getByRole('row', { name: /The Operator/ })
  await row.getByRole('button', { name: /^Requeue/ }).click()
  await page.getByRole('button', { name: 'Requeue list' }).click()
  await page.getByText('Unclaimed batches were requeued.').waitFor()
  const { body } = await operator.sendRequest('GET', `/operator/audit-log?account=${operator.accountId}&action=list`)
  expect(body['entries']).toMatchObject([{ action: 'list.requeued', subject_id: stuckId, actor: 'operator' }])
})

test('a list under review is shown with its figures and released, and a domain opts out', async () => {
  const listPage = await open(owner, `/app/lists/${reviewedId}?mode=test`)
  await listPage.getByText('Under review').waitFor()
  expect(await listPage.getByRole('button', { name: 'Resume' }).count()).toBe(0)
  const page = await open(operator, '/app/operator/reviews')
  const row = page.getByRole('row', { name: /Analytical Engines/ })
  await row.getByText('target.example').waitFor()
  await row.getByText('95%').waitFor()
  await row.getByRole('button', { name: /^Release/ }).click()
  await page.getByRole('button', { name: 'Release list' }).click()
  await page.getByText('List released.').waitFor()
  const { body } = await operator.sendRequest('GET', `/operator/audit-log?account=${owner.accountId}&action=list`)
  expect(body['entries']).toMatchObject([{ action: 'list.review_released', subject_id: reviewedId, actor: 'operator' }])

  await page.getByRole('button', { name: 'Add domain' }).click()
  await page.getByLabel('Domain', { exact: true }).fill('Private.Example')
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
  await page.getByRole('row', { name: /private\.example/ }).waitFor()
})

const AS = operator.context
testCases([
  { what: 'health', as: AS, path: '/app/operator/health' },
  { what: 'the doctor', as: AS, path: '/app/operator/doctor' },
  { what: 'providers', as: AS, path: '/app/operator/providers' },
  { what: 'egresses', as: AS, path: '/app/operator/egress' },
  { what: 'queues', as: AS, path: '/app/operator/queues' },
  { what: 'reviews', as: AS, path: '/app/operator/reviews' },
  { what: 'accounts', as: AS, path: '/app/operator/accounts' },
  { what: 'replies', as: AS, path: '/app/operator/replies' },
  { what: 'the whole audit log', as: AS, path: '/app/operator/audit-log' },
])
