import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { borrowProduct } from './test-borrowed.ts'
import { loaded, onePage, startBrowser } from './test-browser.ts'
import { press, testCases } from './test-page-cases.ts'
import { openPerson, type Person } from './test-people.ts'

const product = await borrowProduct()
const browser = await startBrowser()
const owner = await openPerson(browser, product)
const viewer = await openPerson(browser, product, { name: 'Grace Hopper', invitedBy: owner, role: 'viewer' })
const developer = await openPerson(browser, product, { name: 'Mary Shelley', invitedBy: owner, role: 'developer' })

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
  default: { decision: 'allow', reason: 'Nothing speaks against it.' },
}
expect(await owner.ask('POST', '/policies', OWN)).toMatchObject({ status: 201 })

async function open(person: Person, path: string): Promise<Page> {
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

test('a built-in policy is read as a table and tried on an address', async () => {
  const page = await open(owner, '/lists')
  await page.getByRole('link', { name: 'Policies', exact: true }).click()
  await page.getByRole('heading', { name: 'Policies', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'transactional', exact: true }).click()
  await rulesOf(page, 'transactional').first().waitFor()
  const rows = await rulesOf(page, 'transactional').allInnerTexts()
  expect(rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())).toEqual([
    '1 Block The status is invalid Mail to this address comes back.',
    expect.stringMatching(/^2 Review The reason is mailbox_full The mailbox has no room/),
    expect.stringMatching(/^Allow Otherwise Somebody waits/),
  ])
  await page.getByRole('button', { name: 'mailbox-full' }).click()
  await page.getByText('Rule 2 decides').waitFor()
  await page.getByRole('button', { name: 'valid', exact: true }).click()
  await page.getByText('No rule applies').waitFor()
  // Simulated: it has cost nothing.
  expect((await owner.ask('GET', '/account')).body['credits']).toMatchObject({ used: 0 })
})

test('a policy of one’s own is made from a copy, tried before it is saved, and decides from then on', async () => {
  const page = await open(owner, '/policies/signup')
  await page.getByRole('link', { name: 'Copy' }).click()
  await page.getByRole('heading', { name: 'Copy of signup', level: 1 }).waitFor()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('signup-copy')
  await page.getByLabel('Name', { exact: true }).fill('members')
  await page.getByRole('button', { name: 'Add a rule' }).click()
  const fifth = rule(page, 5)
  await fifth.getByRole('checkbox', { name: 'of a role' }).check()
  await fifth.getByLabel('Decision').selectOption('block')
  await fifth.getByLabel('Reason in the answer').fill('We write to people.')

  await page.getByRole('button', { name: 'role', exact: true }).click()
  await page.getByText('Rule 5 decides').waitFor()
  await page.getByRole('status').getByText('We write to people.').waitFor()
  // The decision follows the rules without another question.
  await page.getByRole('button', { name: 'Move rule 5 up' }).click()
  await page.getByText('Rule 4 decides').waitFor()

  await page.getByRole('button', { name: 'Create policy' }).click()
  await page.waitForURL(/\/app\/policies\/members$/)
  await rulesOf(page, 'members').first().waitFor()
  expect(await rulesOf(page, 'members').count()).toBe(6)
  const asked = await owner.ask(
    'POST',
    '/validation/single',
    { email: 'role@example.com', policy: 'members' },
    { 'probity-mode': 'test' },
  )
  expect(asked.body['policy']).toEqual({ name: 'members', decision: 'block', reason: 'We write to people.', rule: 4 })
})

test('what is missing is said at its field, and a name that is taken is not taken twice', async () => {
  const page = await open(owner, '/policies/partners?do=copy')
  await page.getByLabel('Name', { exact: true }).fill('partners')
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await rule(page, 2).getByLabel('Chance to arrive, below').fill('ninety')
  await page.getByRole('button', { name: 'Create policy' }).click()
  const summary = page.getByRole('group', { name: 'Some fields need a look.' })
  await summary.waitFor()
  expect(await summary.getByRole('listitem').allInnerTexts()).toEqual([
    'There is a policy of this name.',
    'Rule 2: a chance is a number from 0 to 1.',
    'Rule 3: choose when it applies.',
    'Rule 3: give a reason.',
  ])
  await summary.getByRole('button', { name: 'Rule 3: give a reason.' }).click()
  const field = rule(page, 3).getByLabel('Reason in the answer')
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  expect((await owner.ask('GET', '/policies/partners')).body['rules']).toHaveLength(2)
})

