import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  addMember,
  listLinks,
  nextToken,
  openBrowser,
  openNewAccount,
  PASSWORD,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../testing/test-browser.ts'

const api = await startUsersApi({ config: { opening: { plan: 'payg', credits: 50 } } })

/** Emails to one address are limited, so each invitation has an address of its own. */
const newEmail = () => `new-${randomUUID()}@example.com`

const organisationOf = (account: { 'probity-account': string }) => ({ organizationId: account['probity-account'] })

async function memberIdOf(account: { 'probity-account': string }, { personId }: SignedIn): Promise<string> {
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ id: string }>`select id from members
      where account_id = ${account['probity-account']} and user_id = ${personId}`.execute(trx),
  )
  return rows[0]?.id ?? ''
}

test('an invited user signs up and joins the account with the role of the invitation', async () => {
  const ada = await signUp(api)
  const account = await openNewAccount(ada)
  const before = listLinks(api, 'invitation').length
  const email = 'grace@example.com'
  const invited = await ada.post('/auth/organization/invite-member', {
    ...organisationOf(account),
    email,
    role: 'marketer',
  })
  expect(invited.status).toBe(200)
  const [id = ''] = (await nextToken(api, 'invitation', before)).split('.')

  const shown = await openBrowser(api.app).get(`/invitations/${id}`)
  expect([shown.status, shown.body]).toEqual([
    200,
    {
      organisation: 'Engines',
      role: 'marketer',
      inviter: 'Ada',
      email,
      expires_at: expect.any(String),
      link_verifies: true,
    },
  ])

  const grace = await signUp(api, email)
  // The response does not reveal whether a user has the address: the inviter has the id too.
  expect((await openBrowser(api.app).get(`/invitations/${id}`)).body).toEqual(shown.body)
  expect((await grace.post('/auth/organization/accept-invitation', { invitationId: id })).status).toBe(200)
  expect((await grace.get('/session')).body['memberships']).toMatchObject([{ name: 'Engines', role: 'marketer' }])
  expect((await grace.get(`/invitations/${id}`)).status).toBe(404)
})

test('an invitation is valid only for the address it was sent to', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const account = await openNewAccount(ada)
  const wish = { ...organisationOf(account), email: newEmail(), role: 'viewer' }
  const invited = await ada.post('/auth/organization/invite-member', wish)
  const taken = await eve.post('/auth/organization/accept-invitation', { invitationId: invited.body['id'] })
  expect(taken.status).toBe(403)
  expect((await eve.get('/session')).body['memberships']).toEqual([])
})

test('with sign-up by invitation no other user can sign up', async () => {
  const closed = await startUsersApi({ config: { signUp: 'invitation' } })
  const sign = (extra: object) =>
    openBrowser(closed.app).post('/auth/sign-up/email', {
      name: 'Eve',
      email: 'eve@example.com',
      password: PASSWORD,
      ...extra,
    })
  for (const extra of [{}, { invitation_id: 'x' }, { invitation_id: crypto.randomUUID() }]) {
    const { status, body } = await sign(extra)
    expect([status, body['code']]).toEqual([403, 'signup_disabled'])
  }
  const { rows } = await asOwner(closed.db, (trx) =>
    sql<{ id: string }>`
      with inviter as (insert into users (name, email) values ('Ada', 'ada@example.com') returning id),
           account as (insert into accounts (name, plan) values ('Engines', 'payg') returning id)
      insert into invitations (account_id, email, role, inviter_id, expires_at)
      select account.id, 'grace@example.com', 'viewer', inviter.id, clock_timestamp() + interval '1 day'
      from inviter, account returning id`.execute(trx),
  )
  const invitation = { invitation_id: rows[0]?.id }
  expect((await sign(invitation)).body['code']).toBe('signup_disabled')
  expect((await sign({ ...invitation, email: 'Grace@example.com' })).status).toBe(200)
})

