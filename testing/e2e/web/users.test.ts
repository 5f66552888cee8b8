import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from '../browser/accessibility.ts'
import { expectNoSidewaysScroll, loaded, onePage, openWindow, startBrowser } from '../browser/browser.ts'
import { expectFocus } from '../browser/keyboard.ts'
import { codeFor } from '../browser/totp.ts'
import { fillSignUp, heading, listLinks, PASSWORD, press, signIn, signUpUser } from '../browser/users.ts'
import { startOpenInstance } from '../environment/open-instance.ts'

/** Sign-in, invitations, profiles, sessions and account settings in the web app. */
const instance = await startOpenInstance()
const browser = await startBrowser()

/** A browser context without a session. */
const newWindow = () => openWindow(browser, instance)
const newPage = async () => onePage(await newWindow())

test('a wrong password and an unknown address show the same error and keep the input', async () => {
  const ada = await signUpUser(browser, instance)
  const page = await newPage()
  const errors: (string | null)[] = []
  for (const email of [ada.email, 'nobody@people.example']) {
    await page.goto('/app/sign-in')
    await page.getByLabel('Email address', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill('not the right password')
    await page.keyboard.press('Enter')
    const summary = page.getByRole('group', { name: 'The email address or the password is incorrect.' })
    await summary.waitFor()
    await expectFocus(summary)
    expect(await page.getByLabel('Email address', { exact: true }).inputValue()).toBe(email)
    errors.push(await summary.textContent())
  }
  expect(errors[0]).toBe('The email address or the password is incorrect.')
  expect(errors[1]).toBe(errors[0])
})

test('sign-in requires a 2FA code, and a recovery code works once', async () => {
  const ada = await signUpUser(browser, instance)
  const page = await onePage(ada.context)
  await page.goto('/app/settings/security')
  await press(page, 'Set up two-factor authentication')
  await page.getByLabel('Your password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await expectAccessible(page)
  const key = (await page.getByText(/^([A-Z2-7]{4} )+/).textContent()) ?? ''
  await page.getByLabel('Code from your authenticator app').fill(codeFor(key))
  await page.keyboard.press('Enter')
  await page.getByText('The codes are shown only once.').waitFor()
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  expect(codes).toHaveLength(10)
  await page.getByLabel('I saved the codes').check()
  await press(page, 'Done')
  await page.getByText('On', { exact: true }).waitFor()

  const [recovery = ''] = codes
  const enterPassword = async (window: Page) => {
    await window.goto('/app/sign-in')
    await window.getByLabel('Email address', { exact: true }).fill(ada.email)
    await window.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await press(window, 'Sign in')
    await window.getByLabel('Code from your authenticator app').waitFor()
  }
  const withApp = await newPage()
  await enterPassword(withApp)
  await withApp.getByLabel('Code from your authenticator app').fill('000000')
  await withApp.keyboard.press('Enter')
  await withApp.getByText('Invalid or already used code.').waitFor()
  // The current code was already used for the setup.
  await withApp.getByLabel('Code from your authenticator app').fill(codeFor(key, Date.now() + 30_000))
  await withApp.keyboard.press('Enter')
  await heading(withApp, 'Dashboard').waitFor()

  const useRecovery = async (window: Page) => {
    await enterPassword(window)
    await press(window, 'Use a recovery code instead')
    await window.getByLabel('Recovery code').fill(recovery)
    await window.keyboard.press('Enter')
  }
  const withCode = await newPage()
  await useRecovery(withCode)
  await heading(withCode, 'Dashboard').waitFor()
  const again = await newPage()
  await useRecovery(again)
  await again.getByText('Invalid or already used recovery code.').waitFor()

  // Disabling takes the password and a code that is still valid.
  await press(page, 'Disable 2FA')
  const dialog = page.getByRole('dialog', { name: 'Disable two-factor authentication?' })
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByLabel('2FA code').fill(recovery)
  await page.keyboard.press('Enter')
  await dialog.getByText('The code is invalid or was already used.').first().waitFor()
  await expectAccessible(page)
  await dialog.getByLabel('2FA code').fill(codes[1] ?? '')
  await page.keyboard.press('Enter')
  await page.getByText('Two-factor authentication disabled.').waitFor()
  await page.getByText('Off', { exact: true }).waitFor()
})

test('a session ended elsewhere asks for the password and keeps the page', async () => {
  const ada = await signUpUser(browser, instance)
  const page = await onePage(ada.context)
  await page.goto('/app/settings/profile')
  await page.getByLabel('Name', { exact: true }).fill('Ada King')

  const elsewhere = await newPage()
  await signIn(elsewhere, ada)
  await elsewhere.goto('/app/settings/security')
  await press(elsewhere, 'End other sessions')
  await press(elsewhere, 'End sessions')
  await elsewhere.getByRole('row', { name: /Current session/ }).waitFor()
  await elsewhere.getByRole('button', { name: /^End session:/ }).waitFor({ state: 'detached' })

  await press(page, 'Save')
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada King')
  await press(page, 'Save')
  await page.getByText('Saved.').waitFor()
  expect((await ada.sendRequest('GET', '/session')).body['person']).toMatchObject({ name: 'Ada King' })
})

test('sign-in continues to the requested page and never to another site', async () => {
  const ada = await signUpUser(browser, instance)
  const page = await newPage()
  const enter = async () => {
    await page.getByLabel('Email address', { exact: true }).fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await press(page, 'Sign in')
  }
  await page.goto('/app/settings/members')
  await heading(page, 'Sign in').waitFor()
  await enter()
  await page.getByRole('heading', { level: 2, name: 'Members' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/app/settings/members')

  for (const next of ['https://example.com/', '//example.com/', '/\\example.com/', 'javascript:alert(1)']) {
    await page.context().clearCookies()
    await page.goto(`/app/sign-in?next=${encodeURIComponent(next)}`)
    await enter()
    await heading(page, 'Dashboard').waitFor()
    expect(new URL(page.url()).origin).toBe(instance.api.url)
  }
})

test('an invited marketer joins, sees lists and has no access to keys', async () => {
  const owner = await signUpUser(browser, instance, { organisation: 'Difference Engines' })
  const page = await onePage(owner.context)
  await page.goto('/app/settings/members')
  await press(page, 'Invite member')
  await page.getByRole('dialog').getByLabel('Email address', { exact: true }).fill('mary@people.example')
  await page.getByRole('radio', { name: /marketer/i }).check()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Invite member' }).click()
  const invitation = await page.getByLabel('Invitation link').inputValue()
  await press(page, 'Done')
  await page.getByRole('list', { name: 'Pending invitations' }).getByText('mary@people.example').waitFor()

  const mary = await newPage()
  await mary.goto(invitation)
  await heading(mary, 'Join Difference Engines').waitFor()
  expect(new URL(mary.url()).hash).toBe('')
  for (const fact of ['marketer', owner.name, 'mary@people.example']) {
    await mary
      .getByRole('definition')
      .filter({ hasText: new RegExp(fact, 'i') })
      .waitFor()
  }
  await expectAccessible(mary)
  expect(await mary.getByLabel('Email address', { exact: true }).isEditable()).toBe(false)
  await fillSignUp(mary, 'Mary Somerville')
  await press(mary, 'Accept invitation')
  await heading(mary, 'Quick start').waitFor()
  const late = await newPage()
  await late.goto(invitation)
  await heading(late, 'Invitation no longer valid').waitFor()

  await mary.goto('/app/lists')
  await mary.getByRole('link', { name: 'New list' }).first().waitFor()
  await mary.goto('/app/keys')
  await mary.getByText('You cannot view API keys').waitFor()
  expect(await mary.getByRole('button', { name: 'Create key' }).count()).toBe(0)
  await mary.goto('/app/settings/members')
  await mary.getByRole('row', { name: /Mary Somerville/ }).waitFor()
  expect(await mary.getByRole('button', { name: 'Invite member' }).count()).toBe(0)

  await page.reload()
  await page.getByRole('button', { name: 'Actions for Mary Somerville' }).click()
  await page.getByRole('menuitem', { name: 'Remove member' }).click()
  await press(page, 'Remove member')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' }) // the rows are hidden while it is open
  await page.getByRole('row', { name: /Mary Somerville/ }).waitFor({ state: 'detached' })
  await mary.reload()
  await heading(mary, 'Create an account').waitFor()
})

test('an invited user who has a profile signs in with the link and accepts', async () => {
  const owner = await signUpUser(browser, instance, { organisation: 'Jacquard Looms' })
  const ada = await signUpUser(browser, instance)
  const page = await onePage(owner.context)
  await page.goto('/app/settings/members')
  await press(page, 'Invite member')
  await page.getByRole('dialog').getByLabel('Email address', { exact: true }).fill(ada.email)
  await page.getByRole('dialog').getByRole('button', { name: 'Invite member' }).click()
  const invitation = await page.getByLabel('Invitation link').inputValue()

  const window = await newPage()
  await window.goto(invitation)
  await heading(window, 'Join Jacquard Looms').waitFor()
  await press(window, 'I already have a profile')
  await expectAccessible(window)
  await window.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(window, 'Sign in and accept')
  await heading(window, 'Quick start').waitFor()
  const { memberships } = (await ada.sendRequest('GET', '/session')).body as { memberships: { name: string }[] }
  expect(memberships.map(({ name }) => name)).toContain('Jacquard Looms')
})

test('a user changes the email address by the link to the new one, and deletes the profile', async () => {
  const ada = await signUpUser(browser, instance)
  const page = await onePage(ada.context)
  await page.goto('/app/settings/profile')
  await press(page, 'Change email address')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New email address').fill('countess@people.example')
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await expectAccessible(page)
  await press(page, 'Send link')
  await page.getByText('Confirm the new address').waitFor()
  const [link = ''] = listLinks(instance, 'email_change').slice(-1)

  const elsewhere = await newPage()
  await elsewhere.goto(link)
  await heading(elsewhere, 'Confirm your new email address').waitFor()
  expect(new URL(elsewhere.url()).hash).toBe('')
  await elsewhere.getByLabel('Password', { exact: true }).fill('not the right password')
  await press(elsewhere, 'Confirm email address')
  await elsewhere.getByText('The password is incorrect.').first().waitFor()
  await expectAccessible(elsewhere)
  await elsewhere.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(elsewhere, 'Confirm email address')
  await heading(elsewhere, 'Email address changed').waitFor()

  await page.reload()
  await page.getByText('countess@people.example', { exact: true }).waitFor()
  const removeProfile = async () => {
    await page.getByRole('dialog').getByLabel('Your email address').fill('countess@people.example')
    await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
    await press(page, 'Delete profile')
  }
  await press(page, 'Delete profile')
  await removeProfile()
  await page.getByText('An account must have at least one owner. Make another member an owner first.').waitFor()
  await expectAccessible(page)

  expect((await ada.sendRequest('POST', '/deletion', { name: await nameOf(ada), password: PASSWORD })).status).toBe(204)
  await page.goto('/app/')
  await heading(page, 'Create an account').waitFor()
  await page.getByRole('button', { name: 'delete your profile' }).click()
  await removeProfile()
  await heading(page, 'Sign in').waitFor()
  const again = { email: 'countess@people.example', password: PASSWORD }
  expect((await ada.sendRequest('POST', '/auth/sign-in/email', again)).status).toBe(401)
})

const nameOf = async (person: {
  sendRequest(method: string, path: string): Promise<{ body: Record<string, unknown> }>
}) => String((await person.sendRequest('GET', '/account')).body['name'])

test('an operator creates a password reset link, which works once, when no SMTP relay is set', async () => {
  const [ada, operator] = [await signUpUser(browser, instance), await signUpUser(browser, instance)]
  await asOwner(instance.db, (trx) =>
    sql`update users set is_operator = true where email = ${operator.email}`.execute(trx),
  )
  const page = await newPage()
  await page.goto('/app/sign-in')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByText('Email is not configured. Ask an operator for a password reset link.').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  await expectAccessible(page)

  const pages = await onePage(operator.context)
  await pages.goto('/app/operator/accounts')
  await press(pages, 'Create password reset link')
  const dialog = pages.getByRole('dialog')
  await dialog.getByLabel('User’s email address').fill(ada.email)
  await dialog.getByLabel('Your password').fill('not the right password')
  await dialog.getByRole('button', { name: 'Create link' }).click()
  await dialog.getByText('The password is incorrect.').first().waitFor()
  await expectAccessible(pages)
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const link = await dialog.getByLabel('Password reset link', { exact: true }).inputValue()
  await dialog.getByRole('button', { name: 'Done' }).click()

  await page.goto(link)
  await page.getByLabel('New password').fill('another horse battery staple')
  await press(page, 'Set password')
  await heading(page, 'Password changed').waitFor()
  const again = await newPage()
  await again.goto(link)
  await again.getByLabel('New password').fill('yet another horse battery')
  await press(again, 'Set password')
  await again.getByText('The link was already used or has expired.').waitFor()
  await signIn(page, { email: ada.email, password: 'another horse battery staple' })
  await heading(page, 'Dashboard').waitFor()
})

test('an owner renames the account and sets its retention; the last owner cannot leave', async () => {
  const owner = await signUpUser(browser, instance, { organisation: 'Old Name' })
  const page = await onePage(owner.context)
  await page.goto('/app/settings/account')
  const nameForm = page.locator('form').filter({ has: page.getByLabel('Account name') })
  await nameForm.getByRole('textbox').fill('New Name')
  await nameForm.getByRole('button', { name: 'Save' }).click()
  await nameForm.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: /^Account: ?New Name/ }).waitFor()

  const retentionForm = page.locator('form').filter({ has: page.getByLabel('Days') })
  await retentionForm.getByLabel('Days').fill('366')
  await retentionForm.getByRole('button', { name: 'Save' }).click()
  await retentionForm.getByRole('button', { name: 'Enter a whole number from 0 to 120.' }).waitFor()
  await retentionForm.getByLabel('Days').fill('7')
  await retentionForm.getByRole('button', { name: 'Save' }).click()
  await retentionForm.getByText('Saved.').waitFor()
  expect((await owner.sendRequest('GET', '/account')).body).toMatchObject({ name: 'New Name', retention_days: 7 })

  await press(page, 'Leave New Name')
  await press(page, 'Leave account')
  await page.getByText('An account must have at least one owner. Make another member an owner first.').waitFor()
})

test('a second account is created from the menu, and each tab keeps its account in the URL', async () => {
  const owner = await signUpUser(browser, instance, { organisation: 'First Works' })
  await owner.sendRequest('POST', '/keys', { name: 'Key of the first', livemode: true })
  const page = await onePage(owner.context)
  await page.goto('/app/keys')
  await page.getByRole('region', { name: 'API keys' }).getByText('Key of the first').waitFor()

  await page.getByRole('button', { name: /^Account: ?First Works/ }).click()
  await page.getByRole('menuitem', { name: 'New account' }).click()
  await page.getByLabel('Account name').fill('Second Works')
  await press(page, 'Create account')
  await page.getByRole('button', { name: /^Account: ?Second Works/ }).waitFor()
  await page.getByRole('link', { name: 'API keys' }).click()
  await heading(page, 'API keys').waitFor()
  expect(new URL(page.url()).searchParams.get('org')).toMatch(/second/)
  await expect.poll(() => page.getByText('Key of the first').count()).toBe(0)

  const other = await onePage(owner.context)
  await other.goto(`/app/keys?org=${owner.slug}`)
  await other.getByRole('region', { name: 'API keys' }).getByText('Key of the first').waitFor()
  await page.reload()
  await page.getByRole('button', { name: /^Account: ?Second Works/ }).waitFor()
})

const LOOKS = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
  { width: 320, height: 640, colorScheme: 'light' },
] as const

test.each(LOOKS)('the pages are accessible at $width px, $colorScheme', async (look) => {
  const signedOut = await onePage(await newWindow(), look)
  const open = ['Sign in', 'Sign up', 'Reset your password', 'Incomplete link']
  for (const [index, path] of ['sign-in', 'sign-up', 'forgot-password', 'verify-email'].entries()) {
    await signedOut.goto(`/app/${path}`)
    await heading(signedOut, open[index] ?? '').waitFor()
    await expectAccessible(signedOut)
    await expectNoSidewaysScroll(signedOut)
  }
  const ada = await signUpUser(browser, instance, { name: 'Augusta Ada King, Countess of Lovelace' })
  const page = await onePage(ada.context, look)
  for (const path of ['profile', 'security', 'members', 'account']) {
    await page.goto(`/app/settings/${path}`)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await page
      .getByRole('status', { name: /^Loading/ })
      .first()
      .waitFor({ state: 'detached' })
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  }
})

test('a user chooses email notifications, and the choice is kept', async () => {
  const ada = await signUpUser(browser, instance)
  const page = await onePage(ada.context)
  await page.goto('/app/settings/notices')
  const box = page.getByRole('checkbox', { name: 'An API key was created.' })
  expect(await box.isChecked()).toBe(true) // the default for owners
  await box.uncheck()
  await press(page, 'Save')
  await page.getByText('Saved.').waitFor()
  await page.reload()
  await loaded(page)
  expect(await box.isChecked()).toBe(false)
  expect(await page.getByRole('checkbox', { name: 'Credits are low.' }).isChecked()).toBe(true)
})
