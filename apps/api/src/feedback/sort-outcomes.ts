import { isMailboxBounce } from '@probity/contract/constants/feedback'
import type { ReportedMessage } from '@probity/contract/schemas/feedback'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { parseAddress } from '@probity/engine/address/parse'
import { looksMachineGenerated, plausibilityOf } from '@probity/engine/address/plausibility'
import { SHAPES, shapeOf } from '@probity/engine/address/shape'
import { storable } from '../http/text.ts'

/** One address of a report and what became of mail to it. */
export type SortedOutcome = {
  email: string
  emailKey: string
  domain: string
  shape: number
  looksMachine: boolean
  outcome: 'delivered' | 'bounced'
  id: string | undefined
}

export type SortedReport = {
  /** Those that can count, each address once. */
  outcomes: SortedOutcome[]
  /** Addresses of which a bounce was reported, whether it counts or not. */
  bouncedCount: number
  left: { duplicate: number; notAMailboxBounce: number; notAnAddress: number }
}

/** Leaves out what says nothing of a mailbox. Of an address that was delivered to and bounced the bounce counts: it came later. */
export function sortOutcomes(reported: ReportedMessage[]): SortedReport {
  const sorted = new Map<string, SortedOutcome>()
  const bounced = new Set<string>()
  const left = { duplicate: 0, notAMailboxBounce: 0, notAnAddress: 0 }
  for (const { email, delivery: outcome, code, id } of reported) {
    const address = parseAddress(email)
    if (address.kind === 'malformed') {
      left.notAnAddress++
      continue
    }
    const emailKey = dedupeKey(storable(email))
    if (outcome === 'bounced') bounced.add(emailKey)
    if (outcome === 'bounced' && !isMailboxBounce(code)) {
      left.notAMailboxBounce++
      continue
    }
    const earlier = sorted.get(emailKey)
    if (earlier) left.duplicate++
    if (earlier?.outcome === 'bounced') continue
    sorted.set(emailKey, { email, emailKey, ...placeOf(emailKey), outcome, id: id ?? earlier?.id })
  }
  return { outcomes: [...sorted.values()], bouncedCount: bounced.size, left }
}

/** By the key, in which the domain is in A-labels and the local part in lower case. */
function placeOf(emailKey: string): Pick<SortedOutcome, 'domain' | 'shape' | 'looksMachine'> {
  const at = emailKey.lastIndexOf('@')
  const local = emailKey.slice(0, at)
  const looksMachine = looksMachineGenerated(plausibilityOf(local))
  return { domain: emailKey.slice(at + 1), shape: SHAPES.indexOf(shapeOf(local)), looksMachine }
}
