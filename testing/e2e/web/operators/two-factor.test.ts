import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { loaded, onePage, startBrowser } from '../../browser/browser.ts'
import { choose, press } from '../../browser/page-states.ts'
import { codeFor } from '../../browser/totp.ts'
import { PASSWORD, signUpUser } from '../../browser/users.ts'
import { startOpenInstance } from '../../environment/open-instance.ts'

const instance = await startOpenInstance({ OPERATOR_2FA: 'required' })
const browser = await startBrowser()

async function openOperator(name: string) {
  const operator = await signUpUser(browser, instance, { name, organisation: 'The Operator' })
  await asOwner(instance.db, (trx) =>
    sql`update users set is_operator = true where email = ${operator.email}`.execute(trx),
  )
  return operator
}

/** As if all 2FA codes had been entered 16 minutes earlier. */
const ageCodes = () =>
  asOwner(instance.db, (trx) =>
    sql`update sessions set code_entered_at = code_entered_at - interval '16 minutes'`.execute(trx),
  )

test('an operator sets up 2FA before the operator pages open, signs in with it for changes, and enters a code again after 15 minutes', async () => {
  const operator = await openOperator('Mary Somerville')
  const { accountId } = await signUpUser(browser, instance, {
    name: 'Ada Lovelace',
    organisation: 'Analytical Engines',
  })
  const page = await onePage(operator.context, { allows: /status of 403/ })
  await page.goto('/app/operator/accounts')
  await page.getByRole('heading', { name: 'Set up two-factor authentication first' }).waitFor()
  await press('Set up two-factor authentication')(page)
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  const key = (await page.getByText(/^([A-Z2-7]{4} )+/).textContent()) ?? ''
  await page.getByLabel('Code from your authenticator app').fill(codeFor(key))
  await page.keyboard.press('Enter')
  const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await codes.first().waitFor()
  const [recovery = '', other = ''] = await codes.allTextContents()
  await page.getByLabel('I saved the codes').check()
  await press('Done')(page)

  // The session started without a code, so its set-up permits no change.
  const row = page.getByRole('row').filter({ hasText: 'Analytical Engines' })
  await row.waitFor()
  await choose('Actions for Analytical Engines', 'Suspend')(page)
  await page.getByRole('button', { name: 'Suspend account' }).click()
  await page.getByText('Sign out, sign in with your password and a 2FA code').waitFor()

  await page.getByRole('button', { name: 'Cancel' }).click()
  await press(/Mary Somerville/)(page)
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/app/sign-in')
  await page.goto('/app/sign-in?next=/operator/accounts')
  await page.getByLabel('Email address', { exact: true }).fill(operator.email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press('Sign in')(page)
  await press('Use a recovery code instead')(page)
  await page.getByLabel('Recovery code').fill(other)
  await page.keyboard.press('Enter')
  await row.waitFor()
  await choose('Actions for Analytical Engines', 'Suspend')(page)
  await page.getByRole('button', { name: 'Suspend account' }).click()
  await row.getByText('Suspended').waitFor()

  await ageCodes()
  await choose('Actions for Analytical Engines', 'Adjust credits')(page)
  await page.getByLabel('Credits', { exact: true }).fill('500')
  await page.getByLabel('Reason').fill('Goodwill')
  await press('Adjust credits')(page)
  const dialog = page.getByRole('dialog', { name: 'Enter a 2FA code' })
  await dialog.waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('This action needs a recent 2FA code.').first().waitFor()

  await press('Adjust credits')(page)
  await dialog.waitFor()
  await dialog.getByRole('button', { name: 'Use a recovery code instead' }).click()
  await dialog.getByLabel('Recovery code').fill(recovery)
  await page.keyboard.press('Enter')
  await page.getByText('500 credits added to Analytical Engines.').waitFor()
  await loaded(page)
  const { rows } = await asOwner(instance.db, (trx) =>
    sql<{ available: number }>`select available from accounts where id = ${accountId}`.execute(trx),
  )
  expect(rows).toEqual([{ available: 10_500 }])
})
