import { randomUUID } from 'node:crypto'
import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  addMember,
  type Browser,
  listLinks,
  nextToken,
  openBrowser,
  openNewAccount,
  PASSWORD,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../testing/test-browser.ts'

/** No SMTP relay: the link that the inviter hands over verifies the address. */
const api = await startUsersApi()
/** The same installation with an SMTP relay, which the tests do not need to reach. */
const withMail = await startUsersApi({
  config: { databaseUrl: api.url, mail: { url: 'smtp://127.0.0.1:1', from: 'post@probity.example' } },
})

type Account = { 'probity-account': string }

const newAddress = () => `invited-${randomUUID()}@example.com`

async function openAccount(): Promise<{ owner: SignedIn; account: Account }> {
  const owner = await signUp(api)
  return { owner, account: await openNewAccount(owner) }
}

async function invite(inviter: SignedIn, account: Account, email: string, role = 'viewer'): Promise<string> {
  const body = { organizationId: account['probity-account'], email, role }
  const invited = await inviter.post('/auth/organization/invite-member', body)
  expect(invited.status).toBe(200)
  return String(invited.body['id'])
}

async function tokenOf(inviter: SignedIn, id: string): Promise<string> {
  const { status, body } = await inviter.get(`/invitations/${id}/token`)
  expect(status).toBe(200)
  return String(body['token'])
}

const join = (browser: Browser, id: string, token: unknown, more: object = {}) =>
  browser.post(`/invitations/${id}/join`, { token, name: 'Grace', password: PASSWORD, ...more })

const signIn = (email: string, password = PASSWORD) =>
  openBrowser(api.app).post('/auth/sign-in/email', { email, password })

async function count(what: 'people' | 'members', email: string): Promise<number> {
  const from = what === 'people' ? sql`users p` : sql`members m join users p on p.id = m.user_id`
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ count: number }>`select count(*)::int as count from ${from} where p.email = ${email}`.execute(trx),
  )
  return rows[0]?.count ?? 0
}

test('the invitation link creates the user, verifies the address and signs in when no SMTP relay is set', async () => {
  const { owner, account } = await openAccount()
  const email = newAddress()
  const id = await invite(owner, account, email.toUpperCase(), 'marketer')
  const guest = openBrowser(api.app)
  expect((await guest.get(`/invitations/${id}`)).body).toMatchObject({ link_verifies: true })

  expect((await join(guest, id, await tokenOf(owner, id))).status).toBe(201)
  expect((await guest.get('/session')).body).toMatchObject({
    person: { name: 'Grace', email, email_verified: true, is_operator: false },
    memberships: [{ name: 'Engines', role: 'marketer' }],
  })
  expect((await signIn(email)).status).toBe(200)

  const log = await owner.get('/audit-log', account)
  expect(log.body['entries']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ action: 'member.created', actor: 'member', actor_name: 'Grace', ip: guest.ip }),
      expect.objectContaining({ action: 'invitation.accepted', actor_name: 'Grace' }),
    ]),
  )
})

test('the link in the log has the token too', async () => {
  const { owner, account } = await openAccount()
  const before = listLinks(api, 'invitation').length
  const id = await invite(owner, account, newAddress())
  expect(await nextToken(api, 'invitation', before)).toBe(`${id}.${await tokenOf(owner, id)}`)
})

test('the invitation link works once, also when it is used twice at the same time', async () => {
  const { owner, account } = await openAccount()
  const email = newAddress()
  const id = await invite(owner, account, email)
  const token = await tokenOf(owner, id)
  const guests = [openBrowser(api.app), openBrowser(api.app)]
  const joined = await Promise.all(guests.map((guest) => join(guest, id, token)))
  expect(joined.map(({ status }) => String(status)).toSorted()).toEqual(['201', '404'])
  expect((await join(openBrowser(api.app), id, token)).status).toBe(404)
  expect(await count('members', email)).toBe(1)
})

test('the invitation link works for no other address and no other invitation', async () => {
  const { owner, account } = await openAccount()
  const [email, other] = [newAddress(), newAddress()]
  const [id, otherId] = [await invite(owner, account, email), await invite(owner, account, other, 'admin')]
  const token = await tokenOf(owner, id)
  const guest = openBrowser(api.app)
  expect((await join(guest, id, token, { email: other })).status).toBe(400)
  for (const [usedId, usedToken] of [
    [otherId, token],
    [id, 'x'],
    [id, token.slice(0, -1)],
    [randomUUID(), token],
  ] as const) {
    expect((await join(guest, usedId, usedToken)).status).toBe(404)
  }
  expect((await join(guest, id, undefined)).status).toBe(400)
  expect((await join(guest, id, token, { name: ' \0' })).status).toBe(400)
  expect((await join(guest, id, token, { password: 'qwertyuiop12' })).body['code']).toBe('weak_password')
  expect([await count('people', email), await count('people', other)]).toEqual([0, 0])
  expect((await guest.get('/session')).status).toBe(401)
})

