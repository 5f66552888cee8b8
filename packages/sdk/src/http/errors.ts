import type { Problem, ProblemCode } from '../generated/api-types.ts'

/**
 * Base class of every error that this library throws. Only the reason of your own `signal` is thrown unchanged.
 * No message contains an API key or an email address.
 */
export class ProbityError extends Error {
  static {
    ProbityError.prototype.name = 'ProbityError'
  }

  /** Whether the same call may succeed later. */
  readonly retryable: boolean

  constructor(message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.retryable = options.retryable ?? false
  }
}

type ApiErrorFields = {
  code: ProblemCode
  status: number
  detail: string
  headers: Headers
  requestId: string | undefined
  problem: Problem | undefined
  retryable: boolean
  retryAfterSeconds: number | undefined
}

/** The API returned an error response. `code` names the reason for programs. Statuses without a class of their own use this one. */
export class ProbityApiError extends ProbityError {
  static {
    ProbityApiError.prototype.name = 'ProbityApiError'
  }

  readonly code: ProblemCode
  readonly status: number
  readonly detail: string
  /** Response headers. */
  readonly headers: Headers
  /** Id of the request. Quote it in support requests. */
  readonly requestId: string | undefined
  /** Response body (RFC 9457); undefined if it is not a problem document, for example when a proxy responded. */
  readonly problem: Problem | undefined
  /** Seconds to wait before the next attempt, as requested by the service. */
  readonly retryAfterSeconds: number | undefined

  constructor({ code, status, detail, headers, requestId, problem, retryable, retryAfterSeconds }: ApiErrorFields) {
    const explanation = [detail, problem?.advice].filter((part) => part !== undefined).join(' ')
    const text = problem === undefined ? explanation : `${problem.title}: ${explanation}`
    super(`${text} (${[status, code, requestId].filter((part) => part !== undefined).join(', ')})`, { retryable })
    this.code = code
    this.status = status
    this.detail = detail
    this.headers = headers
    this.requestId = requestId
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** 400: the request is malformed or a parameter is invalid. See `problem.errors`. */
export class BadRequestError extends ProbityApiError {
  static {
    BadRequestError.prototype.name = 'BadRequestError'
  }
}

/** 401: the API key is missing, unknown, expired or revoked. */
export class AuthenticationError extends ProbityApiError {
  static {
    AuthenticationError.prototype.name = 'AuthenticationError'
  }
}

/** 402: the account has too few credits, or the key has reached its monthly cap. */
export class PaymentRequiredError extends ProbityApiError {
  static {
    PaymentRequiredError.prototype.name = 'PaymentRequiredError'
  }
}

/** 403: the API key is not allowed to make the call, for example because it lacks a scope. */
export class PermissionDeniedError extends ProbityApiError {
  static {
    PermissionDeniedError.prototype.name = 'PermissionDeniedError'
  }
}

/** 404: the object does not exist, or belongs to another account or mode. */
export class NotFoundError extends ProbityApiError {
  static {
    NotFoundError.prototype.name = 'NotFoundError'
  }
}

/** 409: the call conflicts with the state of the object, for example pausing a job that has ended. */
export class ConflictError extends ProbityApiError {
  static {
    ConflictError.prototype.name = 'ConflictError'
  }
}

/** 429: too many requests. `retryAfterSeconds` is the time to wait. */
export class RateLimitError extends ProbityApiError {
  static {
    RateLimitError.prototype.name = 'RateLimitError'
  }
}

/** 5xx: the service failed, or is overloaded. */
export class InternalServerError extends ProbityApiError {
  static {
    InternalServerError.prototype.name = 'InternalServerError'
  }
}

/** The service could not be reached, or the connection was lost before the response was complete. See `cause`. */
export class ConnectionError extends ProbityError {
  static {
    ConnectionError.prototype.name = 'ConnectionError'
  }

  constructor(message: string, cause?: unknown) {
    super(message, { retryable: true, ...(cause !== undefined && { cause }) })
  }
}

/** No response within `timeoutMs`. The request may have been processed. */
export class TimeoutError extends ConnectionError {
  static {
    TimeoutError.prototype.name = 'TimeoutError'
  }
}

/** A webhook request whose signature or timestamp is invalid. Do not process it. */
export class WebhookVerificationError extends ProbityError {
  static {
    WebhookVerificationError.prototype.name = 'WebhookVerificationError'
  }
}

const CLASS_BY_STATUS: Partial<Record<number, typeof ProbityApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
}

/** The error of a response, of the class that belongs to its status. */
export function createApiError(fields: ApiErrorFields): ProbityApiError {
  const ErrorClass = CLASS_BY_STATUS[fields.status] ?? (fields.status >= 500 ? InternalServerError : ProbityApiError)
  return new ErrorClass(fields)
}
