import { type LedgerMismatch, listLedgerMismatches, resumeCharging } from '@probity/database/billing/reconciliation'
import { asOwner, type Db } from '@probity/database/connection/connect'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'
import { getAccountOrRefuse } from './account.ts'

type Options = { resume?: string }

/** Reconciles the complete ledger of all accounts. Workers reconcile recent transactions only. */
export function auditCommand(config: AdminConfig): Command {
  return new Command('audit')
    .description('Reconcile the ledger and list mismatches. Exits with 1 if there are any.')
    .option('--resume <account>', 'end the hold of an account if its ledger has no mismatch')
    .action(async ({ resume }: Options) => {
      let faults: LedgerMismatch[] = []
      await withDatabase(config, async (db) => {
        faults = resume === undefined ? await listAll(db) : await resumeAccount(db, resume)
        return { faults: faults.map(present) }
      })
      if (faults.length > 0) throw new Refusal('Ledger mismatch.')
    })
}

function listAll(db: Db): Promise<LedgerMismatch[]> {
  return asOwner(db, (trx) => listLedgerMismatches(trx, { all: true }))
}

async function resumeAccount(db: Db, accountId: string): Promise<LedgerMismatch[]> {
  await getAccountOrRefuse(db, accountId)
  return asOwner(db, (trx) => resumeCharging(trx, accountId))
}

function present({ accountId, kind, subject, expected, found }: LedgerMismatch) {
  return { account: accountId, kind, subject, expected, found }
}
