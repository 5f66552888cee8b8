import type { Problem, ProblemCode } from './generated/wire.ts'

/** What this library throws. Only the reason of your own `signal` comes through as it is. No message holds a key or an address. */
export class ProbityError extends Error {
  static {
    ProbityError.prototype.name = 'ProbityError'
  }

  /** Whether the same call may well succeed later. */
  readonly retryable: boolean

  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.retryable = options.retryable ?? false
  }
}

type ProblemParts = {
  code: ProblemCode
  status: number
  detail: string
  requestId: string | undefined
  problem: Problem | undefined
  retryable: boolean
  retryAfterS: number | undefined
}

/** The service answered, and the answer is no. `code` says why, for programs; `requestId` names the request when you ask for help. */
export class ProbityProblem extends ProbityError {
  static {
    ProbityProblem.prototype.name = 'ProbityProblem'
  }

  readonly code: ProblemCode
  readonly status: number
  readonly detail: string
  readonly requestId: string | undefined
  /** The body of the answer; undefined where it was none of ours, as when a proxy in between gave up. */
  readonly problem: Problem | undefined
  /** How many seconds the service asked to be left alone. */
  readonly retryAfterS: number | undefined

  constructor({ code, status, detail, requestId, problem, retryable, retryAfterS }: ProblemParts) {
    const said = problem === undefined ? detail : `${problem.title}: ${detail}`
    super(`${said} (${[status, code, requestId].filter((part) => part !== undefined).join(', ')})`, { retryable })
    this.code = code
    this.status = status
    this.detail = detail
    this.requestId = requestId
    this.problem = problem
    this.retryAfterS = retryAfterS
  }
}

/** The service could not be reached, or the connection broke before the whole answer was there. `cause` says how. */
export class ProbityConnectionError extends ProbityError {
  static {
    ProbityConnectionError.prototype.name = 'ProbityConnectionError'
  }

  constructor(message: string, cause?: unknown) {
    super(message, { retryable: true, cause })
  }
}

/** No answer came within `timeoutMs`. What was asked for may have been done all the same. */
export class ProbityTimeoutError extends ProbityError {
  static {
    ProbityTimeoutError.prototype.name = 'ProbityTimeoutError'
  }

  constructor(message: string) {
    super(message, { retryable: true })
  }
}

/** A webhook that must not be believed: it is not signed with your secret, or it is too old. */
export class ProbityWebhookError extends ProbityError {
  static {
    ProbityWebhookError.prototype.name = 'ProbityWebhookError'
  }
}
