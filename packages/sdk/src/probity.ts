import type { Call } from './call.ts'
import { type CallOptions, type Connection, openConnection, type SpendOptions } from './connection.ts'
import { type Endpoints, endpointsOf } from './endpoints.ts'
import { type Feedback, feedbackOf, type ModelInfo, modelOf } from './feedback.ts'
import type {
  Account,
  AccountChanges,
  BulkValidationRequest,
  BulkValidationSummary,
  Overview,
  ProviderHealth,
  SingleValidationRequest,
  Usage,
  ValidationResult,
} from './generated/wire.ts'
import { type Keys, keysOf } from './keys.ts'
import { askUsage, type Ledger, ledgerOf, type UsageOptions } from './ledger.ts'
import { type Listings, listingsOf } from './listings.ts'
import { type Lists, listsOf } from './lists.ts'
import { type PolicyBook, policiesOf } from './policies.ts'
import { askOverview, askProviderHealth, type OverviewOptions, type Requests, requestsOf } from './requests.ts'
import { type ProbityOptions, readSettings } from './settings.ts'
import { signWebhook, verifyWebhook } from './webhooks.ts'

export type ValidateOptions = SpendOptions & {
  /** How many seconds the service may take for the verdict. What is not settled by then is `unknown` with a `retry_at`. */
  timeout?: number | undefined
  /** Whether the local model may take part; where the plan has it, it does unless this is false. */
  ai?: boolean | undefined
  /** Whether the mail server may be asked for an address that cannot exist; it is unless this is false. */
  catchall?: boolean | undefined
  /** The name of a policy that turns each result into `allow`, `review` or `block`, in `policy` of the answer. */
  policy?: string | undefined
}

export type UpdateAccountOptions = CallOptions & {
  name?: string | undefined
  /** For how many days results are kept from now on. */
  retentionDays?: number | undefined
  /** Below how many credits webhooks are told `credits.low`; null for a tenth of the last that were bought or given. */
  creditsLowAt?: number | null | undefined
  /** What is `safe_to_send` from now on: from which `deliverability`, and what is left out. */
  sending?: AccountChanges['sending']
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
  /** What chances are made of, and how well they hold. */
  readonly model: ModelInfo
  /** Addresses and domains that the account always allows, or always blocks. */
  readonly listings: Listings
  /** API keys. */
  readonly keys: Keys
  /** Every movement of credits. */
  readonly ledger: Ledger
  /** Rules that turn a result into a decision. */
  readonly policies: PolicyBook
  /** Requests as they were answered. */
  readonly requests: Requests
  /** Where events are sent. To check what you receive, see `webhooks.verify` of the package. */
  readonly webhooks: Endpoints
  readonly #connection: Connection

  constructor(options: ProbityOptions = {}) {
    this.#connection = openConnection(readSettings(options))
    this.lists = listsOf(this.#connection)
    this.feedback = feedbackOf(this.#connection)
    this.model = modelOf(this.#connection)
    this.listings = listingsOf(this.#connection)
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
    return this.#connection.ask({ ...options, method: 'GET', path: ['validation', 'single', id], repeatable: true })
  }

  /** The verdicts on up to 1,000 addresses. Costs one credit for each different one. */
  validateMany(emails: readonly string[], options: ValidateOptions = {}): Call<BulkValidationSummary> {
    return this.#spend<BulkValidationSummary, BulkValidationRequest>('bulk', { emails: [...emails] }, options)
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
    const { name, retentionDays, creditsLowAt, sending } = changes
    const json: AccountChanges = {
      ...(name !== undefined && { name }),
      ...(retentionDays !== undefined && { retention_days: retentionDays }),
      ...(creditsLowAt !== undefined && { credits_low_at: creditsLowAt }),
      ...(sending !== undefined && { sending }),
    }
    return this.#connection.ask({ signal, timeoutMs, method: 'PATCH', path: ['account'], json, repeatable: true })
  }

  #spend<T, Asked extends Wishes>(kind: string, asked: Asked, given: ValidateOptions): Call<T> {
    const { timeout, ai, catchall, policy, idempotencyKey, ...options } = given
    const json: Asked = {
      ...asked,
      ...(timeout !== undefined && { timeout }),
      ...(ai !== undefined && { ai }),
      ...(catchall !== undefined && { catchall }),
      ...(policy !== undefined && { policy }),
    }
    const path = ['validation', kind]
    return this.#connection.ask({ ...options, method: 'POST', path, json, repeatable: { idempotencyKey } })
  }
}

type Wishes = { timeout?: number; ai?: boolean; catchall?: boolean; policy?: string }

/** For those who receive webhooks. */
export const webhooks = { verify: verifyWebhook, sign: signWebhook }

export type { Answered, Call } from './call.ts'
export type { CallOptions, SpendOptions } from './connection.ts'
export type { CreateEndpointOptions, EndpointSettings, Endpoints, UpdateEndpointOptions } from './endpoints.ts'
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
  AddedListings,
  ApiKey,
  Breakdown,
  BulkJob,
  BulkValidationSummary,
  CreatedApiKey,
  Evidence,
  FeedbackReport,
  FeedbackSummary,
  JobCreated,
  JobStatus,
  KeyScope,
  LedgerEntry,
  Listing,
  ListResult,
  Model,
  Overview,
  Policy,
  Preset,
  Problem,
  ProblemCode,
  ProviderHealth,
  Request,
  RequestWithItsResult,
  Status,
  SubStatus,
  Upload,
  UploadPreview,
  Usage,
  ValidationResult,
  Webhook,
  WebhookDelivery,
  WebhookWithSecret,
  WholeWebhookDelivery,
} from './generated/wire.ts'
export type { CreateKeyOptions, KeySettings, Keys, RotateKeyOptions, UpdateKeyOptions } from './keys.ts'
export type { Ledger, LedgerOptions, UsageOptions } from './ledger.ts'
export type { AddListingsOptions, ListingFilter, Listings } from './listings.ts'
export type { ConfirmOptions, ListFilter, Lists, PreviewAgainOptions, PreviewOptions } from './lists.ts'
export type { PageOptions } from './pages.ts'
export type { CreatePolicyOptions, PolicyBook, PolicySettings, UpdatePolicyOptions } from './policies.ts'
export type { OverviewOptions, RequestFilter, RequestPageOptions, Requests } from './requests.ts'
export type { RateLimit, ResponseInfo } from './response-info.ts'
export type { DownloadOptions, ResultOptions } from './results.ts'
export type { ProbityOptions } from './settings.ts'
export type { FileSource } from './upload.ts'
export type { WaitOptions } from './wait.ts'
export type { VerifyOptions, WebhookMessage } from './webhooks.ts'
