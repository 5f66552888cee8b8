import { listDrift } from '@probity/database/billing/ledger'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { startListAs } from '../browser/user-jobs.ts'
import { signUpUser } from '../browser/users.ts'
import { startOpenInstance } from '../environment/open-instance.ts'
import { startWorkerProcess } from '../environment/processes.ts'

/** The web app while no worker is running, and after one has started. */
const instance = await startOpenInstance()
const browser = await startBrowser()
const member = await signUpUser(browser, instance)
const operator = await signUpUser(browser, instance, { name: 'Mary Somerville', organisation: 'The Operator' })
await asOwner(instance.db, (trx) =>
  sql`update users set is_operator = true where email = ${operator.email}`.execute(trx),
)

const PAGES = [
  '/',
  '/quick-start',
  '/validate',
  '/lists',
  '/keys',
  '/requests',
  '/webhooks',
  '/policies',
  '/usage',
  '/settings',
]
const SOON = { timeout: 45_000 }

test('the web app says on every page that no worker is running, charges nothing and recovers when one runs', async () => {
  const page = await onePage(member.context)
  const banner = page.getByRole('region', { name: 'Validation is delayed' })
  await page.goto('/app/validate')
  await loaded(page)
  expect(await banner.count()).toBe(0)

  await instance.worker.stop()
  await banner.waitFor(SOON)
  for (const path of PAGES) {
    await page.goto(`/app${path}`)
    await banner.waitFor(SOON)
    expect(await banner.textContent()).toContain('Validation is delayed: no worker is running.')
    expect(await banner.textContent()).toContain('contact the operator')
  }

  await page.goto('/app/validate')
  await page.getByLabel('Email address').fill('ada@null-mx.example')
  await page.getByRole('button', { name: 'Validate', exact: true }).click()
  await page.getByText('Waiting for a worker').waitFor(SOON)
  await page
    .getByRole('tabpanel')
    .getByText('Validation did not start, because no worker was available in time.')
    .waitFor(SOON)
  const facts = page.locator('dl').first().locator('dd')
  expect(await facts.allTextContents()).toEqual(['None', 'None', 'Not started', '0 credits'])

  const jobId = await startListAs(member, 'email\nada@null-mx.example\nbob@null-mx.example\n', { mode: 'live' })
  await page.goto(`/app/lists/${jobId}`)
  await page.getByText('validation of this list has not started').waitFor(SOON)
  const { body } = await member.sendRequest('GET', `/bulk/jobs/${jobId}`)
  expect(body).toMatchObject({ status: 'queued', delay_reason: 'no_worker' })

  const forOperator = await onePage(operator.context)
  await forOperator.goto('/app/')
  const toOperator = forOperator.getByRole('region', { name: 'Validation is delayed' })
  await toOperator.getByRole('link', { name: 'Health' }).waitFor(SOON)

  await startWorkerProcess(instance.settings)
  await banner.waitFor({ state: 'detached', ...SOON })
  await vi.waitFor(
    async () =>
      expect((await member.sendRequest('GET', `/bulk/jobs/${jobId}`)).body).toMatchObject({ status: 'completed' }),
    { ...SOON, interval: 200 },
  )
  // The list alone was charged.
  expect((await member.sendRequest('GET', '/account')).body).toMatchObject({
    credits: { used: 2, reserved: 0 },
    delay_reason: null,
  })
  expect(await asOwner(instance.db, listDrift)).toEqual([])
}, 240_000)
