import { shorten } from '@probity/contract/shorten'
import type { Said } from './answer.ts'
import { cleanText } from './normalise-reply.ts'
import type { Reply } from './reply.ts'

/** Twice the longest reply in our rules. Without a limit an attacker's server would have its 64 KiB stored with every result. */
const EVIDENCE_TEXT_LENGTH_MAX = 500

/** A reply as evidence: the server's text without email addresses, shortened after that so that no half of one is left. */
export function said(stage: Said['stage'], { code, enhanced, lines }: Reply, recipient?: string): Said {
  return { stage, code, enhanced, text: shorten(cleanText(lines.join(' '), recipient), EVIDENCE_TEXT_LENGTH_MAX) }
}
