import { auditBooks } from '@probity/database/audit'
import type { Services } from '../services.ts'
import { startRounds } from './rounds.ts'

const EVERY_MS = 60_000
/** Of one round; whoever wants them all asks for them with the operator's command. */
const LOGGED_MAX = 100

/** Audits the books once, if nobody else is at it. What does not add up is logged without anybody's address. */
export async function audit({ db, log, meters }: Pick<Services, 'db' | 'log' | 'meters'>): Promise<void> {
  const audited = await auditBooks(db)
  if (audited === undefined) return
  meters.audited(audited.faults.length)
  for (const { accountId, ...fault } of audited.faults.slice(0, LOGGED_MAX)) {
    log.error({ account: accountId, ...fault }, 'the books do not add up')
  }
  for (const account of audited.stopped) log.error({ account }, 'charging stopped')
}

/** Every minute. Any number of workers may: one works and the others find nothing to do. */
export function startAuditing(services: Pick<Services, 'db' | 'log' | 'meters'>) {
  return startRounds(EVERY_MS, () => audit(services), { log: services.log, name: 'auditing' })
}
