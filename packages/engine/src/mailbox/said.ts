import type { Said } from './answer.ts'
import { cleanText } from './normalise-reply.ts'
import type { Reply } from './reply.ts'

/** A reply as evidence: the server's words without anybody's address. */
export function said(stage: Said['stage'], { code, enhanced, lines }: Reply, recipient?: string): Said {
  return { stage, code, enhanced, text: cleanText(lines.join(' '), recipient) }
}
