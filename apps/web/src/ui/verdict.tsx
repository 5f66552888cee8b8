import { CircleCheck, CircleHelp, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { Tone } from './Badge.tsx'

type Look = { tone: Tone; Icon: LucideIcon; word: string; advice: string }

const LOOKS: Record<string, Look> = {
  valid: { tone: 'valid', Icon: CircleCheck, word: 'Valid', advice: 'Send' },
  invalid: { tone: 'invalid', Icon: CircleX, word: 'Invalid', advice: 'Do not send' },
  risky: { tone: 'risky', Icon: TriangleAlert, word: 'Risky', advice: 'Send with care' },
  unknown: { tone: 'unknown', Icon: CircleHelp, word: 'Unknown', advice: 'Review' },
}
const UNKNOWN = LOOKS['unknown'] as Look

/** The statuses are an open list: one that this page does not know looks like unknown, under its own name. */
export function verdictLook(status: string): Look {
  return LOOKS[status] ?? { ...UNKNOWN, word: status }
}

export const VERDICTS = ['valid', 'risky', 'invalid', 'unknown'] as const
