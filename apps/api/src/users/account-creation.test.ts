import { randomUUID } from 'node:crypto'
import { postCredits } from '@probity/database/billing/ledger'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addMember, openNewAccount, PASSWORD, type SignedIn, signUp, startUsersApi } from '../testing/test-browser.ts'
import { signUpOperator } from '../testing/test-operator.ts'

const OPENING = 50
const api = await startUsersApi({ config: { opening: { plan: 'payg', credits: OPENING } } })

/** Creates an account and returns the credits that it begins with. */
async function openAndCount(user: SignedIn, name = 'Engines') {
  const account = await openNewAccount(user, name)
  const { body } = await user.get('/account', account)
  return { account, credits: (body['credits'] as { available: number }).available }
}

type Account = { 'probity-account': string }

async function spendAll({ 'probity-account': accountId }: Account): Promise<void> {
  const charge = { kind: 'charge', credits: OPENING, subject: randomUUID() } as const
  const posting = await inTenant(api.db, accountId, (trx) => postCredits(trx, charge))
  expect(posting).toMatchObject({ kind: 'posted', available: 0 })
}

async function deleteAccount(owner: SignedIn, account: Account): Promise<void> {
  expect((await owner.post('/deletion', { name: 'Engines', password: PASSWORD }, account)).status).toBe(204)
}

async function deleteUser({ personId }: SignedIn): Promise<void> {
  await asOwner(api.db, (trx) => sql`delete from users where id = ${personId}`.execute(trx))
}

test('open, spend, delete and open again grants the opening credits once', async () => {
  const ada = await signUp(api)
  for (const expected of [OPENING, 0, 0]) {
    const { account, credits } = await openAndCount(ada)
    expect(credits).toBe(expected)
    if (expected > 0) await spendAll(account)
    await deleteAccount(ada, account)
  }
})

test('a user who hands the account to another user gets no second grant', async () => {
  const [ada, eve] = [await signUp(api), await signUp(api)]
  const { account } = await openAndCount(ada)
  await addMember(api, account['probity-account'], eve, 'owner')
  const left = await ada.post('/auth/organization/leave', { organizationId: account['probity-account'] })
  expect(left.status).toBe(200)
  expect((await openAndCount(ada)).credits).toBe(0)
})

test('a user who deletes the login and signs up again is recognized by the address', async () => {
  const name = `grace-${randomUUID().slice(0, 8)}`
  const grants = [
    [`${name}@example.com`, OPENING],
    [`${name}@example.com`, 0],
    [`${name}+two@example.com`, 0],
    [`${name}-other@example.com`, OPENING],
  ] as const
  for (const [email, expected] of grants) {
    const user = await signUp(api, email)
    const { account, credits } = await openAndCount(user)
    expect([email, credits]).toEqual([email, expected])
    await deleteAccount(user, account)
    await deleteUser(user)
  }
})

test('two accounts created at once by one user get one grant', async () => {
  const ada = await signUp(api)
  const both = await Promise.all([openAndCount(ada, 'One'), openAndCount(ada, 'Two')])
  expect(both.map(({ credits }) => credits).toSorted((a, b) => a - b)).toEqual([0, OPENING])
})

test('the grant is remembered without the address', async () => {
  const email = `visible-${randomUUID()}@example.com`
  await openAndCount(await signUp(api, email))
  const { rows } = await asOwner(api.db, (trx) =>
    sql<{ row: string }>`select g::text as row from opening_grants g`.execute(trx),
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain('visible')
  const plain = await asOwner(api.db, (trx) =>
    sql`select from opening_grants where address_hash = sha256(convert_to(${email}, 'utf8'))`.execute(trx),
  )
  expect(plain.rows).toEqual([])
})

test('if operators create accounts, no other user can', async () => {
  const closed = await startUsersApi({ config: { accountCreation: 'operators' } })
  const [viewer, operator] = [await signUp(closed), await signUpOperator(closed)]
  const refused = await viewer.post('/accounts', { name: 'Mine' })
  expect([refused.status, refused.body['code']]).toEqual([403, 'account_creation_closed'])
  expect((await viewer.get('/session')).body['person']).toMatchObject({ may_create_accounts: false })
  expect((await operator.get('/session')).body['person']).toMatchObject({ may_create_accounts: true })
  expect((await operator.post('/accounts', { name: 'Theirs' })).status).toBe(201)
})
