import { createSecretKey, type KeyObject } from 'node:crypto'
import { asNobody, type Db } from './connect.ts'

/** A secret of this installation, made by the migrations. */
export async function getSecret(db: Db, name: 'recent_results' | 'sessions' | 'doctor'): Promise<KeyObject> {
  const row = await asNobody(db, (trx) =>
    trx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow(),
  )
  return createSecretKey(row.value)
}
