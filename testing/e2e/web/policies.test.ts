import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { expectFocus, hasFocus } from '../browser/keyboard.ts'
import { testCases } from '../browser/page-states.ts'
import { signUpUser, type TestUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

const instance = await useSharedInstance()
const browser = await startBrowser()
const owner = await signUpUser(browser, instance)
const viewer = await signUpUser(browser, instance, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
const developer = await signUpUser(browser, instance, { name: 'Mary Shelley', invitedBy: owner, role: 'developer' })

const OWN = {
  name: 'partners',
  description: 'For partners, who are known by name',
  rules: [
    { when: { status: ['invalid'] }, decision: 'block', reason: 'It bounces.' },
    {
      when: { traits: ['role_based', 'free'], deliverability_below: 0.9 },
      decision: 'review',
      reason: 'Ask for a person.',
    },
  ],
  default: { decision: 'allow', reason: 'No issues found.' },
}
expect(await owner.sendRequest('POST', '/policies', OWN)).toMatchObject({ status: 201 })

async function open(person: TestUser, path: string): Promise<Page> {
  const page = await onePage(person.context)
  await page.goto(`/app${path}`)
  await loaded(page)
  return page
}

const rulesOf = (page: Page, name: string) => page.getByRole('table', { name: `Rules of ${name}` }).locator('tbody tr')
const rule = (page: Page, number: number) =>
  page
    .getByRole('list', { name: 'Rules' })
    .locator('> li')
    .nth(number - 1)

test('a built-in policy is shown as a table and can be tried with an address', async () => {
  const page = await open(owner, '/lists')
  await page.getByRole('link', { name: 'Policies', exact: true }).click()
  await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'transactional', exact: true }).click()
  await rulesOf(page, 'transactional').first().waitFor()
  const rows = await rulesOf(page, 'transactional').allInnerTexts()
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
    '1 Block Status is invalid Mail to this address bounces.',
    expect.stringMatching(/^2 Review Reason is Mailbox full The mailbox is full/),
    expect.stringMatching(/^Allow Default No evidence/),
  ])
  await page.getByRole('button', { name: 'mailbox-full' }).click()
  await page.getByText('Rule 2 matched').waitFor()
  await page.getByRole('button', { name: 'valid', exact: true }).click()
  await page.getByText('No rule matched').waitFor()
  // Simulated results use no credits.
  expect((await owner.sendRequest('GET', '/account')).body['credits']).toMatchObject({ used: 0 })
})

test('a custom policy is created from a copy, tried before it is saved, and used by requests', async () => {
  const page = await open(owner, '/policies/signup')
  await page.getByRole('link', { name: 'Copy' }).click()
  await page.getByRole('heading', { name: 'Copy of signup', level: 1 }).waitFor()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('signup-copy')
  await page.getByLabel('Name', { exact: true }).fill('members')
  await page.getByRole('button', { name: 'Add rule' }).click()
  const fifth = rule(page, 5)
  await fifth.getByRole('checkbox', { name: 'a role address' }).check()
  await fifth.getByLabel('Decision').selectOption('block')
  await fifth.getByLabel('Reason in the response').fill('We write to people.')

  await page.getByRole('button', { name: 'role', exact: true }).click()
  await page.getByText('Rule 5 matched').waitFor()
  await page.getByRole('status').getByText('We write to people.').waitFor()
  // The decision is updated without another validation.
  await page.getByRole('button', { name: 'Move rule 5 up' }).click()
  await page.getByText('Rule 4 matched').waitFor()

  await page.getByRole('button', { name: 'Create policy' }).click()
  await page.waitForURL(/\/app\/policies\/members$/)
  await rulesOf(page, 'members').first().waitFor()
  expect(await rulesOf(page, 'members').count()).toBe(6)
  const asked = await owner.sendRequest(
    'POST',
    '/validation/single',
    { email: 'role@example.com', policy: 'members' },
    { 'probity-mode': 'test' },
  )
  expect(asked.body['policy']).toEqual({ name: 'members', decision: 'block', reason: 'We write to people.', rule: 4 })
})

