import { asOwner } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import type { TestApi } from './test-api.ts'
import { type SignedIn, signUp } from './test-browser.ts'

/** Signs up a user who is an operator with 2FA. */
export async function signUpOperator(api: TestApi): Promise<SignedIn> {
  const operator = await signUp(api)
  await asOwner(api.db, (trx) => sql`update users set is_operator = true where id = ${operator.personId}`.execute(trx))
  return operator
}
