import { type ApiPromise, createApiPromise } from './api-promise.ts'
import { checkInteger } from './client-options.ts'
import { ProbityError } from './errors.ts'
import type {
  BulkValidationRequest,
  BulkValidationSummary,
  DecisionRequest,
  DecisionResult,
  SingleValidationRequest,
  ValidationResult,
} from './generated/wire.ts'
import { splitOptions, toWire } from './to-wire.ts'
import type { IdempotentRequestOptions, RequestOptions, Transport } from './transport.ts'

type ValidationSettings = {
  /** Whether the local model takes part in `deliverability`. Default: true, if the plan includes it. */
  ai?: boolean | undefined
  /** Whether the mail server is probed with a control recipient to detect catch-all domains. Default: true. */
  catchall?: boolean | undefined
  /** Name of a policy that turns each result into `allow`, `review` or `block`, in its field `policy`. */
  policy?: string | undefined
  /** Maximum age, in seconds, of an earlier result that may be returned; 0 validates now. Default: 24 hours. */
  maxAgeSeconds?: number | undefined
  /** Text of your own, at most 200 characters, returned in the response and in webhook events. */
  reference?: string | undefined
}

export type ValidateOptions = IdempotentRequestOptions &
  ValidationSettings & {
    /** Seconds that the service may take, 1 to 30. Default: 10. Without a result by then, the status is `unknown` with a `retry_at`. */
    waitSeconds?: number | undefined
  }

export type ValidateBulkOptions = IdempotentRequestOptions &
  ValidationSettings & {
    /** Seconds that the service may take, 1 to 25. Default: 20. Addresses without a result by then are `unknown` with a `retry_at`. */
    waitSeconds?: number | undefined
  }

export type DecideOptions = IdempotentRequestOptions & {
  /** Seconds that the service may take, 1 to 30. Default: 5. */
  waitSeconds?: number | undefined
  /** Name of the policy that decides. Default: `signup`, or the first policy of a publishable key. */
  policy?: string | undefined
}

/** Stored validations. Scope: `validations:read`. */
export type ValidationsApi = {
  /** The result of an earlier validation by its `id`, for as long as the account keeps results. Free. */
  get(id: string, options?: RequestOptions): ApiPromise<ValidationResult>
}

/** Limit of `POST /validation/bulk`. */
export const EMAILS_PER_REQUEST_MAX = 1_000
const TOO_MANY_EMAILS = `validateBulk accepts at most ${EMAILS_PER_REQUEST_MAX} addresses. Use validateAll, or upload a file and create a job.`
const WAIT_SECONDS_MAX = 30
const BULK_WAIT_SECONDS_MAX = 25

export function createValidationsApi({ request }: Transport): ValidationsApi {
  return { get: (id, options = {}) => request({ ...options, method: 'GET', path: ['validations', id] }) }
}

export function validateSingle(
  transport: Transport,
  email: string,
  options: ValidateOptions,
): ApiPromise<ValidationResult> {
  return post(transport, 'single', () => {
    const { call, json } = readOptions(options, WAIT_SECONDS_MAX)
    return { call, json: { email, ...json } satisfies SingleValidationRequest }
  })
}

export function validateBulk(
  transport: Transport,
  emails: readonly string[],
  options: ValidateBulkOptions,
): ApiPromise<BulkValidationSummary> {
  return post(transport, 'bulk', () => {
    if (emails.length > EMAILS_PER_REQUEST_MAX) throw new ProbityError(TOO_MANY_EMAILS)
    const { call, json } = readOptions(options, BULK_WAIT_SECONDS_MAX)
    return { call, json: { emails: [...emails], ...json } satisfies BulkValidationRequest }
  })
}

export function decide(transport: Transport, email: string, options: DecideOptions): ApiPromise<DecisionResult> {
  return post(transport, 'decision', () => {
    const { call, json } = readOptions(options, WAIT_SECONDS_MAX)
    return { call, json: { email, ...json } satisfies DecisionRequest }
  })
}

/** An invalid option rejects the call instead of being thrown synchronously. */
function post<T>(
  { request }: Transport,
  kind: string,
  prepare: () => { call: IdempotentRequestOptions; json: object },
): ApiPromise<T> {
  try {
    const { call, json } = prepare()
    return request({ ...call, method: 'POST', path: ['validation', kind], json })
  } catch (error) {
    return createApiPromise(Promise.reject(error))
  }
}

/** `waitSeconds` is `timeout` in the API. */
function readOptions<T extends IdempotentRequestOptions & { waitSeconds?: number | undefined }>(
  { waitSeconds, ...options }: T,
  max: number,
) {
  if (waitSeconds !== undefined) checkInteger('waitSeconds', waitSeconds, { min: 1, max })
  const { call, fields } = splitOptions(options)
  return { call, json: { ...toWire(fields), ...(waitSeconds !== undefined && { timeout: waitSeconds }) } }
}
