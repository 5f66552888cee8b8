import { ConnectionError, ProbityApiError } from '@probity/sdk'
import { CommanderError } from 'commander'
import { EXIT_CODES } from '../data/exit-codes.ts'
import { NEXT_STEPS } from '../data/next-steps.ts'
import { findExit } from '../exit-code.ts'
import { type ExitName, Refusal } from '../refusal.ts'
import { readable } from './readable.ts'

/** What is said of an error: one sentence, its cause, what to type next, its code and the id of the request. */
type Told = { sentence: string; cause?: string; next?: string; code: string; requestId?: string }

/** How the command ends for an error, and what is said of it. A bug is thrown on. */
export function explain(error: unknown, args: readonly string[]): { exit: ExitName; text: string } {
  const exit = findExit(error)
  if (exit === undefined || !(error instanceof Error)) throw error
  // Who typed no command has the help before them, which says enough.
  if (exit === 'ok' || (error instanceof CommanderError && error.code === 'commander.help')) return { exit, text: '' }
  return { exit, text: isForProgram(args) ? writeProblem(error, exit) : writeFailure(error, exit) }
}

/** Read from what was typed: what goes wrong may go wrong before the flags are read. */
function isForProgram(args: readonly string[]): boolean {
  if (args[0] === 'clean') return false // there -o is a file
  return /(^| )(-o|--output)[ =]?jsonl?( |$)/.test(args.join(' '))
}

/** The error for people: at most four lines. */
function writeFailure(error: Error, exit: ExitName): string {
  const { sentence, cause, next, code, requestId } = tell(error, exit)
  const named = [`code ${code}`, ...(requestId === undefined ? [] : [requestId]), `exit ${EXIT_CODES[exit].code}`]
  const lines = [
    `probity: ${sentence}`,
    ...(cause === undefined ? [] : [`  cause: ${cause}`]),
    ...(next === undefined ? [] : [`  next:  ${next}`]),
    ...(exit === 'interrupted' ? [] : [`  (${named.join(', ')})`]),
  ]
  return lines.map((line) => `${readable(line)}\n`).join('')
}

/** The error for programs: the problem of the service as it came, or one of the same form. */
function writeProblem(error: Error, exit: ExitName): string {
  const { sentence, cause, next, code } = tell(error, exit)
  const body = error instanceof ProbityApiError && error.problem
  const problem = body || { title: sentence, detail: cause ?? sentence, code }
  return `${JSON.stringify({ ...problem, exit_code: EXIT_CODES[exit].code, ...(next !== undefined && { next }) })}\n`
}

function tell(error: Error, exit: ExitName): Told {
  if (error instanceof ProbityApiError) {
    const { code, detail, problem, requestId } = error
    const steps: Partial<Record<string, string>> = NEXT_STEPS
    return {
      sentence: problem === undefined ? detail : `${problem.title}.`,
      ...(problem !== undefined && problem.detail !== problem.title && { cause: causeOf(problem) }),
      ...(steps[code] !== undefined && { next: steps[code] }),
      code,
      ...(requestId !== undefined && { requestId }),
    }
  }
  if (error instanceof Refusal) {
    return { sentence: error.message, code: exit, ...(error.next !== undefined && { next: error.next }) }
  }
  if (error instanceof CommanderError) return { sentence: usage(error), code: exit, next: 'probity --help' }
  const cause = error instanceof ConnectionError ? systemCause(error.cause) : undefined
  const next = exit === 'network' ? 'probity doctor' : undefined
  return { sentence: error.message, code: exit, ...(cause && { cause }), ...(next && { next }) }
}

function causeOf({ detail, errors = [] }: NonNullable<ProbityApiError['problem']>): string {
  return [detail, ...errors.map((one) => `${one.pointer}: ${one.detail}`)].join(' ')
}

/** `fetch` says no more than that it failed; why is one or two causes below. */
function systemCause(error: unknown): string | undefined {
  let cause: string | undefined
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code, message } = at as NodeJS.ErrnoException
    cause = code ?? (message || cause)
  }
  return cause
}

/** Commander's message, with its "(Did you mean …?)" as a sentence. */
function usage({ message }: CommanderError): string {
  const [first = '', suggestion = ''] = message.replace(/^error: /, '').split('\n')
  const asked = suggestion.replace(/^\((.*)\)$/, '$1')
  return `${first}${/[.?!]$/.test(first) ? '' : '.'}${asked === '' ? '' : ` ${asked}`}`
}
