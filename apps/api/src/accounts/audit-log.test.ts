import type { Role } from '@probity/contract/constants/users'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import {
  addMember,
  listLinks,
  nextToken,
  openNewAccount,
  PASSWORD,
  type SignedIn,
  signUp,
  startUsersApi,
} from '../testing/test-browser.ts'

const api = await startUsersApi()

type Entry = { action: string; actor: string; actor_name: string; ip: string; subject_name: string; changes: object }

async function read(person: SignedIn, here: Record<string, string>, query = ''): Promise<Entry[]> {
  const { status, body } = await person.get(`/audit-log${query}`, here)
  expect(status).toBe(200)
  return body['entries'] as Entry[]
}

test('changes by members and keys are recorded with actor and IP address', async () => {
  const ada = await signUp(api)
  const here = await openNewAccount(ada)
  const made = await ada.post('/keys', { name: 'CI', livemode: true, scopes: ['keys:write'] }, here)
  const key = { 'x-api-key': String(made.body['key']) }
  const own = await api.app.inject({
    method: 'POST',
    url: '/api/v1/keys',
    headers: key,
    payload: { name: 'Its own', livemode: true, scopes: ['keys:write'] },
    remoteAddress: '192.0.2.77',
  })
  expect(own.statusCode).toBe(201)
  const renamed = await ada.call({
    method: 'PATCH',
    url: '/app/api/account',
    payload: { name: 'Renamed' },
    headers: here,
  })
  expect(renamed.status).toBe(200)

  expect(await read(ada, here)).toMatchObject([
    { action: 'account.changed', actor: 'member', actor_name: 'Ada', changes: { name: ['Engines', 'Renamed'] } },
    { action: 'key.created', actor: 'key', actor_name: 'CI', ip: '192.0.2.77', subject_name: 'Its own' },
    { action: 'key.created', actor: 'member', actor_name: 'Ada', ip: ada.ip, subject_name: 'CI' },
    { action: 'member.created', actor: 'member', actor_name: 'Ada', changes: { role: [null, 'owner'] } },
    { action: 'account.created', actor: 'member', actor_name: 'Ada' },
  ])
})

test('changes through the sign-in library are recorded: invitations, role changes and removals', async () => {
  const [ada, grace] = [await signUp(api), await signUp(api)]
  const here = await openNewAccount(ada)
  const organizationId = here['probity-account']
  const invited = await ada.post('/auth/organization/invite-member', {
    organizationId,
    email: grace.email,
    role: 'viewer',
  })
  expect(invited.status).toBe(200)
  const accepting = { invitationId: invited.body['id'] }
  expect((await grace.post('/auth/organization/accept-invitation', accepting)).status).toBe(200)
  const { body } = await ada.get(`/auth/organization/list-members?organizationId=${organizationId}`)
  const members = body['members'] as { id: string; userId: string }[]
  const memberId = members.find(({ userId }) => userId === grace.personId)?.id
  const changed = await ada.post('/auth/organization/update-member-role', { organizationId, memberId, role: 'admin' })
  expect(changed.status).toBe(200)
  const removed = await ada.post('/auth/organization/remove-member', { organizationId, memberIdOrEmail: memberId })
  expect(removed.status).toBe(200)

  const told = (await read(ada, here)).slice(0, 5)
  expect(told).toMatchObject([
    { action: 'member.deleted', actor_name: 'Ada', ip: ada.ip },
    { action: 'member.role_changed', changes: { role: ['viewer', 'admin'] }, ip: ada.ip },
    { action: expect.stringMatching(/member.created|invitation.accepted/), ip: grace.ip },
    { action: expect.stringMatching(/member.created|invitation.accepted/), ip: grace.ip },
    { action: 'invitation.created', subject_name: grace.email, ip: ada.ip, changes: { role: [null, 'viewer'] } },
  ])
})

test('a password reset by email is recorded with the user as actor', async () => {
  const ada = await signUp(api)
  const here = await openNewAccount(ada)
  const before = listLinks(api, 'reset').length
  await ada.post('/auth/request-password-reset', { email: ada.email })
  const token = await nextToken(api, 'reset', before)
  const newPassword = `${PASSWORD}, and another`
  expect((await ada.post('/auth/reset-password', { token, newPassword })).status).toBe(200)
  await ada.post('/auth/sign-in/email', { email: ada.email, password: newPassword })
  expect(await read(ada, here, '?action=person.password_changed')).toMatchObject([
    { action: 'person.password_changed', actor: 'member', actor_name: 'Ada', ip: ada.ip },
  ])
})

test('owners and admins can read the audit log; other roles and keys cannot', async () => {
  const ada = await signUp(api)
  const here = await openNewAccount(ada)
  const may: Record<Role, number> = { owner: 200, admin: 200, developer: 403, marketer: 403, viewer: 403 }
  for (const [role, status] of Object.entries(may) as [Role, number][]) {
    const person = await signUp(api)
    await addMember(api, here['probity-account'], person, role)
    expect([role, (await person.get('/audit-log', here)).status]).toEqual([role, status])
  }
  const outsider = await signUp(api)
  expect((await outsider.get('/audit-log', here)).status).toBe(404)
  const program = await api.openCaller()
  expect((await program.call({ method: 'GET', url: '/api/v1/audit-log' })).status).toBe(404)
})

test('pages, filters and the export agree, and entries of other accounts are not visible', async () => {
  const ada = await signUp(api)
  const here = await openNewAccount(ada, '=Engines')
  for (const name of ['One', 'Two', 'Three']) {
    await ada.post('/keys', { name, livemode: true, scopes: ['validations:write'] }, here)
  }
  expect((await ada.get('/audit-log?limit=2&skip=1', here)).body).toMatchObject({
    total: 5,
    entries: [{ subject_name: 'Two' }, { subject_name: 'One' }],
  })
  expect(await read(ada, here, '?action=key&by=ADA')).toHaveLength(3)
  expect(await read(ada, here, '?by=another-user')).toEqual([])
  expect((await ada.get('/audit-log?action=DROP', here)).status).toBe(400)

  const { headers, text } = await ada.get('/audit-log?format=csv&action=key', here)
  expect(headers['content-disposition']).toBe('attachment; filename="audit-log.csv"')
  const rows = parse(text, { columns: true }) as Record<string, string>[]
  expect(rows.map((row) => row['subject_name'])).toEqual(['Three', 'Two', 'One'])
  const whole = parse((await ada.get('/audit-log?format=csv', here)).text, { columns: true }) as Record<
    string,
    string
  >[]
  // A name that starts like a formula is escaped for spreadsheets.
  expect(whole.at(-1)?.['subject_name']).toBe("'=Engines")

  const eve = await signUp(api)
  const elsewhere = await openNewAccount(eve)
  const all = await read(eve, elsewhere)
  expect(all.every(({ actor_name, ip }) => actor_name === 'Ada' && ip === eve.ip)).toBe(true)
  expect(all).toHaveLength(2)
})
