import { sql } from 'kysely'
import { type Db, type Trx, withoutTenant } from '../connection/connect.ts'

/** Pauses and limits set by operators. */
export type OperatorControls = {
  providers: { provider: string; pausedAt: Date | null; ratePercent: number }[]
  egresses: { egress: string; drainedAt: Date | null }[]
}

export function readControls(db: Db): Promise<OperatorControls> {
  return withoutTenant(db, listControls)
}

export async function listControls(trx: Trx): Promise<OperatorControls> {
  return {
    providers: await trx
      .selectFrom('providerControls')
      .select(['provider', 'pausedAt', 'ratePercent'])
      .orderBy('provider')
      .execute(),
    egresses: await trx.selectFrom('egressControls').selectAll().orderBy('egress').execute(),
  }
}

export type ProviderWish = { isPaused?: boolean | undefined; ratePercent?: number | undefined }

/** Pauses or resumes a provider, or lowers its rate. As an operator. A call without a change is not recorded. */
export async function controlProvider(
  trx: Trx,
  provider: string,
  { isPaused, ratePercent }: ProviderWish,
): Promise<void> {
  await insertProvider(trx, provider)
  const own = trx.updateTable('providerControls').where('provider', '=', provider)
  if (isPaused === true) await own.set({ pausedAt: sql`clock_timestamp()` }).where('pausedAt', 'is', null).execute()
  if (isPaused === false) await own.set({ pausedAt: null }).execute()
  if (ratePercent !== undefined) await own.set({ ratePercent }).execute()
}

/** Records in the audit log that an operator lifted a provider's suspension. As an operator. */
export async function recordLiftedSuspension(trx: Trx, provider: string): Promise<void> {
  await insertProvider(trx, provider)
  await trx
    .updateTable('providerControls')
    .set({ suspensionLiftedAt: sql`clock_timestamp()` })
    .where('provider', '=', provider)
    .execute()
}

async function insertProvider(trx: Trx, provider: string): Promise<void> {
  await trx
    .insertInto('providerControls')
    .values({ provider })
    .onConflict((row) => row.doNothing())
    .execute()
}

/** Drains an egress, or resumes it. As an operator. */
export async function drainEgress(trx: Trx, egress: string, isDrained: boolean): Promise<void> {
  await trx
    .insertInto('egressControls')
    .values({ egress })
    .onConflict((row) => row.doNothing())
    .execute()
  const own = trx.updateTable('egressControls').where('egress', '=', egress)
  if (isDrained) await own.set({ drainedAt: sql`clock_timestamp()` }).where('drainedAt', 'is', null).execute()
  else await own.set({ drainedAt: null }).execute()
}
