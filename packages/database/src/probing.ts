import type { Probing } from '@probity/contract/probing'
import { sql } from 'kysely'
import { asNobody, type Db } from './connect.ts'

/** Whether some worker that lives can ask mail servers, and if none can, why. Undefined where none lives; `except` is not counted. */
export async function findProbing(db: Db, except: string | null = null): Promise<Probing | undefined> {
  const { rows } = await asNobody(db, (trx) => sql<Probing>`select * from find_probing(${except})`.execute(trx))
  return rows[0]
}

/** The same for whoever is told what they will get. Nothing is held against mail servers while no worker says so. */
export async function getProbing(db: Db): Promise<Probing> {
  return (await findProbing(db)) ?? { mode: 'smtp', reason: null }
}
