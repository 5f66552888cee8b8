import type { ExitName } from '../refusal.ts'

/** One thing that was looked at. What is `wrong` says how the command ends, and what to do. */
export type Finding = {
  what: string
  state: 'fine' | 'note' | 'wrong'
  detail: string
  exit?: ExitName
  next?: string
}
