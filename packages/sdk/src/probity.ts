import {
  type AccountApi,
  createAccountApi,
  createErasuresApi,
  createFeedbackApi,
  createLedgerApi,
  createModelApi,
  createRequestsApi,
  type ErasuresApi,
  type FeedbackApi,
  getOverview,
  getProviderHealth,
  getUsage,
  type LedgerApi,
  type ModelApi,
  type OverviewOptions,
  type RequestsApi,
  type UsageOptions,
} from './account.ts'
import { type ProbityOptions, readClientOptions } from './client-options.ts'
import type {
  BulkValidationSummary,
  DecisionResult,
  Overview,
  ProviderHealth,
  Usage,
  ValidationResult,
  WebhookEvent,
} from './generated/api-types.ts'
import type { ApiPromise } from './http/response.ts'
import { followStream, parseEventData, type StreamOptions } from './http/server-sent-events.ts'
import { createTransport, type RequestOptions, type Transport } from './http/transport.ts'
import { createJobsApi, type JobsApi } from './jobs.ts'
import { createKeysApi, type KeysApi } from './keys.ts'
import { createOverridesApi, createPoliciesApi, type OverridesApi, type PoliciesApi } from './policies.ts'
import { createUploadsApi, type UploadsApi } from './uploads.ts'
import {
  createValidationsApi,
  type DecideOptions,
  decide,
  type ValidateAllItem,
  type ValidateAllOptions,
  type ValidateBulkOptions,
  type ValidateOptions,
  type ValidationsApi,
  validateAll,
  validateBulk,
  validateSingle,
} from './validations.ts'
import { createWebhooksApi, type WebhooksApi } from './webhooks.ts'

/** Client of a Probity service. It keeps no connection open: use one client for the whole program, without closing it. */
export class Probity {
  /** The account of the key. */
  readonly account: AccountApi
  /** Deletion of all data about an address. */
  readonly erasures: ErasuresApi
  /** Events of the account as they occur. */
  readonly events: EventsApi
  /** Delivery outcomes of sent messages. */
  readonly feedback: FeedbackApi
  /** Jobs: the asynchronous validation of uploaded files. */
  readonly jobs: JobsApi
  /** API keys. */
  readonly keys: KeysApi
  /** Credit transactions. */
  readonly ledger: LedgerApi
  /** The model behind `deliverability`. */
  readonly model: ModelApi
  /** Addresses and domains that the account always allows or blocks. */
  readonly overrides: OverridesApi
  /** Rules that map a result to a decision. */
  readonly policies: PoliciesApi
  /** The request log. */
  readonly requests: RequestsApi
  /** Uploaded files that are not jobs yet. */
  readonly uploads: UploadsApi
  /** Stored validations. */
  readonly validations: ValidationsApi
  /** Webhooks, their deliveries, and verification of received requests. */
  readonly webhooks: WebhooksApi
  readonly #transport: Transport

  constructor(options: ProbityOptions = {}) {
    const transport = createTransport(readClientOptions(options))
    this.#transport = transport
    this.account = createAccountApi(transport)
    this.erasures = createErasuresApi(transport)
    this.events = createEventsApi(transport)
    this.feedback = createFeedbackApi(transport)
    this.jobs = createJobsApi(transport)
    this.keys = createKeysApi(transport)
    this.ledger = createLedgerApi(transport)
    this.model = createModelApi(transport)
    this.overrides = createOverridesApi(transport)
    this.policies = createPoliciesApi(transport)
    this.requests = createRequestsApi(transport)
    this.uploads = createUploadsApi(transport)
    this.validations = createValidationsApi(transport)
    this.webhooks = createWebhooksApi(transport)
  }

