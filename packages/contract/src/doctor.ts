import type { Static } from 'typebox'
import Type from 'typebox'
import { DOCTOR_CHECKS, DOCTOR_GROUPS, type DoctorCheckId } from './data/doctor-checks.ts'
import { nullableString } from './nullable.ts'

/** Most severe first. `unknown`: the check could not run, which counts neither as a pass nor as a failure. */
export const DOCTOR_STATUSES = ['fail', 'warn', 'unknown', 'pass'] as const
export type DoctorStatus = (typeof DOCTOR_STATUSES)[number]

/** The fix: a sentence, and the commands, settings or DNS records to apply, with the real names. */
export type DoctorFix = Static<typeof DoctorFix>
export const DoctorFix = Type.Object({ says: Type.String(), lines: Type.Array(Type.String()) })

/** The finding of one check about one subject, such as an egress, a resolver or a folder; `''` if there is only one subject. */
export type Finding = {
  check: DoctorCheckId
  subject: string
  status: DoctorStatus
  saw: string
  fix: DoctorFix | null
}

const time = Type.String({ format: 'date-time' })

/** A finding with the title, reason and docs link of its check. */
export type DoctorFinding = Static<typeof DoctorFinding>
export const DoctorFinding = Type.Object({
  id: Type.String(),
  group: Type.Enum([...DOCTOR_GROUPS], { type: 'string' }),
  title: Type.String(),
  subject: Type.String(),
  status: Type.Enum([...DOCTOR_STATUSES], { type: 'string' }),
  saw: Type.String(),
  why: Type.String(),
  fix: Type.Union([DoctorFix, Type.Null()]),
  docs: Type.String(),
})

/** A stored finding: the host that checked, the time of the check, and since when the status has been the same. */
export type KeptFinding = Static<typeof KeptFinding>
export const KeptFinding = Type.Object({
  ...DoctorFinding.properties,
  /** The host that ran the check; null for a check of the whole installation. */
  host: nullableString({}),
  checked_at: time,
  since_at: time,
})

export type DoctorReport = Static<typeof DoctorReport>
export const DoctorReport = Type.Object({
  /** Most severe first. */
  findings: Type.Array(KeptFinding),
  /** Whether a run that an operator requested is pending. */
  run_requested: Type.Boolean(),
})

/** Adds the texts of the check to a finding. */
export function describeFinding({ check, subject, status, saw, fix }: Finding): DoctorFinding {
  const { group, title, why } = DOCTOR_CHECKS[check]
  return { id: check, group, title, subject, status, saw, why, fix, docs: `/docs/doctor#${check}` }
}

const CHECK_ORDER = Object.keys(DOCTOR_CHECKS)

/** Most severe first, then in the order of the table, so that reports are stable. */
export function worstFirst<T extends { id: string; status: DoctorStatus; subject: string }>(findings: T[]): T[] {
  return findings.toSorted(
    (a, b) =>
      DOCTOR_STATUSES.indexOf(a.status) - DOCTOR_STATUSES.indexOf(b.status) ||
      CHECK_ORDER.indexOf(a.id) - CHECK_ORDER.indexOf(b.id) ||
      a.subject.localeCompare(b.subject, 'en'),
  )
}

export function isDoctorCheck(id: string): id is DoctorCheckId {
  return Object.hasOwn(DOCTOR_CHECKS, id)
}
