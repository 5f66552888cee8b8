import type { DoctorCheckId } from '@probity/contract/constants/data/doctor-checks'
import type { DoctorFix, DoctorStatus, Finding } from '@probity/contract/constants/operators'

type Told = { subject?: string; saw: string; says?: string; lines?: string[] }

export function pass(check: DoctorCheckId, told: Told): Finding {
  return make(check, 'pass', told)
}

export function warn(check: DoctorCheckId, told: Told): Finding {
  return make(check, 'warn', told)
}

export function fail(check: DoctorCheckId, told: Told): Finding {
  return make(check, 'fail', told)
}

/** The check could not run. This counts neither as a pass nor as a failure. */
export function unknown(check: DoctorCheckId, told: Told): Finding {
  return make(check, 'unknown', told)
}

function make(check: DoctorCheckId, status: DoctorStatus, { subject = '', saw, says, lines = [] }: Told): Finding {
  const fix: DoctorFix | null = says === undefined ? null : { says, lines: lines.map(legible) }
  return { check, subject: legible(subject), status, saw: legible(saw), fix }
}

const TEXT_LENGTH_MAX = 2_000

/** Names and replies are untrusted: control characters are removed and the length is limited. */
function legible(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').slice(0, TEXT_LENGTH_MAX)
}

/** Runs a part of the checks. If it throws, each of its checks is reported as `unknown`, and other parts continue. */
export async function guard(checks: DoctorCheckId[], look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    // Any error must not stop the other checks; its reason is shown unchanged.
    const saw = `Check could not run: ${reasonOf(error)}.`
    return checks.map((check) => unknown(check, { saw }))
  }
}

const REASON_LENGTH_MAX = 200

export function reasonOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown }
  if (cause !== undefined) return reasonOf(cause)
  return (message || code || String(error)).replace(/\.$/, '').slice(0, REASON_LENGTH_MAX)
}
