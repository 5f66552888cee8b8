import { sql } from 'kysely'
import { asNobody, type Db } from './connect.ts'

/** Says that this worker lives, and how many batches it works on at once. What it holds is its own for as long as it says so. */
export async function beat(db: Db, workerId: string, slots: number): Promise<void> {
  await asNobody(db, (trx) => sql`select record_heartbeat(${workerId}, ${slots})`.execute(trx))
}

/** Goes in good order: what this worker had begun and not ended is given back. */
export async function leaveWork(db: Db, workerId: string): Promise<void> {
  await asNobody(db, (trx) => sql`select release_claims(${workerId})`.execute(trx))
}
