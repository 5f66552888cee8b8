import type { EXIT_CODES } from './data/exit-codes.ts'

export type ExitName = keyof typeof EXIT_CODES

/** An expected failure of a command: one sentence, the exit code, and optionally the command to type next. */
export class CliError extends Error {
  readonly exit: ExitName
  readonly next: string | undefined

  constructor(exit: ExitName, message: string, next?: string) {
    super(message)
    this.exit = exit
    this.next = next
  }
}

/** Whether the service responded with a problem. Checks the fields, so that the SDK is not loaded for it. */
export function isApiError(error: unknown): error is Error & { code: string; status: number } {
  return error instanceof Error && 'code' in error && 'status' in error
}

export function hasProblemCode(error: unknown, ...codes: string[]): boolean {
  return isApiError(error) && codes.includes(error.code)
}

/** The code of a system error such as ENOENT. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}
