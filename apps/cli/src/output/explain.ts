import { ConnectionError, ProbityApiError, ProbityError } from '@probity/sdk'
import { CommanderError } from 'commander'
import { CliError, type ExitName } from '../cli-error.ts'
import { EXIT_CODES } from '../data/exit-codes.ts'
import { NEXT_STEPS } from '../data/next-steps.ts'
import { PROBLEM_EXITS } from '../data/problem-exits.ts'
import { readable } from './format.ts'

/** The parts of an error message. */
type Explanation = {
  sentence: string
  cause?: string
  advice?: string
  next?: string
  code: string
  requestId?: string
}

/** The exit code and the text of an error. A bug is thrown again. */
export function explainError(error: unknown, args: readonly string[]): { exit: ExitName; text: string } {
  const exit = findExit(error)
  if (exit === undefined || !(error instanceof Error)) throw error
  // Without a command, commander has printed the help.
  if (exit === 'ok' || (error instanceof CommanderError && error.code === 'commander.help')) return { exit, text: '' }
  return { exit, text: isJson(args) ? formatJson(error, exit) : formatText(error, exit) }
}

/** Read from the arguments: the error may be one of the command line itself. */
function isJson(args: readonly string[]): boolean {
  return /(^| )(--json|--format[ =]jsonl?)( |$)/.test(args.join(' '))
}

/** At most four lines. */
function formatText(error: Error, exit: ExitName): string {
  const { sentence, cause, advice, code, requestId, next = advice } = explain(error, exit)
  const ids = [`code ${code}`, ...(requestId === undefined ? [] : [requestId]), `exit ${EXIT_CODES[exit].code}`]
  const lines = [
    `probity: ${sentence}`,
    ...(cause === undefined ? [] : [`  cause: ${cause}`]),
    ...(next === undefined ? [] : [`  next:  ${next}`]),
    ...(exit === 'interrupted' ? [] : [`  (${ids.join(', ')})`]),
  ]
  return lines.map((line) => `${readable(line)}\n`).join('')
}

/** The problem of the service, or an object of the same form, with `exit_code` and `next`. */
function formatJson(error: Error, exit: ExitName): string {
  const { sentence, cause, next, code } = explain(error, exit)
  const body = error instanceof ProbityApiError && error.problem
  const problem = body || { title: sentence, detail: cause ?? sentence, code }
  return `${JSON.stringify({ ...problem, exit_code: EXIT_CODES[exit].code, ...(next !== undefined && { next }) })}\n`
}

function explain(error: Error, exit: ExitName): Explanation {
  if (error instanceof ProbityApiError) {
    const { code, detail, problem, requestId } = error
    const steps: Partial<Record<string, string>> = NEXT_STEPS
    return {
      sentence: problem === undefined ? detail : `${problem.title}.`,
      ...(problem !== undefined && { cause: causeOf(problem), advice: problem.advice }),
      ...(steps[code] !== undefined && { next: steps[code] }),
      code,
      ...(requestId !== undefined && { requestId }),
    }
  }
  if (error instanceof CliError) {
    return { sentence: error.message, code: exit, ...(error.next !== undefined && { next: error.next }) }
  }
  if (error instanceof CommanderError) return { sentence: usageOf(error), code: exit, next: 'probity --help' }
  const cause = error instanceof ConnectionError ? systemCause(error.cause) : undefined
  const next = exit === 'network' ? 'probity doctor' : undefined
  return { sentence: error.message, code: exit, ...(cause && { cause }), ...(next && { next }) }
}

function causeOf({ detail, errors = [] }: NonNullable<ProbityApiError['problem']>): string {
  return [detail, ...errors.map((one) => `${one.pointer}: ${one.detail}`)].join(' ')
}

/** The message of `fetch` is generic; the system error is in its causes. */
function systemCause(error: unknown): string | undefined {
  let cause: string | undefined
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code, message } = at as NodeJS.ErrnoException
    cause = code ?? (message || cause)
  }
  return cause
}

/** Commander's message, with its "(Did you mean …?)" as a sentence. */
function usageOf({ message }: CommanderError): string {
  const [first = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const question = suggestion.replace(/^\((.*)\)$/, '$1')
  return `${first}${/[.?!]$/.test(first) ? '' : '.'}${question === '' ? '' : ` ${question}`}`
}

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