test('rules are put in order, changed and saved with the keyboard alone', async () => {
  const page = await open(owner, '/policies/partners')
  await page.getByRole('link', { name: 'Change' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Change partners', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Move rule 2 up' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Rule 2 is rule 1 now.').waitFor()
  // The focus goes with the rule, and pressing again does nothing more.
  const up = page.getByRole('button', { name: 'Move rule 1 up' })
  await vi.waitFor(async () => expect(await up.evaluate((button) => button === document.activeElement)).toBe(true))
  await page.keyboard.press('Enter')
  expect(await rule(page, 1).getByLabel('Reason in the answer').inputValue()).toBe('Ask for a person.')

  await page.getByRole('button', { name: 'Remove rule 2' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('Rule 2 is gone.').waitFor()
  await rule(page, 1).getByLabel('Safe to send').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('button', { name: 'Save changes' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/app\/policies\/partners$/)
  expect((await owner.ask('GET', '/policies/partners')).body['rules']).toEqual([
    { ...OWN.rules[1], when: { ...OWN.rules[1]?.when, safe_to_send: false } },
  ])
})

test('a policy is removed after a question, and one in the place of a built-in leaves that behind', async () => {
  await owner.ask('POST', '/policies', { ...OWN, name: 'newsletter', rules: [] })
  const page = await open(owner, '/policies/newsletter')
  await page.getByText('It takes the place of the built-in policy of this name.').waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByText('decided by the built-in policy').waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('This one is built in').waitFor()

  await owner.ask('POST', '/policies', { ...OWN, name: 'short-lived' })
  await page.goto('/app/policies/short-lived')
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.waitForURL(/\/app\/policies$/)
  expect((await owner.ask('GET', '/policies/short-lived')).status).toBe(404)
})

test('who may not change policies reads them, and a developer tries them', async () => {
  const looking = await open(viewer, '/policies/partners')
  expect(await looking.getByRole('link', { name: 'Change' }).count()).toBe(0)
  expect(await looking.getByRole('heading', { name: 'Try it' }).count()).toBe(0)
  const trying = await open(developer, '/policies/partners')
  await trying.getByRole('heading', { name: 'Try it' }).waitFor()
  await trying.goto('/app/policies/partners?do=edit')
  await trying.getByText('This needs the role owner or admin.').waitFor()
})

const tried = async (page: Page) => {
  await page.getByRole('button', { name: 'disposable' }).click()
  await page.getByText(/decides$/).waitFor()
}

testCases([
  { what: 'policies', as: owner.context, path: '/app/policies' },
  { what: 'policies, for a viewer', as: viewer.context, path: '/app/policies' },
  { what: 'policies, broken', as: owner.context, path: '/app/policies', broken: '**/app/api/policies' },
  { what: 'policies, loading', as: owner.context, path: '/app/policies', hangs: '**/app/api/policies' },
  { what: 'a policy, tried', as: owner.context, path: '/app/policies/signup', doing: tried },
  { what: 'a policy of one’s own, in test mode', as: owner.context, path: '/app/policies/partners?mode=test' },
  { what: 'a policy, removed?', as: owner.context, path: '/app/policies/partners', doing: press('Remove') },
  { what: 'a policy that is not there', as: owner.context, path: '/app/policies/nobody' },
  { what: 'a policy, copied', as: owner.context, path: '/app/policies/newsletter?do=copy' },
  { what: 'a policy, copied by who may not', as: viewer.context, path: '/app/policies/newsletter?do=copy' },
  {
    what: 'a policy, with faults',
    as: owner.context,
    path: '/app/policies/partners?do=edit',
    doing: async (page) => {
      await press('Add a rule')(page)
      await press('Save changes')(page)
      await page.getByText('Rule', { exact: false }).first().waitFor()
    },
  },
])
