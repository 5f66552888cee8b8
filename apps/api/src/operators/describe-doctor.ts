import { DOCTOR_CHECKS } from '@probity/contract/constants/data/doctor-checks'
import { isDoctorCheck } from '@probity/contract/constants/operators'
import type { HealthPart } from '@probity/contract/schemas/operators'
import type { KeptRow } from '@probity/database/operators/doctor'

/** Workers run the doctor once an hour. After two missed runs its findings are out of date. */
const LATE_MS = 2.5 * 3_600_000

/** Summary of the doctor findings. The Doctor page shows all of them. */
export function describeDoctor(findings: KeptRow[], now = Date.now()): HealthPart {
  const name = 'Doctor'
  const newest = Math.max(...findings.map(({ checkedAt }) => checkedAt.getTime()))
  if (findings.length === 0) {
    return {
      name,
      state: 'off',
      detail: 'No findings yet. Workers run the doctor shortly after they start.',
      since_at: null,
    }
  }
  const since = new Date(newest).toISOString()
  if (now - newest > LATE_MS) {
    return {
      name,
      state: 'degraded',
      detail: 'No findings for more than two hours. Workers run the doctor once an hour.',
      since_at: since,
    }
  }
  const failed = findings.filter(({ status }) => status === 'fail').toSorted(byCheck)
  const warned = findings.filter(({ status }) => status === 'warn')
  if (failed.length === 0) {
    const warnings =
      warned.length === 0 ? 'No warnings.' : `${warned.length} ${warned.length === 1 ? 'warning' : 'warnings'}.`
    return { name, state: 'ok', detail: `No failing checks. ${warnings}`, since_at: since }
  }
  const what = failed.map(({ checkId }) => (isDoctorCheck(checkId) ? DOCTOR_CHECKS[checkId].title : checkId))
  const more = what.length > 1 ? ` and ${what.length - 1} more` : ''
  return {
    name,
    state: 'degraded',
    detail: `Failing checks: “${what[0]}”${more}. See the Doctor page for the fix.`,
    since_at: since,
  }
}

const ORDER = Object.keys(DOCTOR_CHECKS)

function byCheck(a: KeptRow, b: KeptRow): number {
  return ORDER.indexOf(a.checkId) - ORDER.indexOf(b.checkId)
}
