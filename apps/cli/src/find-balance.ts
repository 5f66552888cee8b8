import type { Probity } from '@probity/sdk'
import type { Price } from './consent.ts'
import { isProblem } from './is-problem.ts'
import type { Run } from './run.ts'

/** What the account has, as far as the key may see it. */
export async function findBalance({ signal }: Run, client: Probity): Promise<Pick<Price, 'available' | 'unlimited'>> {
  try {
    const { credits } = await client.account.get({ signal })
    return { available: credits.available, unlimited: credits.unlimited }
  } catch (error) {
    if (isProblem(error, 'missing_scope') || isProblem(error, 'key_type_not_allowed'))
      return { available: undefined, unlimited: false }
    throw error
  }
}
