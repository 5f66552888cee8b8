import { ConnectionError, ProbityApiError, ProbityError } from '@probity/sdk'
import { CommanderError } from 'commander'
import { PROBLEM_EXITS } from './data/problem-exits.ts'
import { type ExitName, Refusal } from './refusal.ts'

/** How the command ends for an error; undefined for a bug, which is nobody's to explain. */
export function findExit(error: unknown): ExitName | undefined {
  if (error instanceof Refusal) return error.exit
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'ok' : 'usage'
  if (error instanceof ProbityApiError) return exitOfProblem(error)
  if (error instanceof ConnectionError) return 'network'
  return error instanceof ProbityError ? 'input' : undefined
}

/** The list of codes is open: one that is added later is judged by its status. */
function exitOfProblem({ code, status }: ProbityApiError): ExitName {
  const known: Partial<Record<string, ExitName>> = PROBLEM_EXITS
  if (Object.hasOwn(known, code)) return known[code] ?? 'other'
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'credits'
  if (status === 408 || status === 429) return 'later'
  return status >= 400 && status < 500 ? 'input' : 'network'
}
