import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { asOwner } from '@probity/database/connect'
import { beginRound, keepFindings } from '@probity/database/findings'
import { noteProbes } from '@probity/database/probes'
import { noteProcess } from '@probity/database/processes'
import { noteUnrecognised } from '@probity/database/unrecognised'
import { whenDone } from '@probity/lab/when-done'
import { paceKey } from '@probity/queue/pace-key'
import { connectPatiently } from '@probity/queue/redis'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from './test-browser.ts'
import { startOpenProduct } from './test-open-product.ts'
import { choose, press, testCases } from './test-page-cases.ts'
import { openPerson, type Person } from './test-people.ts'

const product = await startOpenProduct()
// The doctor of this host takes it that somebody has just looked, and leaves the stage to what is planted below.
await beginRound(product.db, hostname())
await keepFindings(product.db, hostname(), [])
const browser = await startBrowser()
const operator = await openPerson(browser, product, { name: 'Mary Somerville', organisation: 'The Operator' })
await asOwner(product.db, (trx) =>
  sql`update users set is_operator = true where email = ${operator.email}`.execute(trx),
)
const owner = await openPerson(browser, product, { name: 'Ada Lovelace', organisation: 'Analytical Engines' })
const made = await owner.ask('POST', '/keys', { name: 'CI', livemode: true, scopes: ['account:read'] })
await noteUnrecognised(product.db, [
  { provider: 'gmx', stage: 'rcpt', code: 550, reply: '5.7.1 We have our reasons', seen: 7 },
  { provider: '', stage: 'greeting', code: 421, reply: 'Not on a Sunday', seen: 3 },
])

