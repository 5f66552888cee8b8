import type { Call } from './call.ts'
import { type CallOptions, type Connection, type IdempotentCallOptions, openConnection } from './connection.ts'
import { type Endpoints, endpointsOf } from './endpoints.ts'
import { type Erasures, erasuresOf } from './erasures.ts'
import { type Feedback, feedbackOf, type ModelInfo, modelOf } from './feedback.ts'
import type {
  Account,
  BulkValidationRequest,
  BulkValidationSummary,
  DecisionRequest,
  DecisionResult,
  Overview,
  ProviderHealth,
  SingleValidationRequest,
  UpdateAccountRequest,
  Usage,
  ValidationResult,
} from './generated/wire.ts'
import { type Keys, keysOf } from './keys.ts'
import { askUsage, type Ledger, ledgerOf, type UsageOptions } from './ledger.ts'
import { type Lists, listsOf } from './lists.ts'
import { type Overrides, overridesOf } from './overrides.ts'
import { type PolicyBook, policiesOf } from './policies.ts'
import { askOverview, askProviderHealth, type OverviewOptions, type Requests, requestsOf } from './requests.ts'
import { type ProbityOptions, readSettings } from './settings.ts'
import { signWebhook, verifyWebhook } from './webhooks.ts'

export type ValidateOptions = IdempotentCallOptions & {
  /** How many seconds the service may take for the verdict. What is not settled by then is `unknown` with a `retry_at`. */
  timeout?: number | undefined
  /** Whether the local model may take part; where the plan has it, it does unless this is false. */
  ai?: boolean | undefined
  /** Whether the mail server may be asked for an address that cannot exist; it is unless this is false. */
  catchall?: boolean | undefined
  /** The name of a policy that turns each result into `allow`, `review` or `block`, in `policy` of the answer. */
  policy?: string | undefined
  /** Maximum age in seconds of an earlier result that may be returned; 0 validates now. The default is 24 hours. */
  maxAgeS?: number | undefined
  /** Text of your own, at most 200 characters, returned in the result and in webhook events. */
  reference?: string | undefined
}

export type DecideOptions = IdempotentCallOptions & {
  /** Number of seconds to wait for the decision, 5 by default. */
  timeout?: number | undefined
  /** Name of the policy that decides; `signup`, or the first policy of a publishable key, by default. */
  policy?: string | undefined
}

export type UpdateAccountOptions = CallOptions & {
  name?: string | undefined
  /** Days until new results are deleted. */
  retentionDays?: number | undefined
  /** Low-credit threshold in `low_at`; null for the default, a tenth of the credits that were last bought or granted. */
  credits?: UpdateAccountRequest['credits']
  /** What is `safe_to_send` from now on: from which `deliverability`, and what is left out. */
  sending?: UpdateAccountRequest['sending']
}

/**
 * The client of a Probity service. It holds nothing open between calls, so one for a whole program will do and none has to be
 * closed.
 */
export class Probity {
  /** Files of addresses. */
  readonly lists: Lists
  /** What became of mail that was sent. */
  readonly feedback: Feedback
  /** Deletion of all data about one address. */
  readonly erasures: Erasures
  /** What chances are made of, and how well they hold. */
  readonly model: ModelInfo
  /** Addresses and domains that the account always allows, or always blocks. */
  readonly overrides: Overrides
  /** API keys. */
  readonly keys: Keys
  /** Every movement of credits. */
  readonly ledger: Ledger
  /** Rules that turn a result into a decision. */
  readonly policies: PolicyBook
  /** Requests as they were answered. */
  readonly requests: Requests
  /** Webhooks. To verify the requests that you receive, see `webhooks.verify` of the package. */
  readonly webhooks: Endpoints
  readonly #connection: Connection

