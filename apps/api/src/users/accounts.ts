import { createHmac, type KeyObject } from 'node:crypto'
import { CreateAccount, CreatedAccount } from '@probity/contract/schemas/users'
import type { Db } from '@probity/database/connection/connect'
import { cacheSecret } from '@probity/database/system/processes'
import { createAccount, listMemberships, type User } from '@probity/database/users/users'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { parseAddress } from '@probity/engine/address/parse'
import type { Admission } from '@probity/redis/admission'
import { found, Problem } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { requireUser } from '../middleware/authentication/session.ts'
import { limitUser } from '../middleware/rate-limit/user-limits.ts'
import type { UserServices } from './users.ts'

/** Whether a user can create accounts (setting ACCOUNT_CREATION). */
export function mayCreateAccounts(
  { accountCreation }: Pick<UserServices, 'accountCreation'>,
  { isOperator }: Pick<User, 'isOperator'>,
): boolean {
  return accountCreation === 'users' || isOperator
}

/** Domains that ignore dots in local parts and deliver to the same mailboxes. */
const GMAIL_DOMAINS = new Set(['gmail.com', 'googlemail.com'])

/**
 * A keyed hash by which the mailbox of a user is recognized without storing the address. Spellings of one mailbox have one hash: letter
 * case, a tag (`ada+1@…`), and for Gmail dots and the second domain name do not matter.
 */
export function hashMailbox(email: string, secret: KeyObject): Buffer {
  return createHmac('sha256', secret).update(normalizeMailbox(email)).digest()
}

function normalizeMailbox(email: string): string {
  const key = dedupeKey(email)
  const address = parseAddress(key)
  if (address.kind !== 'address') return key
  const at = key.lastIndexOf('@')
  const domain = key.slice(at + 1)
  const local = key.slice(0, at)
  const mailbox = address.tag === null ? local : local.slice(0, local.indexOf('+'))
  return GMAIL_DOMAINS.has(domain) ? `${mailbox.replaceAll('.', '')}@gmail.com` : `${mailbox}@${domain}`
}

type AccountsDependencies = {
  db: Db
  admission: Admission
  people: UserServices
}

/** Creates an account for a signed-in user. */
export const createAccountRoute: Route<AccountsDependencies> = async (app, services) => {
  const { db, people } = services
  const secret = cacheSecret(db, 'opening_grants')
  const schema = { body: CreateAccount, response: { 201: CreatedAccount } }
  app.post('/accounts', { schema, onRequest: requireUser(services) }, async (request, reply) => {
    await limitUser(services, request, 'plain')
    const person = request.person as User
    if (!mayCreateAccounts(people, person)) throw new Problem('account_creation_closed')
    const { userId, email } = person
    const creator = { userId, addressHash: hashMailbox(email, await secret()) }
    const accountId = await createAccount(db, creator, request.body.name, people.opening)
    if (accountId === undefined) throw new Problem('too_many_accounts')
    const made = found((await listMemberships(db, userId)).find((one) => one.accountId === accountId))
    return reply.code(201).send({ account_id: accountId, slug: made.slug, name: made.name, role: made.role })
  })
}
