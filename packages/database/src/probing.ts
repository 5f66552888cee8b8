import type { DelayReason } from '@probity/contract/delay'
import type { Probing } from '@probity/contract/probing'
import { sql } from 'kysely'
import { asNobody, type Db, type Trx } from './connect.ts'

/** Whether some worker that lives can ask mail servers, and if none can, why. Undefined where none lives; `except` is not counted. */
export function findProbing(db: Db, except: string | null = null): Promise<Probing | undefined> {
  return asNobody(db, (trx) => find(trx, except))
}

/** The same for whoever is told what they will get. Nothing is held against mail servers while no worker says so. */
export async function getProbing(trx: Trx): Promise<Probing> {
  return (await find(trx, null)) ?? { mode: 'smtp', reason: null }
}

/** Why no account's validations make progress; null while a worker has a heartbeat. */
export async function findDelayReason(trx: Trx): Promise<DelayReason | null> {
  const { rows } = await sql<{ hasWorker: boolean }>`select has_worker()`.execute(trx)
  return rows[0]?.hasWorker ? null : 'no_worker'
}

async function find(trx: Trx, except: string | null): Promise<Probing | undefined> {
  const { rows } = await sql<Probing>`select * from find_probing(${except})`.execute(trx)
  return rows[0]
}
