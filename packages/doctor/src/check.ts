import type { DoctorCheckId } from '@probity/contract/constants/data/doctor-checks'
import type { DoctorFix, DoctorStatus, Finding } from '@probity/contract/constants/operators'
import type { Db } from '@probity/database/connection/connect'
import type { ResolverNames } from '@probity/engine/domain/data/known-domains'
import type { ReferenceHost } from '@probity/engine/smtp/probe/data/reference-hosts'
import type { AddressPolicy } from '@probity/engine/smtp/protocol/address-policy'
import type { Egress } from '@probity/engine/smtp/protocol/dial'
import type { Redis } from 'ioredis'
import type { Blocklist } from './data/blocklists.ts'

/** The installation to check, and the resources that the checks use. */
export type CheckContext = {
  db: Db
  redis: Redis
  /** The resolvers of the workers on this host, as address or address:port. */
  dnsServers: string[]
  /** The names that a resolver is checked with. */
  resolverNames: ResolverNames
  egresses: Egress[]
  /** Which addresses may be dialed; those that it allows also count as public. */
  policy: AddressPolicy
  uploadsFolder: string
  /** The data folder of PostgreSQL, if it is on this host and known. */
  databaseFolder?: string | undefined
  publicUrl: string | undefined
  /** The providers whose greetings are read, and the DNSBLs that are queried for the egress IPs. */
  referenceHosts: ReferenceHost[]
  blocklists: Blocklist[]
  /** This host's clock. */
  now(): number
}

type FindingText = { subject?: string; saw: string; says?: string; lines?: string[] }

export function pass(check: DoctorCheckId, text: FindingText): Finding {
  return make(check, 'pass', text)
}

export function warn(check: DoctorCheckId, text: FindingText): Finding {
  return make(check, 'warn', text)
}

export function fail(check: DoctorCheckId, text: FindingText): Finding {
  return make(check, 'fail', text)
}

/** The check could not run. This counts neither as a pass nor as a failure. */
export function unknown(check: DoctorCheckId, text: FindingText): Finding {
  return make(check, 'unknown', text)
}

function make(
  check: DoctorCheckId,
  status: DoctorStatus,
  { subject = '', saw, says, lines = [] }: FindingText,
): Finding {
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
