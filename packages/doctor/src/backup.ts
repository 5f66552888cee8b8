import type { Finding } from '@probity/contract/doctor'
import { findNewestBackup } from '@probity/database/backups'
import { fail, guard, pass, warn } from './finding.ts'
import type { Patient } from './patient.ts'

const HOUR_MS = 3_600_000
/** A daily one that is two hours late, and one that nobody has missed for a week. */
const LATE_MS = 26 * HOUR_MS
const OLD_MS = 7 * 24 * HOUR_MS

const COMMAND = 'pnpm admin backup /var/backups/probity --keep 14'

/** How old the newest backup is that was made by our own command. Those made otherwise are not known here. */
export function examineBackups({ db, now }: Pick<Patient, 'db' | 'now'>): Promise<Finding[]> {
  return guard(['backup-age'], async () => {
    const newest = await findNewestBackup(db)
    const says = 'Make one, and put the line into a timer that runs every night. Copy the folder to another machine.'
    const lines = [COMMAND, `0 2 * * * ${COMMAND}`]
    if (newest === undefined) {
      const saw = 'No backup was ever made with "pnpm admin backup". Others are not known here.'
      return [warn('backup-age', { saw, says, lines })]
    }
    const ageMs = now() - newest.getTime()
    const saw = `The newest was made ${describeAge(ageMs)} ago, at ${newest.toISOString()}.`
    if (ageMs > OLD_MS) return [fail('backup-age', { saw, says, lines })]
    return [ageMs > LATE_MS ? warn('backup-age', { saw, says, lines }) : pass('backup-age', { saw })]
  })
}

function describeAge(ageMs: number): string {
  const hours = Math.max(0, Math.floor(ageMs / HOUR_MS))
  return hours < 48 ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : `${Math.floor(hours / 24)} days`
}