  /** Validates one address and returns its result with evidence. Costs one credit. Scope: `validations:write`. */
  validate(email: string, options: ValidateOptions = {}): ApiPromise<ValidationResult> {
    return validateSingle(this.#transport, email, options)
  }

  /** Validates up to 1,000 addresses in one request. Costs one credit per unique address. Scope: `validations:write`. */
  validateBulk(emails: readonly string[], options: ValidateBulkOptions = {}): ApiPromise<BulkValidationSummary> {
    return validateBulk(this.#transport, emails, options)
  }

  /**
   * Validates any number of addresses with bulk requests and yields one item per address in the order of the input. Costs one credit
   * per unique address of each request. Scope: `validations:write`.
   */
  validateAll(
    emails: Iterable<string> | AsyncIterable<string>,
    options: ValidateAllOptions = {},
  ): AsyncGenerator<ValidateAllItem, void, undefined> {
    return validateAll(this.#transport, emails, options)
  }

  /** Returns the decision of a policy about one address, without an SMTP probe. The only call for publishable keys. Costs one credit. */
  decide(email: string, options: DecideOptions = {}): ApiPromise<DecisionResult> {
    return decide(this.#transport, email, options)
  }

  /** Requests, credits used and credits refunded, by day or by key. Scope: `account:read`. */
  usage(options: UsageOptions = {}): ApiPromise<Usage> {
    return getUsage(this.#transport, options)
  }

  /** Verdicts by day, jobs in progress, failed requests and alerts. Scope: `account:read`. */
  overview(options: OverviewOptions = {}): ApiPromise<Overview> {
    return getOverview(this.#transport, options)
  }

  /** Mailbox providers that currently block or delay probes. Scope: `account:read`. */
  providerHealth(options: RequestOptions = {}): ApiPromise<ProviderHealth> {
    return getProviderHealth(this.#transport, options)
  }
}

export type {
  AccountApi,
  ErasuresApi,
  FeedbackApi,
  LedgerApi,
  LedgerFilter,
  ListRequestsOptions,
  ModelApi,
  OverviewOptions,
  ReportFeedbackOptions,
  RequestLogFilter,
  RequestsApi,
  UpdateAccountOptions,
  UsageOptions,
} from './account.ts'
export type { AttemptInfo, AttemptResult, ProbityOptions } from './client-options.ts'
export type {
  Account,
  ApiKey,
  ApiKeyScope,
  ApiKeyWithSecret,
  BulkJob,
  BulkValidationSummary,
  CallbackSecret,
  ConfirmUploadResult,
  CreateApiKeyRequest,
  CreateOverridesResult,
  CreatePolicyRequest,
  CreateWebhookRequest,
  DecisionResult,
  DomainSuggestion,
  Erasure,
  ErasureCounts,
  Evidence,
  FeedbackReport,
  FeedbackSummary,
  JobBreakdown,
  JobComparison,
  JobResult,
  JobStatus,
  LedgerEntry,
  Model as DeliverabilityModel,
  NonAddress,
  Override,
  Overview,
  Policy,
  Preset,
  Problem as ProblemDetails,
  ProblemCode,
  ProviderHealth,
  RecoverWebhookDeliveriesResult,
  ReportLink,
  ReportLinkWithUrl,
  RequestLogEntry,
  RequestLogEntryDetail,
  UpdateAccountRequest,
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
} from './generated/api-types.ts'
// biome-ignore lint/performance/noBarrelFile: the published package has one entry point
export {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  InternalServerError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  ProbityApiError,
  ProbityError,
  RateLimitError,
  TimeoutError,
  WebhookVerificationError,
} from './http/errors.ts'
export type { Page, PageOptions, PagePromise } from './http/pages.ts'
export type { FileSource } from './http/request-body.ts'
export type { ApiPromise, ApiResponse, RateLimit, ResponseInfo } from './http/response.ts'
export type { StreamOptions } from './http/server-sent-events.ts'
export type { IdempotentRequestOptions, RequestOptions } from './http/transport.ts'
export type {
  CreateJobOptions,
  DownloadOptions,
  GetResultOptions,
  JobCallbackApi,
  JobEvent,
  JobFilter,
  JobResultsApi,
  JobsApi,
  ListResultsOptions,
  RerunJobOptions,
  ResultFilter,
  ResultSort,
  UpdateJobOptions,
  WaitOptions,
} from './jobs.ts'
export type { CreateKeyOptions, KeySettings, KeysApi, RotateKeyOptions, UpdateKeyOptions } from './keys.ts'
export type {
  CreateOverridesOptions,
  CreatePolicyOptions,
  OverrideFilter,
  OverridesApi,
  PoliciesApi,
  PolicySettings,
  UpdatePolicyOptions,
} from './policies.ts'
export type { CreateReportLinkOptions, ReportLinksApi } from './report-links.ts'
export type {
  CellOptions,
  ChangeUploadOptions,
  Correction,
  CorrectOptions,
  CreateUploadOptions,
  GetUploadOptions,
  UploadsApi,
} from './uploads.ts'
export type {
  DecideOptions,
  ValidateAllItem,
  ValidateAllOptions,
  ValidateBulkOptions,
  ValidateOptions,
  ValidationsApi,
} from './validations.ts'
export {
  type SignWebhookOptions,
  signWebhook,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
} from './webhook-signature.ts'
export type {
  CallbackSecretApi,
  CreateWebhookOptions,
  DeliveryFilter,
  RecoverDeliveriesOptions,
  UpdateWebhookOptions,
  WebhookDeliveriesApi,
  WebhookSettings,
  WebhooksApi,
} from './webhooks.ts'

export type StreamEventsOptions = StreamOptions & {
  /** Event types to return, for example `['job.completed']`. Default: all. */
  types?: readonly WebhookEvent['type'][] | undefined
}

/** Events of the account. Scope: `webhooks:read`. */
export type EventsApi = {
  /**
   * Iterates over the events of the mode of the key as they occur, with the same content as webhook requests. The stream reconnects
   * after a lost connection; events that occur in between are not repeated.
   */
  stream(options?: StreamEventsOptions): AsyncGenerator<WebhookEvent, void, undefined>
}

export function createEventsApi(transport: Transport): EventsApi {
  return {
    async *stream({ types, ...options } = {}) {
      for await (const { data } of followStream(transport, ['events', 'stream'], options)) {
        const event = parseEventData<WebhookEvent>(data)
        if (types === undefined || types.includes(event.type)) yield event
      }
    },
  }
}
