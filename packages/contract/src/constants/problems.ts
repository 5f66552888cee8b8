import { PROBLEMS } from './data/problems.ts'
import { SESSION_PROBLEMS } from './data/session-problems.ts'

/** The codes of the public API. */
export type ProblemCode = keyof typeof PROBLEMS
/** Every code that a response can have: those of the public API, and those of the web app's own routes. */
export type AnyProblemCode = ProblemCode | keyof typeof SESSION_PROBLEMS
/** Errors that end by themselves. Their responses have a `Retry-After`. */
export type TransientCode = {
  [Code in ProblemCode]: (typeof PROBLEMS)[Code]['status'] extends 429 | 503 ? Code : never
}[ProblemCode]
export type PermanentCode = Exclude<AnyProblemCode, TransientCode>

export const ALL_PROBLEMS = { ...PROBLEMS, ...SESSION_PROBLEMS }

export function isTransient(code: ProblemCode): code is TransientCode {
  const { status } = PROBLEMS[code]
  return status === 429 || status === 503
}

/** The documentation of a code, relative to the service, so that every installation points to its own pages. */
export function problemType(code: AnyProblemCode): string {
  return `/docs/errors#${code}`
}
