import { startInterval } from '@probity/concurrency/scheduling'
import { reconcileLedger } from '@probity/database/billing/reconciliation'
import type { Services } from '../server/services.ts'

const EVERY_MS = 60_000
/** Limit per run; `pnpm admin audit` lists all mismatches. */
const LOGGED_MAX = 100

/** Reconciles the ledger once, unless another worker does. Mismatches are logged without addresses. */
export async function audit({ db, log, meters }: Pick<Services, 'db' | 'log' | 'meters'>): Promise<void> {
  const audited = await reconcileLedger(db)
  if (audited === undefined) return
  meters.reconciled(audited.faults.length)
  for (const { accountId, ...fault } of audited.faults.slice(0, LOGGED_MAX)) {
    log.error({ account: accountId, ...fault }, 'ledger mismatch')
  }
  for (const account of audited.stopped) log.error({ account }, 'account put on hold: ledger mismatch')
}

/** Every minute. Any number of workers may: one works and the others find nothing to do. */
export function startAuditing(services: Pick<Services, 'db' | 'log' | 'meters'>) {
  return startInterval(EVERY_MS, () => audit(services), {
    onError: (error) => services.log.warn({ err: error }, 'ledger reconciliation failed; retrying'),
  })
}
