import { asOwner } from '@probity/database/connection/connect'
import { replaceSetupToken } from '@probity/database/users/users'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from '../browser/accessibility.ts'
import { onePage, openWindow, startBrowser } from '../browser/browser.ts'
import { fillSignUp, heading, nextLink, PASSWORD, press } from '../browser/users.ts'
import { startOpenInstance } from '../environment/open-instance.ts'

/** The first user of an installation, and every other user up to the first verdict. */
const instance = await startOpenInstance()
const browser = await startBrowser()

const newPage = async () => onePage(await openWindow(browser, instance))

test('a setup link used twice at the same time creates one operator', async () => {
  const token = 'a-token-that-only-this-test-knows'
  await asOwner(instance.db, (trx) => replaceSetupToken(trx, token))
  const pages = [await newPage(), await newPage()]
  for (const [index, page] of pages.entries()) {
    await page.goto(`/app/setup#token=${token}`)
    await heading(page, 'Set up Probity').waitFor()
    expect(new URL(page.url()).hash).toBe('')
    await fillSignUp(page, `Operator ${index}`, `operator-${index}@people.example`)
    await page.getByLabel('Account name').fill(`Account ${index}`)
  }
  await expectAccessible(pages[0] as Page)
  await Promise.all(pages.map((page) => press(page, 'Set up Probity')))

  const outcomes = await Promise.all(
    pages.map(async (page) => {
      await heading(page, /Quick start|already used/).waitFor()
      return (await heading(page, /./).textContent()) ?? ''
    }),
  )
  expect(outcomes.toSorted()).toEqual(['Quick start', 'Setup link already used'])
  const { rows } = await asOwner(instance.db, (trx) => sql`select is_operator from users`.execute(trx))
  expect(rows).toHaveLength(1)
})

test('a user signs up with the keyboard alone, confirms the address and validates an address', async () => {
  const page = await newPage()
  await page.goto('/app/sign-up')
  await heading(page, 'Sign up').waitFor()
  await page.getByLabel('Your name').waitFor()
  const type = async (text: string) => {
    await page.keyboard.press('Tab')
    await page.keyboard.type(text)
  }
  const link = await nextLink(instance, 'verification', async () => {
    await type('Grace Hopper')
    await type('grace@people.example')
    await type('short')
    await page.keyboard.press('Enter')
    // The summary gets the focus, and leads to the field.
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'group')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'password')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('status').first().waitFor({ state: 'attached' })
    await heading(page, 'Confirm your email address').waitFor()
  })

  await page.goto(link)
  await heading(page, 'Confirm your email address').waitFor()
  expect(new URL(page.url()).hash).toBe('')
  await type(PASSWORD)
  await page.keyboard.press('Enter')
  await heading(page, 'Create an account').waitFor()
  await type('Compilers')
  await page.keyboard.press('Enter')
  await heading(page, 'Quick start').waitFor()

  await page.goto('/app/validate?mode=test')
  await page.getByLabel('Email address', { exact: true }).fill('valid@example.com')
  await page.keyboard.press('Enter')
  await page.getByRole('main').getByText('Valid', { exact: true }).first().waitFor()
})