test.each(['developer', 'marketer', 'viewer'] as const)(
  'a %s can invite, change and remove no members',
  async (role) => {
    const [ada, eve] = [await signUp(api), await signUp(api)]
    const account = await openNewAccount(ada)
    await addMember(api, account['probity-account'], eve, role)
    const organisation = organisationOf(account)
    const wish = { ...organisation, email: newEmail(), role: 'viewer' }
    expect((await eve.post('/auth/organization/invite-member', wish)).status).toBe(403)
    const own = { ...organisation, memberId: await memberIdOf(account, eve), role: 'owner' }
    expect((await eve.post('/auth/organization/update-member-role', own)).status).toBe(403)
    const remove = { ...organisation, memberIdOrEmail: ada.email }
    expect((await eve.post('/auth/organization/remove-member', remove)).status).toBeGreaterThanOrEqual(400)
    expect((await ada.get('/session')).body['memberships']).toMatchObject([{ role: 'owner' }])
  },
)

test('an admin can neither appoint nor remove owners', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const account = await openNewAccount(ada)
  await addMember(api, account['probity-account'], eve, 'admin')
  const organisation = organisationOf(account)
  const own = { ...organisation, memberId: await memberIdOf(account, eve), role: 'owner' }
  expect((await eve.post('/auth/organization/update-member-role', own)).status).toBe(403)
  const demote = { ...organisation, memberId: await memberIdOf(account, ada), role: 'viewer' }
  expect((await eve.post('/auth/organization/update-member-role', demote)).status).toBe(403)
  const wish = { ...organisation, email: newEmail(), role: 'owner' }
  expect((await eve.post('/auth/organization/invite-member', wish)).status).toBe(403)
})

test('the last owner can neither leave nor change roles, also if two owners do so concurrently', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const account = await openNewAccount(ada)
  const organisation = organisationOf(account)
  expect((await ada.post('/auth/organization/leave', organisation)).status).toBe(400)
  const demote = { ...organisation, memberId: await memberIdOf(account, ada), role: 'viewer' }
  expect((await ada.post('/auth/organization/update-member-role', demote)).status).toBe(400)

  await addMember(api, account['probity-account'], eve, 'owner')
  const left = await Promise.all([ada, eve].map((one) => one.post('/auth/organization/leave', organisation)))
  expect(left.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ owners: number }>`select count(*)::int as owners from members
      where account_id = ${account['probity-account']} and role = 'owner'`.execute(trx),
  )
  expect(rows[0]?.owners).toBeGreaterThanOrEqual(1)
})

test('a user gets the opening credits once', async () => {
  const ada = await signUp(api)
  const credits = async (name: string) => {
    const account = await openNewAccount(ada, name)
    return ((await ada.get('/account', account)).body['credits'] as { available: number }).available
  }
  expect([await credits('First'), await credits('Second')]).toEqual([50, 0])
})

test('accounts with the same name get different slugs, and a user owns at most twenty', async () => {
  const ada = await signUp(api)
  const slugs: unknown[] = []
  for (let n = 0; n < 20; n++) slugs.push((await ada.post('/accounts', { name: 'Zürich & Söhne!' })).body['slug'])
  expect(slugs.slice(0, 2)).toEqual(['z-rich-s-hne', 'z-rich-s-hne-2'])
  expect(new Set(slugs).size).toBe(20)
  const beyond = await ada.post('/accounts', { name: 'One more' })
  expect([beyond.status, beyond.body['code']]).toEqual([409, 'too_many_accounts'])
})

test('malformed ids and unknown roles are rejected with our own problems', async () => {
  const ada = await signUp(api)
  const account = await openNewAccount(ada)
  for (const [path, body] of [
    ['leave', { organizationId: 'x' }],
    ['accept-invitation', { invitationId: "' or true" }],
    ['invite-member', { ...organisationOf(account), email: newEmail(), role: 'member' }],
    ['invite-member', { ...organisationOf(account), email: newEmail(), role: ['owner'] }],
  ] as const) {
    const answer = await ada.post(`/auth/organization/${path}`, body)
    expect([answer.status, answer.body['code']]).toEqual([400, 'invalid_request'])
  }
})

test('POST /organisations responds with 400 to a name with NUL, which PostgreSQL rejects', async () => {
  const ada = await signUp(api)
  const { status, body } = await ada.post('/accounts', { name: 'Engines\0' })
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
})

test('the member list responds with 400 to a limit that is not a whole number', async () => {
  const ada = await signUp(api)
  const { 'probity-account': id } = await openNewAccount(ada)
  const list = (limit: string) => ada.get(`/auth/organization/list-members?organizationId=${id}&limit=${limit}`)
  expect((await list('10')).status).toBe(200)
  for (const limit of ['Infinity', '-1', '1e400', '']) expect((await list(limit)).status).toBe(400)
})