test('the editor reports missing values and duplicate names at their fields', async () => {
  const page = await open(owner, '/policies/partners?do=copy')
  await page.getByLabel('Name', { exact: true }).fill('partners')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await rule(page, 2).getByLabel('Deliverability, below').fill('ninety')
  await page.getByRole('button', { name: 'Create policy' }).click()
  const summary = page.getByRole('group', { name: /^Please fix \d fields/ })
  await summary.waitFor()
  expect(await summary.getByRole('listitem').allInnerTexts()).toEqual([
    'A policy with this name already exists.',
    'Rule 2: deliverability is a percentage from 0 to 100.',
    'Rule 3: choose at least one condition.',
    'Rule 3: enter a reason.',
  ])
  await summary.getByRole('button', { name: 'Rule 3: enter a reason.' }).click()
  const field = rule(page, 3).getByLabel('Reason in the response')
  expect(await hasFocus(field)).toBe(true)
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  expect((await owner.sendRequest('GET', '/policies/partners')).body['rules']).toHaveLength(2)
})

test('rules can be reordered, edited and saved with the keyboard alone', async () => {
  const page = await open(owner, '/policies/partners')
  await page.getByRole('link', { name: 'Edit policy' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Edit partners', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Move rule 2 up' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Rule 2 moved to position 1.').waitFor()
  // The focus follows the rule, and pressing again has no effect.
  const up = page.getByRole('button', { name: 'Move rule 1 up' })
  await expectFocus(up)
  await page.keyboard.press('Enter')
  expect(await rule(page, 1).getByLabel('Reason in the response').inputValue()).toBe('Ask for a person.')

  await page.getByRole('button', { name: 'Remove rule 2' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('Rule 2 removed.').waitFor()
  await rule(page, 1).getByLabel('Safe to send').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('button', { name: 'Save changes' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/app\/policies\/partners$/)
  expect((await owner.sendRequest('GET', '/policies/partners')).body['rules']).toEqual([
    { ...OWN.rules[1], when: { ...OWN.rules[1]?.when, safe_to_send: false } },
  ])
})

test('a policy is deleted after a confirmation, and an overridden built-in policy is used again', async () => {
  await owner.sendRequest('POST', '/policies', { ...OWN, name: 'newsletter', rules: [] })
  const page = await open(owner, '/policies/newsletter')
  await page.getByText('This policy overrides the built-in policy with the same name.').waitFor()
  await page.getByRole('button', { name: 'Delete policy' }).click()
  await page.getByRole('alertdialog').getByText('will use the built-in policy').waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete policy' }).click()
  await page.getByText('Built-in policies cannot be edited.').waitFor()

  await owner.sendRequest('POST', '/policies', { ...OWN, name: 'short-lived' })
  await page.goto('/app/policies/short-lived')
  await page.getByRole('button', { name: 'Delete policy' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete policy' }).click()
  await page.waitForURL(/\/app\/policies$/)
  expect((await owner.sendRequest('GET', '/policies/short-lived')).status).toBe(404)
})

test('a viewer can only view policies, and a developer can try them', async () => {
  const looking = await open(viewer, '/policies/partners')
  expect(await looking.getByRole('link', { name: 'Edit policy' }).count()).toBe(0)
  expect(await looking.getByRole('heading', { name: 'Try it' }).count()).toBe(0)
  const trying = await open(developer, '/policies/partners')
  await trying.getByRole('heading', { name: 'Try it' }).waitFor()
  await trying.goto('/app/policies/partners?do=edit')
  await trying.getByText('This requires the role owner or admin.').waitFor()
})

testCases([
  { what: 'policies', as: owner.context, path: '/app/policies' },
  { what: 'a policy', as: owner.context, path: '/app/policies/partners' },
])