  constructor(options: ProbityOptions = {}) {
    this.#connection = openConnection(readSettings(options))
    this.lists = listsOf(this.#connection)
    this.feedback = feedbackOf(this.#connection)
    this.erasures = erasuresOf(this.#connection)
    this.model = modelOf(this.#connection)
    this.overrides = overridesOf(this.#connection)
    this.keys = keysOf(this.#connection)
    this.ledger = ledgerOf(this.#connection)
    this.policies = policiesOf(this.#connection)
    this.requests = requestsOf(this.#connection)
    this.webhooks = endpointsOf(this.#connection)
  }

  /** The verdict on one address, with its evidence. Costs one credit. */
  validate(email: string, options: ValidateOptions = {}): Call<ValidationResult> {
    return this.#spend<ValidationResult, SingleValidationRequest>('single', { email }, options)
  }

  /** A validation that was made before, by the `id` of its result, for as long as the account keeps results. Costs nothing. */
  validation(id: string, options: CallOptions = {}): Call<ValidationResult> {
    return this.#connection.ask({ ...options, method: 'GET', path: ['validations', id], repeatable: true })
  }

  /** The verdicts on up to 1,000 addresses. Costs one credit for each different one. */
  validateMany(emails: readonly string[], options: ValidateOptions = {}): Call<BulkValidationSummary> {
    return this.#spend<BulkValidationSummary, BulkValidationRequest>('bulk', { emails: [...emails] }, options)
  }

  /** The decision of a policy about one address, without a probe. The only call for publishable keys. Costs one credit. */
  decide(email: string, { timeout, policy, idempotencyKey, ...options }: DecideOptions = {}): Call<DecisionResult> {
    const json: DecisionRequest = {
      email,
      ...(timeout !== undefined && { timeout }),
      ...(policy !== undefined && { policy }),
    }
    const path = ['validation', 'decision']
    return this.#connection.ask({ ...options, method: 'POST', path, json, repeatable: { idempotencyKey } })
  }

  /** Plan, credits and limits of the account, and the key that asks. */
  account(options: CallOptions = {}): Call<Account> {
    return this.#connection.ask({ ...options, method: 'GET', path: ['account'], repeatable: true })
  }

  /** Requests made, and credits used and given back, by day or by key. */
  usage(options: UsageOptions = {}): Call<Usage> {
    return askUsage(this.#connection, options)
  }

  /** Verdicts by day, lists under way, what was refused and what should be looked at. */
  overview(options: OverviewOptions = {}): Call<Overview> {
    return askOverview(this.#connection, options)
  }

  /** Which mail providers turn the service away at the moment. */
  providerHealth(options: CallOptions = {}): Call<ProviderHealth> {
    return askProviderHealth(this.#connection, options)
  }

  /** Changes what is named of the account and leaves the rest. */
  updateAccount({ signal, timeoutMs, ...changes }: UpdateAccountOptions): Call<Account> {
    const { name, retentionDays, credits, sending } = changes
    const json: UpdateAccountRequest = {
      ...(name !== undefined && { name }),
      ...(retentionDays !== undefined && { retention_days: retentionDays }),
      ...(credits !== undefined && { credits }),
      ...(sending !== undefined && { sending }),
    }
    return this.#connection.ask({ signal, timeoutMs, method: 'PATCH', path: ['account'], json, repeatable: true })
  }

  #spend<T, Asked extends Wishes>(kind: string, asked: Asked, given: ValidateOptions): Call<T> {
    const { timeout, ai, catchall, policy, maxAgeS, reference, idempotencyKey, ...options } = given
    const json: Asked = {
      ...asked,
      ...(timeout !== undefined && { timeout }),
      ...(ai !== undefined && { ai }),
      ...(catchall !== undefined && { catchall }),
      ...(policy !== undefined && { policy }),
      ...(maxAgeS !== undefined && { max_age_s: maxAgeS }),
      ...(reference !== undefined && { reference }),
    }
    const path = ['validation', kind]
    return this.#connection.ask({ ...options, method: 'POST', path, json, repeatable: { idempotencyKey } })
  }
}

type Wishes = Omit<SingleValidationRequest, 'email'>

/** For receivers of webhooks. */
export const webhooks = { verify: verifyWebhook, sign: signWebhook }

export type { Answered, Call } from './call.ts'
export type { CallOptions, IdempotentCallOptions } from './connection.ts'
export type { CreateEndpointOptions, EndpointSettings, Endpoints, UpdateEndpointOptions } from './endpoints.ts'
export type { Erasures } from './erasures.ts'
// biome-ignore lint/performance/noBarrelFile: what is published has one door, and its callers expect everything there
export {
  ProbityConnectionError,
  ProbityError,
  ProbityProblem,
  ProbityTimeoutError,
  ProbityWebhookError,
} from './errors.ts'
export type { EventOptions, ListEvent } from './events.ts'
export type { Feedback, ModelInfo, ReportOptions } from './feedback.ts'
export type {
  Account,
  ApiKey,
  ApiKeyScope,
  ApiKeyWithSecret,
  BulkJob,
  BulkValidationSummary,
  CallbackSecret,
  ConfirmUploadResult,
  CreateOverridesResult,
  DecisionResult,
  Erasure,
  ErasureCounts,
  Evidence,
  FeedbackReport,
  FeedbackSummary,
  JobBreakdown,
  JobResult,
  JobStatus,
  LedgerEntry,
  Model,
  Override,
  Overview,
  Policy,
  Preset,
  Problem,
  ProblemCode,
  ProviderHealth,
  RequestLogEntry,
  RequestLogEntryDetail,
  Upload,
  UploadPreview,
  Usage,
  ValidationResult,
  ValidationStatus,
  ValidationSubStatus,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEvent,
  WebhookWithSecret,
} from './generated/wire.ts'
export type { CreateKeyOptions, KeySettings, Keys, RotateKeyOptions, UpdateKeyOptions } from './keys.ts'
export type { Ledger, LedgerOptions, UsageOptions } from './ledger.ts'
export type { ConfirmOptions, ListFilter, Lists, PreviewAgainOptions, PreviewOptions } from './lists.ts'
export type { AddOverridesOptions, OverrideFilter, Overrides } from './overrides.ts'
export type { PageOptions } from './pages.ts'
export type { CreatePolicyOptions, PolicyBook, PolicySettings, UpdatePolicyOptions } from './policies.ts'
export type { OverviewOptions, RequestFilter, RequestPageOptions, Requests } from './requests.ts'
export type { RateLimit, ResponseInfo } from './response-info.ts'
export type { DownloadOptions, ResultOptions } from './results.ts'
export type { ProbityOptions } from './settings.ts'
export type { FileSource } from './upload.ts'
export type { WaitOptions } from './wait.ts'
export type { VerifyOptions, WebhookMessage } from './webhooks.ts'
