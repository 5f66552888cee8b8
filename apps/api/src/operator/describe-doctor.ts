import { DOCTOR_CHECKS } from '@probity/contract/data/doctor-checks'
import { isDoctorCheck } from '@probity/contract/doctor'
import type { HealthPart } from '@probity/contract/operator'
import type { KeptRow } from '@probity/database/findings'

/** A worker looks once an hour; who missed two is not counted on. */
const LATE_MS = 2.5 * 3_600_000

/** What the doctor makes of the installation, in a sentence; all of it is on its own page. */
export function describeDoctor(findings: KeptRow[], now = Date.now()): HealthPart {
  const name = 'Doctor'
  const newest = Math.max(...findings.map(({ checkedAt }) => checkedAt.getTime()))
  if (findings.length === 0) {
    return { name, state: 'off', detail: 'No worker has looked yet. One does so soon after it starts.', since_at: null }
  }
  const since = new Date(newest).toISOString()
  if (now - newest > LATE_MS) {
    return {
      name,
      state: 'degraded',
      detail: 'Nobody has looked for hours. Workers do so once an hour.',
      since_at: since,
    }
  }
  const failed = findings.filter(({ status }) => status === 'fail').toSorted(byCheck)
  const warned = findings.filter(({ status }) => status === 'warn')
  if (failed.length === 0) {
    const rest = warned.length === 0 ? 'It has nothing to say.' : `It has ${counted(warned.length, 'piece')} of advice.`
    return { name, state: 'ok', detail: `Nothing is broken. ${rest}`, since_at: since }
  }
  const what = failed.map(({ checkId }) => (isDoctorCheck(checkId) ? DOCTOR_CHECKS[checkId].title : checkId))
  const more = what.length > 1 ? ` And ${counted(what.length - 1, 'more')}.` : ''
  return {
    name,
    state: 'degraded',
    detail: `Not so: ${what[0]}.${more} The page of the doctor says what to do.`,
    since_at: since,
  }
}

const ORDER = Object.keys(DOCTOR_CHECKS)

function byCheck(a: KeptRow, b: KeptRow): number {
  return ORDER.indexOf(a.checkId) - ORDER.indexOf(b.checkId)
}

function counted(count: number, thing: string): string {
  return thing === 'more' ? `${count} more` : `${count} ${thing}${count === 1 ? '' : 's'}`
}
