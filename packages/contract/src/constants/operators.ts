import { DOCTOR_CHECKS, type DoctorCheckId } from './data/doctor-checks.ts'

/** State of a part of the installation. `off`: it is not configured. */
export const HEALTH_STATES = ['ok', 'degraded', 'down', 'off'] as const
export type HealthState = (typeof HEALTH_STATES)[number]

/** Actors of audit log entries. */
export const AUDIT_ACTORS = {
  member: 'a member of the account',
  key: 'a program, with an API key',
  operator: 'an operator, on the operator pages',
  command: 'an operator, with an admin command',
  service: 'the service',
} as const satisfies Record<string, string>

export type AuditActor = keyof typeof AUDIT_ACTORS

/**
 * Upper bounds of the latency histogram of mail server replies, in milliseconds; a last bucket counts slower ones. Each bound is twice the
 * previous one, which limits the accuracy of percentiles to that factor.
 */
export const LATENCY_BUCKETS_MS = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600] as const

/** Most severe first. `unknown`: the check could not run, which counts neither as a pass nor as a failure. */
export const DOCTOR_STATUSES = ['fail', 'warn', 'unknown', 'pass'] as const
export type DoctorStatus = (typeof DOCTOR_STATUSES)[number]

/** The fix: a sentence, and the commands, settings or DNS records to apply, with the real names. */
export type DoctorFix = { says: string; lines: string[] }

/** The finding of one check about one subject, such as an egress, a resolver or a folder; `''` if there is only one subject. */
export type Finding = {
  check: DoctorCheckId
  subject: string
  status: DoctorStatus
  saw: string
  fix: DoctorFix | null
}

/** Adds the texts of the check to a finding. */
export function describeFinding({ check, subject, status, saw, fix }: Finding) {
  const { group, title, why } = DOCTOR_CHECKS[check]
  return { id: check, group, title, subject, status, saw, why, fix, docs: `/docs/doctor#${check}` }
}

const CHECK_ORDER = Object.keys(DOCTOR_CHECKS)

/** Most severe first, then in the order of the table, so that reports are stable. */
export function sortBySeverity<T extends { id: string; status: DoctorStatus; subject: string }>(findings: T[]): T[] {
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
