import { randomUUID } from 'node:crypto'
import { isWellFormedKey } from '@probity/contract/constants/keys'
import { findAuthKey, hashKey } from '@probity/database/accounts/keys'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { db, url } = await createTestDatabase()
const run = (...args: string[]) => runAdmin(url, 'key', ...args)

type Made = { id: string; key: string }

test('key create prints a new key once and stores its hash', async () => {
  const { id: account } = await openTestAccount(db, 0)
  const made = resultOf(await run('create', '--account', account, '--name', 'Shop', '--mode', 'live'))
  expect(made).toMatchObject({ account_id: account, name: 'Shop', livemode: true, revoked_at: null })
  expect(made['scopes']).not.toContain('keys:read')

  const text = String(made['key'])
  expect(isWellFormedKey(text)).toBe(true)
  expect(text).toMatch(/^pb_live_/)
  expect(await findAuthKey(db, hashKey(text))).toMatchObject({ id: made['id'], accountId: account, mode: 'live' })

  const listed = await run('list', '--account', account)
  const { key: _, ...shown } = made
  expect(resultOf(listed)).toEqual([shown])
  expect(shown).toMatchObject({ hint: `pb_live_…${text.slice(-4)}` })
  expect(listed.stdout).not.toContain(text.slice('pb_live_'.length, -4))
  expect(listed.stdout).not.toContain(hashKey(text).toString('hex'))
})

test('key create --mode test creates a test key with the given scopes', async () => {
  const { id: account } = await openTestAccount(db, 0)
  const args = ['--account', account, '--name', 'Sandbox', '--mode', 'test', '--scopes', 'jobs:write, keys:write']
  const made = resultOf(await run('create', ...args))
  expect(made).toMatchObject({
    livemode: false,
    scopes: ['jobs:read', 'jobs:write', 'keys:read', 'keys:write'],
    key: expect.stringMatching(/^pb_test_/),
  })
})

test('key revoke is permanent and idempotent', async () => {
  const { id: account } = await openTestAccount(db, 0)
  const { id, key } = resultOf<Made>(await run('create', '--account', account, '--name', 'Old'))
  const first = resultOf(await run('revoke', '--account', account, '--key', id))
  expect(first).toMatchObject({ id, revoked_at: expect.any(String) })
  expect(await findAuthKey(db, hashKey(key))).toMatchObject({ revokedAt: expect.any(Date) })
  expect(resultOf(await run('revoke', '--account', account, '--key', id))).toEqual(first)
})

test('key revoke rejects a key of another account', async () => {
  const [owner, other] = [await openTestAccount(db, 0), await openTestAccount(db, 0)]
  const { id, key } = resultOf<Made>(await run('create', '--account', owner.id, '--name', 'Mine'))
  expect(refusalOf(await run('revoke', '--account', other.id, '--key', id))).toMatch(/no key with this id/)
  expect(await findAuthKey(db, hashKey(key))).toMatchObject({ revokedAt: null })
})

const UNKNOWN_ID = randomUUID()
const MISTAKES: [string, string[], RegExp][] = [
  ['a key for an unknown account', ['create', '--account', UNKNOWN_ID, '--name', 'N'], /Account not found/],
  ['the keys of an invalid account id', ['list', '--account', 'acme'], /Invalid id/],
  ['a key of an unknown account', ['revoke', '--account', UNKNOWN_ID, '--key', UNKNOWN_ID], /Account not found/],
  [
    'an unknown scope',
    ['create', '--account', UNKNOWN_ID, '--name', 'N', '--scopes', 'all'],
    /validations:read, validations:write, jobs:read, jobs:write/,
  ],
]

test.for(MISTAKES)('key rejects %s with a one-line error', async ([, args, said]) => {
  expect(refusalOf(await run(...args))).toMatch(said)
})

test('key rejects an invalid id and an empty name with a one-line error', async () => {
  const { id: account } = await openTestAccount(db, 0)
  expect(refusalOf(await run('revoke', '--account', account, '--key', 'first'))).toMatch(/Invalid id/)
  expect(refusalOf(await run('create', '--account', account, '--name', ''))).toMatch(/1 to 100 characters/)
})
