import { createSecretKey, type KeyObject } from 'node:crypto'
import { asNobody, type Db } from './connect.ts'

type SecretName = 'recent_results' | 'sessions' | 'doctor' | 'opening_grants'

/** A secret of this installation, made by the migrations. */
export async function getSecret(db: Db, name: SecretName): Promise<KeyObject> {
  const row = await asNobody(db, (trx) =>
    trx.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow(),
  )
  return createSecretKey(row.value)
}

/** The same, read from the database once; after a failure the next call reads it again. */
export function cacheSecret(db: Db, name: SecretName): () => Promise<KeyObject> {
  let known: Promise<KeyObject> | undefined
  return () => {
    known ??= getSecret(db, name).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}
