import { isMailboxBounce } from '@probity/contract/constants/feedback'
import type { ReportedMessage } from '@probity/contract/schemas/feedback'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { parseAddress } from '@probity/engine/address/parse'
import { looksMachineGenerated, plausibilityOf } from '@probity/engine/address/plausibility'
import { SHAPES, shapeOf } from '@probity/engine/address/shape'
import { storable } from '../http/text.ts'

/** One address of a report with its delivery outcome. */
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
  /** Outcomes that can be counted, one per address. */
  outcomes: SortedOutcome[]
  /** Addresses with a reported bounce, counted or not. */
  bouncedCount: number
  left: { duplicate: number; notAMailboxBounce: number; notAnAddress: number }
}

/** Drops outcomes that do not concern the mailbox. For an address with a delivery and a bounce the bounce counts: it came later. */
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

/** From the dedupe key, which has the domain in A-labels and the local part in lower case. */
function placeOf(emailKey: string): Pick<SortedOutcome, 'domain' | 'shape' | 'looksMachine'> {
  const at = emailKey.lastIndexOf('@')
  const local = emailKey.slice(0, at)
  const looksMachine = looksMachineGenerated(plausibilityOf(local))
  return { domain: emailKey.slice(at + 1), shape: SHAPES.indexOf(shapeOf(local)), looksMachine }
}
