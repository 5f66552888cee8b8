import type { Finding } from '@probity/contract/constants/operators'
import { findNewestBackup } from '@probity/database/system/backups'
import { fail, guard, pass, warn } from './finding.ts'
import type { Patient } from './patient.ts'

const HOUR_MS = 3_600_000
/** A daily backup that is two hours late; a backup that has been missing for a week. */
const LATE_MS = 26 * HOUR_MS
const OLD_MS = 7 * 24 * HOUR_MS

const COMMAND = 'pnpm admin backup /var/backups/probity --keep 14'

/** Checks the age of the newest `pnpm admin backup`. Backups made with other tools are not detected. */
export function examineBackups({ db, now }: Pick<Patient, 'db' | 'now'>): Promise<Finding[]> {
  return guard(['backup-age'], async () => {
    const newest = await findNewestBackup(db)
    const says = 'Create a backup, schedule the command to run every night, and copy the folder to another machine.'
    const lines = [COMMAND, `0 2 * * * ${COMMAND}`]
    if (newest === undefined) {
      const saw = 'No backup was created with "pnpm admin backup". Backups made with other tools are not detected.'
      return [warn('backup-age', { saw, says, lines })]
    }
    const ageMs = now() - newest.getTime()
    const saw = `The newest backup was created ${describeAge(ageMs)} ago, at ${newest.toISOString()}.`
    if (ageMs > OLD_MS) return [fail('backup-age', { saw, says, lines })]
    return [ageMs > LATE_MS ? warn('backup-age', { saw, says, lines }) : pass('backup-age', { saw })]
  })
}

function describeAge(ageMs: number): string {
  const hours = Math.max(0, Math.floor(ageMs / HOUR_MS))
  return hours < 48 ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : `${Math.floor(hours / 24)} days`
}
