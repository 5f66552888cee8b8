import { type AuditFault, listAuditFaults, resumeCharging } from '@probity/database/audit'
import { asOwner, type Db } from '@probity/database/connect'
import { Command } from 'commander'
import type { AdminConfig } from '../config.ts'
import { withDatabase } from '../database.ts'
import { Refusal } from '../refusal.ts'
import { getAccountOrRefuse } from './account.ts'

type Options = { resume?: string }

/** Whether the books add up. Those of all accounts, from the first movement on: the workers look at what moved only. */
export function auditCommand(config: AdminConfig): Command {
  return new Command('audit')
    .description('List every place where the books do not add up. Exits with 1 where there is any.')
    .option('--resume <account>', 'let an account be charged again, if its books add up')
    .action(async ({ resume }: Options) => {
      let faults: AuditFault[] = []
      await withDatabase(config, async (db) => {
        faults = resume === undefined ? await listAll(db) : await resumeAccount(db, resume)
        return { faults: faults.map(present) }
      })
      if (faults.length > 0) throw new Refusal('The books do not add up.')
    })
}

function listAll(db: Db): Promise<AuditFault[]> {
  return asOwner(db, (trx) => listAuditFaults(trx, { all: true }))
}

async function resumeAccount(db: Db, accountId: string): Promise<AuditFault[]> {
  await getAccountOrRefuse(db, accountId)
  return asOwner(db, (trx) => resumeCharging(trx, accountId))
}

function present({ accountId, kind, subject, expected, found }: AuditFault) {
  return { account: accountId, kind, subject, expected, found }
}
