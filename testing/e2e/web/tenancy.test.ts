import { expect, test } from 'vitest'
import { loaded, onePage, startBrowser } from '../browser/browser.ts'
import { finishListAs, uploadAs } from '../browser/user-jobs.ts'
import { signUpUser } from '../browser/users.ts'
import { useSharedInstance } from '../environment/shared-instance.ts'

/** Two accounts of one installation: the second knows all URLs and ids of the first and sees none of its data. */
const instance = await useSharedInstance()
const browser = await startBrowser()
const first = await signUpUser(browser, instance, { name: 'Ada Lovelace', organisation: 'Analytical Engines' })
const second = await signUpUser(browser, instance, { name: 'Alan Turing', organisation: 'Bletchley' })

const CSV = 'email,note\nvalid@example.com,secret-note\n'
const list = await finishListAs(first, CSV, { filename: 'secret-list.csv' })
const draft = await uploadAs(first, CSV, { filename: 'secret-draft.csv' })
const made = await first.sendRequest('POST', '/keys', {
  name: 'secret-key',
  livemode: false,
  scopes: ['validations:write'],
})
expect(made.status).toBe(201)
const key = String(made.body['id'])
const hook = await first.sendRequest(
  'POST',
  '/webhooks',
  { url: 'https://secret-hooks.example.com/' },
  { 'probity-mode': 'test' },
)
expect(hook.status).toBe(201)
const invitation = await first.sendRequest('POST', '/auth/organization/invite-member', {
  organizationId: first.accountId,
  email: 'secret-colleague@people.example',
  role: 'viewer',
})
expect(invitation.status).toBe(200)

const SECRETS = /secret-|Ada Lovelace|Analytical Engines/

const THEIRS = [
  ['a list', `/app/lists/${list}?mode=test`],
  ['a result', `/app/lists/${list}?mode=test&row=2`],
  ['a webhook', `/app/webhooks/${hook.body['id']}?mode=test`],
  ['a draft', `/app/lists/new?mode=test&upload=${draft}`],
  ['a draft with its column', `/app/lists/new?mode=test&upload=${draft}&column=email`],
]

test.each(THEIRS)('%s is visible to its own account', async (_what, path) => {
  const page = await onePage(first.context)
  await page.goto(path)
  await loaded(page)
  expect(await page.textContent('main')).toMatch(/secret-/)
})

test.each([...THEIRS, ['a list in the other mode', `/app/lists/${list}`]])(
  '%s is not visible to another account',
  async (_what, path) => {
    const page = await onePage(second.context)
    await page.goto(path)
    await loaded(page)
    expect(await page.textContent('main')).toMatch(/not found|no longer|deleted|expired/i)
    expect(await page.content()).not.toMatch(SECRETS)
  },
)

test.each([
  '/app/lists',
  '/app/keys',
  '/app/requests',
  '/app/webhooks',
  '/app/settings/members',
  '/app/settings/account',
  '/app/quick-start',
])('%s shows users of another account their own account, whatever the URL names', async (path) => {
  const page = await onePage(second.context)
  await page.goto(`${path}?mode=test&org=${first.slug}`)
  await loaded(page)
  expect(await page.textContent('body')).toContain('Bletchley')
  expect(new URL(page.url()).pathname).toBe(path)
  expect(await page.locator('#root').textContent()).not.toMatch(SECRETS)
})

const TEST = { 'probity-mode': 'test' }

/** Every id of the first account, requested by the second: as if it did not exist. */
test.each([
  ['GET', '/bulk/jobs/:list'],
  ['GET', '/bulk/jobs/:list/results'],
  ['GET', '/bulk/jobs/:list/results/2'],
  ['GET', '/bulk/jobs/:list/breakdown'],
  ['GET', '/bulk/jobs/:list/report-links'],
  ['GET', '/bulk/jobs/:list/events'],
  ['POST', '/bulk/jobs/:list/pause'],
  ['POST', '/bulk/jobs/:list/cancel'],
  ['DELETE', '/bulk/jobs/:list'],
  ['GET', '/bulk/uploads/:draft'],
  ['DELETE', '/bulk/uploads/:draft'],
  ['GET', '/keys/:key'],
  ['PATCH', '/keys/:key'],
  ['DELETE', '/keys/:key'],
])('%s %s of another account returns 404', async (method, pattern) => {
  const path = pattern.replace(':list', list).replace(':draft', draft).replace(':key', key)
  const answer = await second.sendRequest(method, path, method === 'PATCH' ? { name: 'mine' } : undefined, TEST)
  expect([answer.status, answer.body['code']]).toEqual([404, 'not_found'])
  expect(answer.text).not.toMatch(SECRETS)
})

test("another account's id has the same response as an unknown one", async () => {
  const otherAccount = { ...TEST, 'probity-account': first.accountId }
  const unknownAccount = { ...TEST, 'probity-account': '00000000-0000-4000-8000-000000000000' }
  for (const path of ['/account', '/keys', '/bulk/jobs', '/webhooks', '/requests', '/overview']) {
    const [one, other] = [
      await second.sendRequest('GET', path, undefined, otherAccount),
      await second.sendRequest('GET', path, undefined, unknownAccount),
    ]
    expect([path, one.status, one.body['code']]).toEqual([path, other.status, other.body['code']])
    expect([path, one.status]).toEqual([path, 404])
  }
})

test('members of another account cannot be listed or invited', async () => {
  const members = `/auth/organization/list-members?organizationId=${first.accountId}`
  const invitations = `/auth/organization/list-invitations?organizationId=${first.accountId}`
  for (const path of [members, invitations]) {
    const answer = await second.sendRequest('GET', path)
    expect([path, answer.status >= 400]).toEqual([path, true])
    expect(answer.text).not.toMatch(SECRETS)
  }
  const asked = { organizationId: first.accountId, email: 'mole@people.example', role: 'admin' }
  expect((await second.sendRequest('POST', '/auth/organization/invite-member', asked)).status).toBeGreaterThanOrEqual(
    400,
  )
})