test('the invitation link stops working when the invitation is canceled, expires, or its inviter loses the permission', async () => {
  const { owner, account } = await openAccount()
  const admin = await signUp(api)
  await addMember(api, account['probity-account'], admin, 'admin')
  const ids = await Promise.all([owner, owner, admin].map((inviter) => invite(inviter, account, newAddress())))
  const tokens = await Promise.all(ids.map((id) => tokenOf(owner, id)))
  const [canceled, expired] = ids
  await owner.post('/auth/organization/cancel-invitation', { invitationId: canceled })
  await asOwner(api.db, async (trx) => {
    await sql`update invitations set expires_at = clock_timestamp() where id = ${expired}`.execute(trx)
    await sql`update members set role = 'viewer' where user_id = ${admin.personId}`.execute(trx)
  })
  for (const [n, id] of ids.entries()) {
    expect((await join(openBrowser(api.app), id, tokens[n])).status).toBe(404)
  }
})

test('only members who may invite to the role get the token', async () => {
  const { owner, account } = await openAccount()
  const members: SignedIn[] = []
  for (const role of ['admin', 'developer', 'marketer', 'viewer'] as const) {
    const member = await signUp(api)
    await addMember(api, account['probity-account'], member, role)
    members.push(member)
  }
  const [asViewer, asOwnerRole] = [
    await invite(owner, account, newAddress()),
    await invite(owner, account, newAddress(), 'owner'),
  ]
  const statusesOf = (id: string, askers: Browser[]) =>
    Promise.all(askers.map(async (asker) => (await asker.get(`/invitations/${id}/token`)).status))
  expect(await statusesOf(asViewer, [owner, ...members])).toEqual([200, 200, 404, 404, 404])
  expect(await statusesOf(asOwnerRole, [owner, ...members])).toEqual([200, 404, 404, 404, 404])
  expect(await statusesOf(asViewer, [await signUp(api), openBrowser(api.app)])).toEqual([404, 401])
})

test('the invitation link replaces an unverified sign-up, and neither a verified user nor an operator', async () => {
  const { owner, account } = await openAccount()
  const squatted = newAddress()
  const squatter = { name: 'Eve', email: squatted, password: 'the password of a squatter' }
  expect((await openBrowser(api.app).post('/auth/sign-up/email', squatter)).status).toBe(200)
  const id = await invite(owner, account, squatted)
  expect((await join(openBrowser(api.app), id, await tokenOf(owner, id))).status).toBe(201)
  expect((await signIn(squatted, squatter.password)).status).toBe(401)
  expect((await signIn(squatted)).status).toBe(200)

  const verified = await signUp(api)
  const operator = newAddress()
  await openBrowser(api.app).post('/auth/sign-up/email', { ...squatter, email: operator })
  await asOwner(api.db, (trx) => sql`update users set is_operator = true where email = ${operator}`.execute(trx))
  for (const email of [verified.email, operator]) {
    const taken = await invite(owner, account, email)
    expect((await owner.get(`/invitations/${taken}`)).body['link_verifies']).toBe(true)
    expect((await join(openBrowser(api.app), taken, await tokenOf(owner, taken))).status).toBe(404)
    expect(await count('members', email)).toBe(0)
  }
})

test('an address that a link verified joins another account only with the link of that account', async () => {
  const [mallory, victim] = [await openAccount(), await openAccount()]
  const email = newAddress()
  const own = await invite(mallory.owner, mallory.account, email)
  const guest = openBrowser(api.app)
  const ownToken = await tokenOf(mallory.owner, own)
  expect((await join(guest, own, ownToken)).status).toBe(201)

  const id = await invite(victim.owner, victim.account, email, 'admin')
  expect((await guest.get('/auth/organization/list-user-invitations')).text).toBe('[]')
  const answer = (verb: string, token?: string) =>
    guest.post(`/auth/organization/${verb}-invitation`, { invitationId: id, ...(token && { token }) })
  for (const verb of ['accept', 'reject']) {
    expect((await answer(verb)).status).toBe(404)
    expect((await answer(verb, ownToken)).status).toBe(404)
  }
  expect((await answer('accept', await tokenOf(victim.owner, id))).status).toBe(200)
  expect((await guest.get('/session')).body['memberships']).toHaveLength(2)
})

test('with an SMTP relay the link verifies nothing: the user signs up and confirms the address by email', async () => {
  const { owner, account } = await openAccount()
  const email = newAddress()
  const id = await invite(owner, account, email)
  const token = await tokenOf(owner, id)
  const guest = openBrowser(withMail.app)
  expect((await guest.get(`/invitations/${id}`)).body).toMatchObject({ link_verifies: false })
  expect((await join(guest, id, token)).status).toBe(404)
  expect(await count('people', email)).toBe(0)

  const user = { name: 'Grace', email, password: PASSWORD }
  expect((await guest.post('/auth/sign-up/email', { ...user, invitation_id: id })).status).toBe(200)
  const early = await guest.post('/auth/sign-in/email', { email, password: PASSWORD })
  expect([early.status, early.body['code']]).toEqual([403, 'EMAIL_NOT_VERIFIED'])
  expect(await count('members', email)).toBe(0)
})