/** As workers would have counted it, and said of themselves. */
const EGRESS = 'probe.probity.example'
await noteProbes(product.db, [
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
await noteProcess(product.db, {
  id: randomUUID(),
  kind: 'worker',
  version: '0.1.0',
  facts: {
    egresses: [{ name: EGRESS, helo: EGRESS, address: '192.0.2.25', proxy: null }],
    habits: { gmx: { connections: 2, per_minute: 30 } },
  },
})
/** As a worker on another host would have found it. */
const DURABLE = {
  says: 'As a superuser, by psql:',
  lines: ['alter system set fsync = on;', 'select pg_reload_conf();'],
}
await keepFindings(product.db, 'probe-1', [
  { check: 'clock', subject: '', status: 'pass', saw: 'It agrees with that of PostgreSQL.', fix: null },
  { check: 'postgres-durability', subject: '', status: 'fail', saw: 'fsync is off.', fix: DURABLE },
  {
    check: 'blocklists',
    subject: `${EGRESS} · zen.spamhaus.org`,
    status: 'unknown',
    saw: 'It would not say.',
    fix: null,
  },
])
// That process does not live, so nobody says for it that it does.
const beating = setInterval(
  () => void asOwner(product.db, (trx) => sql`update processes set seen_at = now()`.execute(trx)),
  5_000,
)
whenDone(() => clearInterval(beating))

/** A list of half an hour ago of which nothing was ever done: its file is gone, and no worker plans it. */
const stuck = await asOwner(product.db, (trx) =>
  sql<{ id: string }>`
    insert into jobs (account_id, mode, upload_id, filename, email_column, row_count, email_count, unique_count, credits_per_email,
      refund_unknown, expires_on, state, created_at)
    values (${operator.accountId}, 'test', gen_random_uuid(), 'spring.csv', 'email', 3, 3, 3, 0, true, utc_today() + 5, 'processing',
      now() - interval '30 minutes')
    returning id`.execute(trx),
)
const stuckId = String(stuck.rows[0]?.id)
await asOwner(product.db, (trx) =>
  sql`insert into job_queue (job_id, no, account_id, site, site_max, size, queued_at)
    values (${stuckId}, 0, ${operator.accountId}, '', 1, 3, now() + interval '1 hour')`.execute(trx),
)

/** A list that the abuse limits paused. */
const reviewed = await asOwner(product.db, (trx) =>
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

async function open(person: Person, path: string): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(path)
  await loaded(page)
  return page
}

async function askByKey(): Promise<number> {
  const headers = { 'x-api-key': String(made.body['key']) }
  return (await fetch(`${product.api.url}/api/v1/account`, { headers })).status
}

test('an operator sees how the installation is, and can stop the page from changing under their eyes', async () => {
  const page = await open(operator, '/app/quick-start')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operator' }).click()
  await page.waitForURL(/\/app\/operator\/health/)
  const tiles = page.getByRole('list', { name: 'Parts of the installation' }).getByRole('listitem')
  const tile = (name: string) => tiles.filter({ has: page.getByRole('heading', { name, exact: true }) })
  await tile('PostgreSQL').getByText('OK', { exact: true }).waitFor()
  await tile('Workers')
    .getByText(/\d process(es)? runs?/)
    .waitFor()
  await tile('Mail').getByText('Off', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Pause' }).click()
  const before = await page.getByText(/As of/).textContent()
  await vi.waitFor(async () => {
    await page.getByRole('button', { name: 'Refresh' }).click() // the time is told to the second
    expect(await page.getByText(/As of/).textContent()).not.toBe(before)
  }, 5_000)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText(/^Every 10 seconds/).waitFor()
})

test('an operator reads what the doctor found, the worst first, copies what to do and has it look again', async () => {
  const page = await open(operator, '/app/operator/doctor')
  await page.getByRole('heading', { name: '1 thing is broken and 1 could not be looked at' }).waitFor()
  const cards = page.getByRole('list', { name: 'What needs a look' }).getByRole('listitem')
  expect(await cards.getByRole('heading').allTextContents()).toEqual([
    'PostgreSQL keeps what it has confirmed',
    'The address of the way out is on no block list',
  ])
  await cards.first().getByText('Credits are money.').waitFor()
  await cards.first().getByRole('button', { name: /^Copy/ }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(DURABLE.lines.join('\n'))
  await page.getByRole('list', { name: 'In order' }).getByText('The clock is right').waitFor()
  const tiles = (await open(operator, '/app/operator/health')).getByRole('list', { name: 'Parts of the installation' })
  await tiles.getByText(/PostgreSQL keeps what it has confirmed/).waitFor()
  await page.getByRole('button', { name: 'Run again' }).click()
  // The worker of this installation comes, and finds what it finds.
  await cards
    .filter({ hasText: `seen from ${hostname()}` })
    .first()
    .waitFor({ timeout: 45_000 })
})

test('an operator gives credits, changes a plan, suspends an account and lets it in again', async () => {
  const page = await open(operator, '/app/operator/accounts')
  await page.getByRole('searchbox', { name: 'Search by name or id' }).fill('analytical')
  await page.waitForURL(/search=analytical/)
  const row = page.getByRole('row', { name: /Analytical Engines/ })
  await vi.waitFor(async () => expect(await page.getByRole('row').count()).toBe(2))

  await choose('Actions for Analytical Engines', 'Give or take credits')(page)
  await page.getByRole('button', { name: 'Move the credits' }).click()
  await page.getByText('Some fields need a look.').waitFor()
  await page.getByLabel('Credits', { exact: true }).fill('500')
  await page.getByLabel('Why', { exact: true }).fill('For the delay')
  await page.getByRole('button', { name: 'Move the credits' }).click()
  await row.getByText('10,500').waitFor()

  await choose('Actions for Analytical Engines', 'Change the plan')(page)
  await page.getByLabel('Plan', { exact: true }).selectOption('scale')
  await page.getByRole('button', { name: 'Change the plan' }).click()
  await row.getByText('scale').waitFor()

  expect(await askByKey()).toBe(200)
  await choose('Actions for Analytical Engines', 'Suspend')(page)
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  await row.getByText('Suspended').waitFor()
  await vi.waitFor(async () => expect(await askByKey()).toBe(403), 5_000)
  await choose('Actions for Analytical Engines', 'Let in again')(page)
  await page.getByRole('button', { name: 'Let in again' }).click()
  await row.getByText('Open').waitFor()
  await vi.waitFor(async () => expect(await askByKey()).toBe(200), 5_000)

  await page.getByRole('button', { name: 'Actions for Analytical Engines' }).click()
  await page.getByRole('menuitem', { name: 'Audit log' }).click()
  await page.waitForURL(/operator\/audit-log\?.*account=/)
  const entries = page.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await entries.filter({ hasText: 'Credits given' }).getByText('Note: For the delay').waitFor()
  await entries.filter({ hasText: 'Plan changed' }).getByText('Plan: payg → scale').waitFor()
  await entries.filter({ hasText: 'Organisation suspended' }).getByText('Mary Somerville').waitFor()
})

test('a reply that no rule knows is copied as a rule and put aside', async () => {
  const page = await open(operator, '/app/operator/replies')
  const row = page.getByRole('row', { name: /We have our reasons/ })
  await row.getByRole('button', { name: /^Copy a rule/ }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("enhanced: '5.7.1'")
  await row.getByRole('button', { name: /^Looked at/ }).click()
  await vi.waitFor(async () => expect(await row.count()).toBe(0))
  await page.getByRole('radio', { name: 'All' }).check()
  await row.getByRole('button', { name: /^Make new again/ }).click()
  await page.getByRole('radio', { name: 'New' }).check()
  await row.waitFor()
})

test('the whole of it works by keyboard', async () => {
  const page = await open(operator, '/app/operator/accounts')
  await page.getByRole('button', { name: 'Actions for The Operator' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Give or take credits' }).waitFor()
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
  // The focus is where it came from.
  await vi.waitFor(async () =>
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'Actions for The Operator',
    ),
  )
})

test('a member of an organisation finds no way to these pages, and nothing on them', async () => {
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
    await page.getByRole('heading', { name: 'These pages are for operators' }).waitFor()
    expect((await owner.ask('GET', `/operator/${place}`)).status).toBe(404)
  }
})

test('an operator looks at providers over other times, pauses one, slows it down and lets it go on', async () => {
  const page = await open(operator, '/app/operator/providers')
  await page.getByRole('radio', { name: '7 days' }).check()
  await page.waitForURL(/hours=168/)
  const row = page.getByRole('row', { name: /^GMX/ })
  await row.getByText('75%').waitFor()
  await row.getByText('400 ms').first().waitFor()
  await choose('Actions for GMX', 'Pause')(page)
  await page.getByRole('button', { name: 'Pause', exact: true }).last().click()
  await row.getByText('Paused').waitFor()
  await choose('Actions for GMX', 'Change the rate')(page)
  await page.getByLabel('Rate', { exact: true }).selectOption('25')
  await page.getByRole('button', { name: 'Change the rate' }).click()
  await page.getByText('GMX gets 25 % of its rate.').waitFor()
  await choose('Actions for GMX', 'Ask again')(page)
  await page.getByRole('button', { name: 'Ask again', exact: true }).click()
  await row.getByText('Slowed').waitFor()

  const log = await open(operator, '/app/operator/audit-log?account=installation')
  const entries = log.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await entries.filter({ hasText: 'Provider paused' }).getByText('Mary Somerville').waitFor()
  await entries.filter({ hasText: 'Rate of a provider changed' }).getByText('Rate percent: 100 → 25').waitFor()
})

test('an operator lifts the suspension of a provider', async () => {
  const until = Date.now() + 3_600_000
  const key = paceKey('probity', { egress: EGRESS, site: 'gmx' })
  const redis = connectPatiently(product.settings['REDIS_URL'] ?? '')
  whenDone(() => redis.disconnect())
  await redis.hset(key, { until, reason: 'ip_blocked' })
  const page = await open(operator, '/app/operator/providers')
  const row = page.getByRole('row', { name: /^GMX/ })
  await row.getByText(/^Turned away until/).waitFor()
  await choose('Actions for GMX', 'Lift suspension')(page)
  await page.getByRole('button', { name: 'Lift suspension', exact: true }).click()
  await page.getByText('Suspension of GMX lifted.').waitFor()
  await row.getByText(/^Turned away until/).waitFor({ state: 'detached' })

  const log = await open(operator, '/app/operator/audit-log?account=installation')
  const entries = log.getByRole('table', { name: 'Audit log' }).getByRole('row')
  await entries.filter({ hasText: 'Provider suspension lifted' }).getByText('Mary Somerville').waitFor()
})

test('an operator drains a way out and uses it again', async () => {
  const page = await open(operator, '/app/operator/egress')
  const row = page.getByRole('row', { name: /probe\.probity\.example/ })
  await row.getByText('550 5.7.1 on a list').waitFor()
  await row.getByRole('button', { name: 'Drain' }).click()
  await page.getByRole('button', { name: 'Drain', exact: true }).last().click()
  await row.getByText('Drained').waitFor()
  await row.getByRole('button', { name: 'Use again' }).click()
  await page.getByRole('button', { name: 'Use again', exact: true }).last().click()
  await row.getByText('In use').waitFor()
})

test('a list that stands still is found and set going again', async () => {
  const page = await open(operator, '/app/operator/queues')
  const row = page.getByRole('row', { name: /The Operator/ })
  await row.getByRole('button', { name: /going again/ }).click()
  await page.getByRole('button', { name: 'Set going again', exact: true }).last().click()
  await page.getByText('Its batches that nobody works on are let out again.').waitFor()
  const { body } = await operator.ask('GET', `/operator/audit-log?account=${operator.accountId}&action=list`)
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
  await page.getByRole('button', { name: 'Release', exact: true }).last().click()
  await page.getByText('The list continues.').waitFor()
  const { body } = await operator.ask('GET', `/operator/audit-log?account=${owner.accountId}&action=list`)
  expect(body['entries']).toMatchObject([{ action: 'list.review_released', subject_id: reviewedId, actor: 'operator' }])

  await page.getByRole('button', { name: 'Add a domain' }).click()
  await page.getByLabel('Domain', { exact: true }).fill('Private.Example')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('row', { name: /private\.example/ }).waitFor()
})

const AS = operator.context
testCases([
  { what: 'health', as: AS, path: '/app/operator/health' },
  {
    what: 'health that cannot be asked for',
    as: AS,
    path: '/app/operator/health',
    broken: '**/app/api/operator/health',
  },
  { what: 'health on its way', as: AS, path: '/app/operator/health', hangs: '**/app/api/operator/health' },
  { what: 'the doctor', as: AS, path: '/app/operator/doctor' },
  { what: 'the doctor on its way', as: AS, path: '/app/operator/doctor', hangs: '**/app/api/operator/doctor' },
  {
    what: 'findings that cannot be loaded',
    as: AS,
    path: '/app/operator/doctor',
    broken: '**/app/api/operator/doctor',
  },
  { what: 'providers', as: AS, path: '/app/operator/providers' },
  {
    what: 'providers that cannot be loaded',
    as: AS,
    path: '/app/operator/providers',
    broken: '**/app/api/operator/providers*',
  },
  { what: 'providers on their way', as: AS, path: '/app/operator/providers', hangs: '**/app/api/operator/providers*' },
  { what: 'a provider to pause', as: AS, path: '/app/operator/providers', doing: choose('Actions for GMX', 'Pause') },
  {
    what: 'the rate of a provider',
    as: AS,
    path: '/app/operator/providers',
    doing: choose('Actions for GMX', 'Change the rate'),
  },
  { what: 'ways out', as: AS, path: '/app/operator/egress' },
  {
    what: 'ways out that cannot be loaded',
    as: AS,
    path: '/app/operator/egress',
    broken: '**/app/api/operator/egress',
  },
  { what: 'ways out on their way', as: AS, path: '/app/operator/egress', hangs: '**/app/api/operator/egress' },
  { what: 'queues', as: AS, path: '/app/operator/queues' },
  { what: 'queues that cannot be loaded', as: AS, path: '/app/operator/queues', broken: '**/app/api/operator/queues' },
  { what: 'queues on their way', as: AS, path: '/app/operator/queues', hangs: '**/app/api/operator/queues' },
  { what: 'reviews', as: AS, path: '/app/operator/reviews' },
  {
    what: 'reviews that cannot be loaded',
    as: AS,
    path: '/app/operator/reviews',
    broken: '**/app/api/operator/reviews',
  },
  { what: 'reviews on their way', as: AS, path: '/app/operator/reviews', hangs: '**/app/api/operator/reviews' },
  { what: 'a domain that opts out', as: AS, path: '/app/operator/reviews', doing: press('Add a domain') },
  { what: 'accounts', as: AS, path: '/app/operator/accounts' },
  { what: 'accounts of which none matches', as: AS, path: '/app/operator/accounts?search=zzz' },
  {
    what: 'accounts that cannot be loaded',
    as: AS,
    path: '/app/operator/accounts',
    broken: '**/app/api/operator/accounts*',
  },
  { what: 'accounts on their way', as: AS, path: '/app/operator/accounts', hangs: '**/app/api/operator/accounts*' },
  {
    what: 'credits of an account',
    as: AS,
    path: '/app/operator/accounts',
    doing: choose(/^Actions for Analytical/, 'Give or take credits'),
  },
  {
    what: 'the plan of an account',
    as: AS,
    path: '/app/operator/accounts',
    doing: choose(/^Actions for Analytical/, 'Change the plan'),
  },
  {
    what: 'an account to suspend',
    as: AS,
    path: '/app/operator/accounts',
    doing: choose(/^Actions for Analytical/, 'Suspend'),
  },
  { what: 'replies', as: AS, path: '/app/operator/replies' },
  { what: 'replies on their way', as: AS, path: '/app/operator/replies', hangs: '**/app/api/operator/replies' },
  {
    what: 'replies that cannot be loaded',
    as: AS,
    path: '/app/operator/replies',
    broken: '**/app/api/operator/replies',
  },
  { what: 'the whole audit log', as: AS, path: '/app/operator/audit-log' },
  { what: 'the log of the installation', as: AS, path: '/app/operator/audit-log?account=installation' },
  { what: 'operator pages for somebody who is none', as: owner.context, path: '/app/operator/health' },
  { what: 'health that stands still', as: AS, path: '/app/operator/health', doing: press('Pause') },
])
