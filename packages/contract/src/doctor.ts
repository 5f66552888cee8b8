import type { Static } from 'typebox'
import Type from 'typebox'
import { DOCTOR_CHECKS, DOCTOR_GROUPS, type DoctorCheckId } from './data/doctor-checks.ts'
import { nullableString } from './nullable.ts'

/** The worst first. `unknown` is what could not be looked at, which is neither good nor bad news. */
export const DOCTOR_STATUSES = ['fail', 'warn', 'unknown', 'pass'] as const
export type DoctorStatus = (typeof DOCTOR_STATUSES)[number]

/** What to do: a sentence, and the lines to type, to set or to put into DNS, with the real names in them. */
export type DoctorFix = Static<typeof DoctorFix>
export const DoctorFix = Type.Object({ says: Type.String(), lines: Type.Array(Type.String()) })

/** What was found by one check about one thing, such as a way out, a resolver or a folder; `''` where there is only one. */
export type Finding = {
  check: DoctorCheckId
  subject: string
  status: DoctorStatus
  saw: string
  fix: DoctorFix | null
}

const time = Type.String({ format: 'date-time' })

/** A finding with all that a reader needs beside it. */
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
  /** The host that looked; null for what is the same whoever looks. */
  host: nullableString({}),
  checked_at: time,
  since_at: time,
})

export type DoctorReport = Static<typeof DoctorReport>
export const DoctorReport = Type.Object({
  /** The worst first. */
  findings: Type.Array(KeptFinding),
  /** Whether an operator asked for another look that no worker has finished yet. */
  wanted: Type.Boolean(),
})

/** Puts beside a finding what is the same for every finding of its check. */
export function describeFinding({ check, subject, status, saw, fix }: Finding): DoctorFinding {
  const { group, title, why } = DOCTOR_CHECKS[check]
  return { id: check, group, title, subject, status, saw, why, fix, docs: `/docs/doctor#${check}` }
}

const CHECK_ORDER = Object.keys(DOCTOR_CHECKS)

/** The worst first; among equals in the order of the table, so that a report reads the same each time. */
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
