import { randomBytes, randomUUID } from 'node:crypto'
import { openPasswords } from '@probity/api/users/sign-in/passwords'
import { listAccounts } from '@probity/database/accounts/accounts'
import { asOwner, type Db } from '@probity/database/connection/connect'
import { claimSetup, replaceSetupToken } from '@probity/database/users/users'

/** A user of demo data, who is the operator and owns the account. The password is random. */
export type DemoUser = { email: string; password: string }

const USER = { name: 'Ada Lovelace', email: 'ada@example.com', organisation: 'Analytical Engines' }

/**
 * Claims the installation as the setup page does, and grants its account credits, so that the pages show realistic
 * data.
 */
export async function createUser(db: Db): Promise<{ accountId: string; user: DemoUser }> {
  const password = randomBytes(12).toString('base64url')
  const passwordHash = await openPasswords().hash(password)
  const token = randomUUID()
  await asOwner(db, (trx) => replaceSetupToken(trx, token))
  await claimSetup(db, token, { ...USER, passwordHash })
  return asOwner(db, async (trx) => {
    const account = (await listAccounts(trx)).find(({ name }) => name === USER.organisation)
    if (account === undefined) throw new Error('the setup created no account')
    await trx.updateTable('accounts').set({ unlimited: false }).where('id', '=', account.id).execute()
    return { accountId: account.id, user: { email: USER.email, password } }
  })
}
