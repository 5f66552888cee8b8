import { ConnectionError, ProbityApiError, ProbityError } from '@probity/sdk'
import { CommanderError } from 'commander'
import { CliError, type ExitName } from './cli-error.ts'
import { PROBLEM_EXITS } from './data/problem-exits.ts'

/** The exit code of an error; undefined for a bug. */
export function findExit(error: unknown): ExitName | undefined {
  if (error instanceof CliError) return error.exit
  if (error instanceof CommanderError) return error.exitCode === 0 ? 'ok' : 'usage'
  if (error instanceof ProbityApiError) return exitOfProblem(error)
  if (error instanceof ConnectionError) return 'network'
  return error instanceof ProbityError ? 'input' : undefined
}

/** Problem codes are an extensible enum: an unknown one is classified by its status. */
export function exitOfProblem({ code, status }: { code: string; status: number }): ExitName {
  const known: Partial<Record<string, ExitName>> = PROBLEM_EXITS
  if (Object.hasOwn(known, code)) return known[code] ?? 'other'
  if (status === 401 || status === 403) return 'auth'
  if (status === 402) return 'credits'
  if (status === 408 || status === 429) return 'later'
  return status >= 400 && status < 500 ? 'input' : 'network'
}
