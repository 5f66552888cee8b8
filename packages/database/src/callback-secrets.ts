import { sql } from 'kysely'
import type { Trx } from './connect.ts'
import type { View } from './view.ts'
import { makeSecret, ROTATION_HOURS } from './webhooks.ts'

/** The secret that signs the callbacks of an account's jobs in one mode. `previousUntil` is set after a rotation. */
export type CallbackSecret = { secret: string; previousUntil: Date | null; createdAt: Date }

/** Returns the secret, and creates it at the first use. */
export async function getCallbackSecret(trx: Trx, { accountId, mode }: View): Promise<CallbackSecret> {
  const secrets = trx.insertInto('callbackSecrets').values({ accountId, mode, secret: makeSecret() })
  await secrets.onConflict((conflict) => conflict.doNothing()).execute()
  return trx
    .selectFrom('callbackSecrets')
    .select(['secret', 'previousUntil', 'createdAt'])
    .where('accountId', '=', accountId)
    .where('mode', '=', mode)
    .executeTakeFirstOrThrow()
}

/** Sets a new secret. The previous one also signs for a day. */
export async function rotateCallbackSecret(trx: Trx, view: View): Promise<CallbackSecret> {
  await getCallbackSecret(trx, view)
  await trx
    .updateTable('callbackSecrets')
    .set((of) => ({
      secret: makeSecret(),
      previousSecret: of.ref('secret'),
      previousUntil: sql<Date>`clock_timestamp() + make_interval(hours => ${ROTATION_HOURS})`,
    }))
    .where('accountId', '=', view.accountId)
    .where('mode', '=', view.mode)
    .execute()
  return getCallbackSecret(trx, view)
}
