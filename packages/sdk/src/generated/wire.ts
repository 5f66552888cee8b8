// Written by `pnpm --filter @probity/sdk generate`; not to be changed by hand.

/**
 * Single validation request
 *
 * One address to validate.
 */
export type SingleValidationRequest = {
  /**
   * The email address to validate, up to 1024 characters. Any such text gets a verdict; one that is not an address is `invalid` with `syntax_error`.
   */
  email: string
  /**
   * How many seconds to wait for the verdict. What is not settled by then is answered `unknown` with a `retry_at`.
   */
  timeout?: number
  /**
   * Whether the local model may take part in `deliverability`.
   */
  ai?: boolean
  /**
   * Whether the mail server may be asked for an address that cannot exist. Without that an address that it accepts is `risky` with `catch_all_untested`, unless the domain is known to tell the truth.
   */
  catchall?: boolean
  /**
   * The name of a policy, built in (`signup`, `newsletter`, `transactional`) or of the account, to turn the result into `allow`, `review` or `block`.
   */
  policy?: string
  /**
   * Maximum age, in seconds, of an earlier result that may be returned instead of a new validation. 0: validate now. Without it, conclusive results of the last 24 hours are reused, which is also the longest possible age. A new result replaces the earlier one for later requests. Cached DNS findings are not affected; see `evidence`. A validation of the same address that is still in progress is joined in any case, because its result is newer than the request. A result that waits to be collected and is older than this is not returned; the new validation is charged.
   */
  max_age_s?: number
  /**
   * Text of your own, up to 200 characters, such as the id of a customer. It is returned in the response and in webhook events, and not evaluated.
   */
  reference?: string
}

/**
 * Validation status
 *
 * The verdict. The list is open: treat a value you do not know like `unknown`.
 * - `valid`: the mail server accepts mail for this mailbox.
 * - `invalid`: mail to this address cannot be delivered; we were told so, or the address rules it out.
 * - `risky`: mail may be accepted, but there is a known reason to hesitate.
 * - `unknown`: we could not find out. This says nothing against the address.
 */
export type ValidationStatus = 'valid' | 'invalid' | 'risky' | 'unknown' | Unlisted

/**
 * Validation sub status
 *
 * The reason for the verdict; empty when the status is `valid`. The list is open: go by `status` when you meet a reason you do not know.
 * - empty: (valid) nothing to add: the address is valid.
 * - `syntax_error`: (invalid) the text is not an email address.
 * - `domain_not_found`: (invalid) DNS says that the domain does not exist.
 * - `no_mail_server`: (invalid) the domain exists but names no server that takes mail.
 * - `null_mx`: (invalid) the domain declares that it takes no mail (RFC 7505).
 * - `domain_not_hosted`: (invalid) the mail server says that it does not serve this domain.
 * - `mailbox_not_found`: (invalid) the mail server says that there is no such mailbox.
 * - `mailbox_disabled`: (invalid) the mailbox exists but has been switched off.
 * - `mailbox_moved`: (invalid) the mailbox has moved to another address.
 * - `catch_all`: (risky) the domain accepts every address, so this one cannot be told apart.
 * - `catch_all_untested`: (risky) the mail server accepted the address; whether it accepts every address was not tested, as asked.
 * - `mailbox_full`: (risky) the mailbox exists but has no room at the moment.
 * - `disposable`: (risky) the domain hands out addresses that are thrown away after use.
 * - `not_probed`: (unknown) the mail server was not asked.
 * - `not_started`: (unknown) no worker claimed the address before the timeout, so validation did not start. The credit is refunded.
 * - `dns_failed`: (unknown) DNS gave no usable answer for the domain.
 * - `not_routable`: (unknown) the mail servers have addresses that the public internet cannot reach.
 * - `connection_failed`: (unknown) no mail server of the domain could be connected to.
 * - `timeout`: (unknown) the time allowed ran out before the mail server answered.
 * - `greylisted`: (unknown) the mail server asked us to come back later, as it does with every newcomer.
 * - `rate_limited`: (unknown) the mail server takes no more questions from us for now.
 * - `blocked`: (unknown) the mail server refuses us, not the mailbox.
 * - `policy_rejected`: (unknown) the mail server rejected the probe for policy reasons unrelated to the mailbox.
 * - `provider_unverifiable`: (unknown) this provider gives the same answer whether or not a mailbox exists.
 * - `smtputf8_unsupported`: (unknown) the address needs SMTPUTF8 and the mail server does not offer it.
 * - `address_literal`: (unknown) the domain is a bare IP address, which we do not ask.
 * - `server_error`: (unknown) the mail server broke off or answered with an error of its own.
 * - `internal_error`: (unknown) something failed on our side.
 * - `sandbox_unmapped`: (unknown) a test key was used with an address that the sandbox has no answer for.
 */
export type ValidationSubStatus =
  | ''
  | 'syntax_error'
  | 'domain_not_found'
  | 'no_mail_server'
  | 'null_mx'
  | 'domain_not_hosted'
  | 'mailbox_not_found'
  | 'mailbox_disabled'
  | 'mailbox_moved'
  | 'catch_all'
  | 'catch_all_untested'
  | 'mailbox_full'
  | 'disposable'
  | 'not_probed'
  | 'not_started'
  | 'dns_failed'
  | 'not_routable'
  | 'connection_failed'
  | 'timeout'
  | 'greylisted'
  | 'rate_limited'
  | 'blocked'
  | 'policy_rejected'
  | 'provider_unverifiable'
  | 'smtputf8_unsupported'
  | 'address_literal'
  | 'server_error'
  | 'internal_error'
  | 'sandbox_unmapped'
  | Unlisted

/**
 * Evidence check
 *
 * The check that made the finding. Checks may be added.
 * - `worker`: A worker process claims the address and runs the checks.
 * - `syntax`: The syntax of the address by RFC 5321, RFC 5322 and RFC 6531.
 * - `mx`: The mail servers of the domain in DNS.
 * - `spf`: The SPF record of the domain. It does not affect the verdict.
 * - `dmarc`: The DMARC record of the domain. It does not affect the verdict.
 * - `domain_class`: The entry of the domain in the lists of disposable, privacy relay and free domains.
 * - `recipient`: The SMTP probe of this address.
 * - `catch_all`: The test whether the domain accepts every recipient (catch-all).
 * - `domain_history`: Reported deliveries and bounces of mail to this domain.
 * - `address_text`: The text model’s estimate whether a person chose the local part.
 * - `address_pattern`: The pattern of the local part compared with addresses of this domain that received mail.
 * - `override`: The account’s own allowlist and blocklist. It decides `safe_to_send` and leaves the verdict unchanged.
 * - `model`: The state of the scoring model for the provider.
 * - `sandbox`: Test mode. No DNS query and no probe was made.
 */
export type EvidenceCheck =
  | 'worker'
  | 'syntax'
  | 'mx'
  | 'spf'
  | 'dmarc'
  | 'domain_class'
  | 'recipient'
  | 'catch_all'
  | 'domain_history'
  | 'address_text'
  | 'address_pattern'
  | 'override'
  | 'model'
  | 'sandbox'
  | Unlisted

/**
 * Evidence outcome
 *
 * The result of the check. Outcomes may be added. By check:
 * - `worker`: `not_claimed`.
 * - `syntax`: `passed`, `empty`, `too_long`, `no_at`, `display_name`, `comment`, `folding_white_space`, `control_character`, `invisible_character`, `bad_character`, `leading_dot`, `trailing_dot`, `double_dot`, `unclosed_quote`, `text_after_quote`, `local_empty`, `local_too_long`, `domain_empty`, `domain_too_long`, `label_empty`, `label_too_long`, `label_hyphen`, `bad_idna`, `single_label`, `numeric_tld`, `bad_literal`.
 * - `mx`: `found`, `domain_not_found`, `no_mail_server`, `null_mx`, `not_routable`, `timeout`, `servfail`, `refused`, `malformed`, `unreachable`, `canceled`, `bad_name`, `query_limit_reached`, `unresolved_alias`, `inconsistent`, `other`.
 * - `spf`: `found`, `absent`, `failed`.
 * - `dmarc`: `found`, `absent`, `failed`.
 * - `domain_class`: `disposable`, `privacy_relay`, `free`, `not_listed`.
 * - `recipient`: `accepted`, `mailbox_not_found`, `mailbox_disabled`, `mailbox_full`, `mailbox_moved`, `mailbox_busy`, `policy_rejected`, `domain_not_hosted`, `greylisted`, `verification_pending`, `rate_limited`, `too_many_recipients`, `too_many_errors`, `ip_blocked`, `ptr_required`, `sender_rejected`, `spf_required`, `tls_required`, `geo_blocked`, `smtputf8_unsupported`, `server_error`, `unclassified`, `unverifiable`, `connection_failed`, `not_routable`, `dns_failed`, `timeout`, `connection_closed`, `protocol_error`, `throttled`, `provider_unverifiable`, `known_catch_all`, `unencodable`, `no_egress`, `opted_out`.
 * - `catch_all`: `detected`, `not_detected`, `not_tested`.
 * - `domain_history`: `positive`, `negative`, `neutral`.
 * - `address_text`: `human_like`, `machine_like`, `neutral`, `abstained`.
 * - `address_pattern`: `positive`, `negative`, `neutral`.
 * - `override`: `allow`, `block`.
 * - `model`: `fallback`.
 * - `sandbox`: `mapped`, `unmapped`.
 */
export type EvidenceOutcome =
  | 'not_claimed'
  | 'passed'
  | 'empty'
  | 'too_long'
  | 'no_at'
  | 'display_name'
  | 'comment'
  | 'folding_white_space'
  | 'control_character'
  | 'invisible_character'
  | 'bad_character'
  | 'leading_dot'
  | 'trailing_dot'
  | 'double_dot'
  | 'unclosed_quote'
  | 'text_after_quote'
  | 'local_empty'
  | 'local_too_long'
  | 'domain_empty'
  | 'domain_too_long'
  | 'label_empty'
  | 'label_too_long'
  | 'label_hyphen'
  | 'bad_idna'
  | 'single_label'
  | 'numeric_tld'
  | 'bad_literal'
  | 'found'
  | 'domain_not_found'
  | 'no_mail_server'
  | 'null_mx'
  | 'not_routable'
  | 'timeout'
  | 'servfail'
  | 'refused'
  | 'malformed'
  | 'unreachable'
  | 'canceled'
  | 'bad_name'
  | 'query_limit_reached'
  | 'unresolved_alias'
  | 'inconsistent'
  | 'other'
  | 'absent'
  | 'failed'
  | 'disposable'
  | 'privacy_relay'
  | 'free'
  | 'not_listed'
  | 'accepted'
  | 'mailbox_not_found'
  | 'mailbox_disabled'
  | 'mailbox_full'
  | 'mailbox_moved'
  | 'mailbox_busy'
  | 'policy_rejected'
  | 'domain_not_hosted'
  | 'greylisted'
  | 'verification_pending'
  | 'rate_limited'
  | 'too_many_recipients'
  | 'too_many_errors'
  | 'ip_blocked'
  | 'ptr_required'
  | 'sender_rejected'
  | 'spf_required'
  | 'tls_required'
  | 'geo_blocked'
  | 'smtputf8_unsupported'
  | 'server_error'
  | 'unclassified'
  | 'unverifiable'
  | 'connection_failed'
  | 'dns_failed'
  | 'connection_closed'
  | 'protocol_error'
  | 'throttled'
  | 'provider_unverifiable'
  | 'known_catch_all'
  | 'unencodable'
  | 'no_egress'
  | 'opted_out'
  | 'detected'
  | 'not_detected'
  | 'not_tested'
  | 'positive'
  | 'negative'
  | 'neutral'
  | 'human_like'
  | 'machine_like'
  | 'abstained'
  | 'allow'
  | 'block'
  | 'fallback'
  | 'mapped'
  | 'unmapped'
  | Unlisted

/**
 * Evidence
 *
 * One finding behind the verdict.
 */
export type Evidence = {
  check: EvidenceCheck
  outcome: EvidenceOutcome
  /**
   * The finding as a sentence for people. The wording may change: do not parse it.
   */
  detail: string
  /**
   * `live` if the check was made for this request, `cache` if an earlier finding was reused.
   */
  source: 'live' | 'cache'
  /**
   * Time of the finding. Earlier than the request if `source` is `cache`.
   */
  checked_at: string
  /**
   * Duration of the check in milliseconds; may have a fraction.
   */
  duration_ms: number
  /**
   * Change of `deliverability` by this finding, in natural log-odds: positive values increase it, negative values decrease it. The sum over all evidence is the log-odds of `deliverability`. Absent if the finding was not weighed.
   */
  log_odds?: number
}

/**
 * Evidence list
 *
 * The findings in the order in which they were made.
 */
export type EvidenceList = Array<Evidence>

/**
 * Decision
 *
 * What to do with the address. The list is open: treat a value you do not know like `review`.
 * - `allow`: take the address.
 * - `review`: take it with care: ask the person, look again later, or let somebody decide.
 * - `block`: do not take it.
 */
export type Decision = 'allow' | 'review' | 'block' | Unlisted

/**
 * Validation result
 *
 * The verdict on one address, with the findings it rests on. Fields may be added.
 */
export type ValidationResult = {
  /**
   * The address as it was sent.
   */
  email: string
  status: ValidationStatus
  sub_status: ValidationSubStatus
  /**
   * Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.
   */
  confidence: number
  /**
   * Estimated probability that a message sent now is not hard-bounced. The `log_odds` of the evidence add up to its log-odds.
   */
  deliverability: number
  /**
   * How far the validation went.
   * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
   * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
   */
  depth: 'dns' | 'smtp'
  /**
   * Our advice whether to send: `deliverability` is at or above what the account asks for (0.97 unless it says otherwise), and the address is nothing that the account leaves out (disposable, role and machine-generated ones, unless it says otherwise). Where no mail server vouched for the mailbox, outcomes reported for its domain must. An `override` of the account takes precedence: blocked is never safe, allowed is unless `status` is `invalid`.
   */
  safe_to_send: boolean
  /**
   * True exactly when `status` is `valid`.
   */
  is_valid: boolean
  /**
   * The findings as fields. A boolean is true only if the check confirmed it.
   */
  details: {
    /**
     * The text is a well-formed address.
     */
    syntax_valid: boolean
    /**
     * DNS names a server that takes mail for the domain.
     */
    dns_valid: boolean
    /**
     * The mail server accepted this recipient.
     */
    smtp_valid: boolean
    /**
     * The SMTP reply code to the recipient; 0 when the server was not asked or did not answer.
     */
    smtp_code: number
    /**
     * The domain in lower case, as A-labels where it is internationalised; empty when none could be read.
     */
    domain: string
    /**
     * Who runs the mail servers of the domain; empty when we do not know.
     */
    provider: string
    /**
     * The domain is known for throw-away addresses.
     */
    is_disposable: boolean
    /**
     * The address belongs to a function, such as info or sales, rather than to a person.
     */
    is_role_based: boolean
    /**
     * The domain publishes an SPF record.
     */
    has_spf: boolean
    /**
     * The domain publishes a DMARC record.
     */
    has_dmarc: boolean
    /**
     * The mail servers of the domain in DNS, most preferred first, at most 10. Empty if none are known. A domain without MX records that has an IP address is its own mail server with preference 0 (RFC 5321, section 5.1).
     */
    mx: Array<{
      /**
       * Host name in lower case.
       */
      host: string
      /**
       * MX preference. Lower values are preferred.
       */
      preference: number
    }>
    /**
     * The address in normalized form: local part in lower case, domain in lower-case A-labels. Addresses with the same `canonical_email` are duplicates of each other. Dots and tags are kept. Null if the text is not an address.
     */
    canonical_email: string | null
    /**
     * The part before the `@` as it is sent to the mail server, including a tag; null if unknown.
     */
    local_part: string | null
    /**
     * The text after the first `+` of the local part; null if there is none.
     */
    tag: string | null
    /**
     * The domain in Unicode; equal to `domain` unless it is internationalized. Null if unknown.
     */
    domain_unicode: string | null
  }
  /**
   * Whether the domain accepts mail for every address. Field names say `catchall`; enum values say `catch_all`.
   */
  catchall: {
    /**
     * The mail server was seen to accept an address that cannot exist.
     */
    is_catchall: boolean
    /**
     * How sure we are of `is_catchall`, from 0 to 1; null when it was not tested.
     */
    confidence: number | null
  }
  /**
   * The part that a model played in the result.
   */
  ai_enhancement: {
    /**
     * The model moved the log-odds of `deliverability` by at least 0.05.
     */
    used: boolean
    /**
     * The name and version of the model; null where it was not used.
     */
    method: string | null
  }
  /**
   * How long the answer took.
   */
  performance: {
    /**
     * Time from the arrival of the request to its answer, in whole milliseconds.
     */
    response_time_ms: number
  }
  /**
   * About the answer itself.
   */
  metadata: {
    /**
     * When the answer was given: seconds of Unix time, with a fraction.
     */
    timestamp: number
    /**
     * The plan of the calling account.
     */
    plan_tier: string
    /**
     * The optional features that contributed to this result.
     */
    features_used: {
      /**
       * Whether it is known for this result if the domain is a catch-all: `catchall.confidence` is not null.
       */
      catchall_detection: boolean
      /**
       * Whether the model changed this result: equal to `ai_enhancement.used`.
       */
      ai_enhancement: boolean
    }
  }
  /**
   * Id of the validation, for `GET /validations/{validation_id}` and for feedback.
   */
  id: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The address that was probably intended, if this one looks mistyped or contains more than an address; null otherwise.
   */
  did_you_mean: string | null
  /**
   * Traits worth knowing that do not decide the verdict.
   */
  flags: {
    /**
     * The domain belongs to a free mail provider.
     */
    is_free: boolean
    /**
     * The address forwards to a mailbox it hides. Such relays last and are not disposable.
     */
    is_privacy_relay: boolean
    /**
     * The local part carries a tag, as in ada+news.
     */
    is_tagged: boolean
    /**
     * The text of the local part looks made by a machine. Never by itself a reason to turn a person away.
     */
    is_machine_generated: boolean
  }
  /**
   * Time from which to send the request again, while the validation is deferred; null if the result is final.
   */
  retry_at: string | null
  /**
   * The account's override for the address or its domain; null if it has none. An override changes `safe_to_send` and the decision of a policy, never the verdict.
   * - `allow`: the account allows it: safe to send unless the verdict is `invalid`.
   * - `block`: the account blocks it: never safe to send.
   */
  override: string | null
  evidence: EvidenceList
  /**
   * The `reference` of the request; null if it had none.
   */
  reference: string | null
  /**
   * What the policy that was asked for decides. Only there where the request named one.
   */
  policy?: {
    /**
     * What the policy is called: up to 50 lower-case letters, digits, `-` and `_`.
     */
    name: string
    decision: Decision
    /**
     * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
     */
    reason: string
    /**
     * Which rule decided, counted from 1; null where none applied, or where a list of the account did.
     */
    rule: number | null
  }
}

/**
 * Problem code
 *
 * The kind of problem for programs; a code never changes its meaning. New codes may be added, so fall back on `status`. Known codes: `invalid_request`, `malformed_json`, `api_key_in_query`, `conflicting_api_keys`, `no_file`, `missing_api_key`, `invalid_api_key`, `revoked_api_key`, `expired_api_key`, `insufficient_credits`, `api_key_cap_reached`, `paused_api_key`, `ip_not_allowed`, `origin_not_allowed`, `missing_scope`, `key_type_not_allowed`, `live_key_required`, `scope_not_grantable`, `exceeds_own_key`, `account_suspended`, `api_not_in_plan`, `not_found`, `method_not_allowed`, `request_timeout`, `idempotency_in_progress`, `upload_already_confirmed`, `job_finished`, `job_in_progress`, `job_under_review`, `inactive_api_key`, `webhook_disabled`, `too_many_keys`, `too_many_webhooks`, `policy_exists`, `too_many_policies`, `too_many_overrides`, `too_many_uploads`, `event_expired`, `file_removed`, `results_expired`, `payload_too_large`, `file_too_large`, `unsupported_media_type`, `content_encoding_refused`, `not_csv`, `idempotency_mismatch`, `empty_file`, `malformed_csv`, `record_too_long`, `too_many_columns`, `too_many_rows`, `too_many_emails`, `no_email_column`, `unknown_column`, `column_without_emails`, `webhook_url_rejected`, `rate_limited`, `concurrency_limited`, `too_many_streams`, `queue_limit_reached`, `domain_limit`, `headers_too_large`, `internal_error`, `overloaded`, `account_on_hold`, `service_unavailable`.
 */
export type ProblemCode =
  | 'invalid_request'
  | 'malformed_json'
  | 'api_key_in_query'
  | 'conflicting_api_keys'
  | 'no_file'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'revoked_api_key'
  | 'expired_api_key'
  | 'insufficient_credits'
  | 'api_key_cap_reached'
  | 'paused_api_key'
  | 'ip_not_allowed'
  | 'origin_not_allowed'
  | 'missing_scope'
  | 'key_type_not_allowed'
  | 'live_key_required'
  | 'scope_not_grantable'
  | 'exceeds_own_key'
  | 'account_suspended'
  | 'api_not_in_plan'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'idempotency_in_progress'
  | 'upload_already_confirmed'
  | 'job_finished'
  | 'job_in_progress'
  | 'job_under_review'
  | 'inactive_api_key'
  | 'webhook_disabled'
  | 'too_many_keys'
  | 'too_many_webhooks'
  | 'policy_exists'
  | 'too_many_policies'
  | 'too_many_overrides'
  | 'too_many_uploads'
  | 'event_expired'
  | 'file_removed'
  | 'results_expired'
  | 'payload_too_large'
  | 'file_too_large'
  | 'unsupported_media_type'
  | 'content_encoding_refused'
  | 'not_csv'
  | 'idempotency_mismatch'
  | 'empty_file'
  | 'malformed_csv'
  | 'record_too_long'
  | 'too_many_columns'
  | 'too_many_rows'
  | 'too_many_emails'
  | 'no_email_column'
  | 'unknown_column'
  | 'column_without_emails'
  | 'webhook_url_rejected'
  | 'rate_limited'
  | 'concurrency_limited'
  | 'too_many_streams'
  | 'queue_limit_reached'
  | 'domain_limit'
  | 'headers_too_large'
  | 'internal_error'
  | 'overloaded'
  | 'account_on_hold'
  | 'service_unavailable'
  | Unlisted

/**
 * Problem
 *
 * Why a request failed, as application/problem+json (RFC 9457). It contains no addresses, keys or other values of the request, so it can be logged as it is. Of the request it repeats only the names of unknown fields.
 */
export type Problem = {
  /**
   * Where the problem is documented: `/docs/errors#` and the code, a reference relative to the address of the service.
   */
  type: string
  /**
   * The kind of problem in a few words, the same for every problem with this code.
   */
  title: string
  /**
   * The HTTP status code of the response.
   */
  status: number
  /**
   * What happened this time, for people. Its wording may change: do not parse it.
   */
  detail: string
  code: ProblemCode
  /**
   * Names this one request. Quote it when you ask for help.
   */
  request_id: string
  /**
   * The faults one by one, where the request itself is at fault.
   */
  errors?: Array<{
    /**
     * Where the fault is: a JSON Pointer (RFC 6901) into the body, or the name of a parameter.
     */
    pointer: string
    /**
     * What is wrong there, without repeating the value.
     */
    detail: string
  }>
  /**
   * How many seconds to wait before trying again; the same number as in the Retry-After header.
   */
  retry_after_s?: number
}

/**
 * Bulk validation request
 *
 * A list of addresses to validate in one request.
 */
export type BulkValidationRequest = {
  /**
   * From 1 to 1000 addresses. Repeated ones are validated once and cost nothing more.
   */
  emails: Array<string>
  /**
   * How many seconds to wait for the verdicts. Addresses not settled by then are `unknown`.
   */
  timeout?: number
  /**
   * Whether the local model may take part in `deliverability`.
   */
  ai?: boolean
  /**
   * Whether the mail server may be asked for an address that cannot exist. Without that an address that it accepts is `risky` with `catch_all_untested`, unless the domain is known to tell the truth.
   */
  catchall?: boolean
  /**
   * The name of a policy, built in (`signup`, `newsletter`, `transactional`) or of the account, to turn the result into `allow`, `review` or `block`.
   */
  policy?: string
  /**
   * Maximum age, in seconds, of an earlier result that may be returned instead of a new validation. 0: validate now. Without it, conclusive results of the last 24 hours are reused, which is also the longest possible age. A new result replaces the earlier one for later requests. Cached DNS findings are not affected; see `evidence`. A validation of the same address that is still in progress is joined in any case, because its result is newer than the request. A result that waits to be collected and is older than this is not returned; the new validation is charged.
   */
  max_age_s?: number
  /**
   * Text of your own, up to 200 characters, such as the id of a customer. It is returned in the response and in webhook events, and not evaluated.
   */
  reference?: string
}

/**
 * Bulk validation summary
 *
 * The verdicts on a list, counted and one by one. Fields may be added.
 */
export type BulkValidationSummary = {
  /**
   * How many addresses were sent, repeated ones included.
   */
  total: number
  /**
   * Unique addresses that are `valid`.
   */
  valid_count: number
  /**
   * Unique addresses that are `invalid`.
   */
  invalid_count: number
  /**
   * Unique addresses that are `risky`.
   */
  risky_count: number
  /**
   * Addresses that repeat an earlier one; together with the other counts they make `total`.
   */
  duplicate_count: number
  /**
   * Credits charged by this call before refunds: 1 for every unique address that this call pays for. Not counted: addresses that an earlier request paid for, whose result is collected or still awaited, and all addresses in test mode. See `credits_charged`.
   */
  credits_used: number
  /**
   * One verdict per unique address, in the order in which the addresses first occur.
   */
  results: Array<{
    /**
     * The address as it was first sent.
     */
    email: string
    status: ValidationStatus
    /**
     * True exactly when `status` is `valid`.
     */
    is_valid: boolean
    /**
     * Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.
     */
    confidence: number
    sub_status: ValidationSubStatus
    /**
     * How far the validation went.
     * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
     * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
     */
    depth: 'dns' | 'smtp'
    /**
     * The account's override for the address or its domain; null if it has none. An override changes `safe_to_send` and the decision of a policy, never the verdict.
     * - `allow`: the account allows it: safe to send unless the verdict is `invalid`.
     * - `block`: the account blocks it: never safe to send.
     */
    override: string | null
    /**
     * Id of the validation, for `GET /validations/{validation_id}` and for feedback.
     */
    id: string
    /**
     * Recommendation whether to send, as in a single result.
     */
    safe_to_send: boolean
    /**
     * Estimated probability that a message sent now is not hard-bounced. The `log_odds` of the evidence add up to its log-odds.
     */
    deliverability: number
    /**
     * The address that was probably intended, if this one looks mistyped or contains more than an address; null otherwise.
     */
    did_you_mean: string | null
    /**
     * Time from which to send the request again, while the validation is deferred; null if the result is final.
     */
    retry_at: string | null
    /**
     * Positions of this address in `emails`, counted from 0, in ascending order. The second and later ones are duplicates.
     */
    indexes: Array<number>
    /**
     * What the policy that was asked for decides. Only there where the request named one.
     */
    policy?: {
      /**
       * What the policy is called: up to 50 lower-case letters, digits, `-` and `_`.
       */
      name: string
      decision: Decision
      /**
       * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
       */
      reason: string
      /**
       * Which rule decided, counted from 1; null where none applied, or where a list of the account did.
       */
      rule: number | null
    }
  }>
  /**
   * Unique addresses that are `unknown`.
   */
  unknown_count: number
  /**
   * Credits refunded for addresses that ended `unknown`, if the plan includes refunds.
   */
  credits_refunded: number
  /**
   * Net credits charged by this call: `credits_used` − `credits_refunded`, equal to the header `Credits-Charged`.
   */
  credits_charged: number
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The `reference` of the request; null if it had none.
   */
  reference: string | null
}

/**
 * Decision request
 *
 * One address to decide about.
 */
export type DecisionRequest = {
  /**
   * The email address to validate, up to 1024 characters. Any such text gets a verdict; one that is not an address is `invalid` with `syntax_error`.
   */
  email: string
  /**
   * Number of seconds to wait. Without a result by then, the policy decides about `unknown`.
   */
  timeout?: number
  /**
   * The name of a policy, built in (`signup`, `newsletter`, `transactional`) or of the account, to turn the result into `allow`, `review` or `block`.
   */
  policy?: string
}

/**
 * Decision result
 *
 * The decision about an address. It contains nothing that shows whether a mailbox exists. Fields may be added.
 */
export type DecisionResult = {
  decision: Decision
  /**
   * The reason that the rule of the policy gives.
   */
  reason: string
  /**
   * The address that was probably intended, if this one looks mistyped; null otherwise.
   */
  did_you_mean: string | null
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
}

/**
 * Upload form
 *
 * A form with the file in it.
 */
export type UploadForm = {
  /**
   * The CSV, up to 50 MiB.
   */
  file: Blob | File
}

/**
 * Upload preview
 *
 * What was found in an uploaded file, before anything is validated or charged. Fields may be added.
 */
export type UploadPreview = {
  /**
   * Identifies the upload.
   */
  id: string
  /**
   * The same as `id`; the confirm step takes it as `upload_id`.
   */
  upload_id: string
  /**
   * What the file was called when it was sent.
   */
  filename: string
  /**
   * The headers of the file from left to right. A column without one is `column_1` and so on; a repeated one gets the suffix `_2`.
   */
  columns: Array<string>
  /**
   * The column whose values look most like addresses or, if there is none, one whose header says email.
   */
  suggested_email_column: string
  /**
   * Why that column. The list is open.
   * - `most_addresses`: no other column has more values that look like addresses.
   * - `most_addresses_and_name`: the same, and its header says mail.
   * - `several_columns`: it has the most addresses, but other columns contain addresses too: ask the user to choose.
   * - `name_only`: its header says email, but fewer than a fifth of its values look like addresses, or none.
   */
  suggestion_reason: string
  /**
   * How large the file is.
   */
  size_bytes: number
  /**
   * How its text is written: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.
   */
  encoding: string
  /**
   * What separates its cells: a comma, a semicolon, a tab or a vertical bar.
   */
  delimiter: string
  /**
   * Its first row names the columns.
   */
  has_header: boolean
  /**
   * Rows of data, without the header and without rows that are empty.
   */
  row_count: number
  /**
   * The columns one by one, in the order of `columns`.
   */
  column_details: Array<{
    /**
     * The column, as in `columns`.
     */
    name: string
    /**
     * Rows in which it is not empty.
     */
    filled_count: number
    /**
     * Rows in which it holds an address, with a display name or without.
     */
    address_count: number
    /**
     * The share of its values that hold an address; 0 where it has none.
     */
    address_share: number
  }>
  /**
   * The first five rows of data, each with a value for every column, cut off at 200 characters.
   */
  sample_rows: Array<Array<string>>
  /**
   * The column that the counts below are of: the suggested one, unless another was asked for.
   */
  email_column: string
  /**
   * Rows in which that column holds an address.
   */
  email_count: number
  /**
   * Rows in which it is empty; they cost nothing.
   */
  empty_count: number
  /**
   * Rows in which the cell holds more than the address: a display name, angle brackets, `mailto:` or punctuation. The address is validated, and the export keeps the cell. Where a cell holds several addresses, the first is validated.
   */
  extracted_count: number
  /**
   * Rows in which it holds text without an address. They are not validated and cost nothing.
   */
  not_address_count: number
  /**
   * The first ten of these rows.
   */
  not_address_examples: Array<{
    /**
     * The row, as a spreadsheet numbers it.
     */
    row: number
    /**
     * The text, cut off at 200 characters.
     */
    value: string
  }>
  /**
   * Unique addresses among them.
   */
  unique_count: number
  /**
   * Rows that repeat an earlier address; they cost nothing.
   */
  duplicate_count: number
  /**
   * Where the unique addresses have their mailboxes, as far as well-known domains tell; most first.
   */
  provider_mix: Array<{
    /**
     * Who runs the mailboxes, as in a result; empty for all that cannot be told from the domain alone.
     */
    provider: string
    /**
     * Unique addresses there.
     */
    count: number
  }>
  /**
   * What the list would cost, and what there is. Nothing is charged or set aside by a preview.
   */
  credits: {
    /**
     * What validating `email_column` costs: 1 for every unique address; nothing in test mode.
     */
    quote: number
    /**
     * What the account has now.
     */
    available: number
    /**
     * The account never runs short, whatever `available` says.
     */
    unlimited: boolean
  }
  /**
   * Whether the installation can ask mail servers just now, and if not, why.
   */
  probing: {
    /**
     * Whether mail servers are asked just now.
     * - `smtp`: mail servers are asked.
     * - `dns`: no mail server can be asked at present. Addresses whose domain takes mail are `unknown` with `not_probed`, and their credit is given back whatever the plan says; no address is `invalid` for it.
     */
    mode: 'smtp' | 'dns'
    /**
     * Why not, where they are not; null where they are. The list is open.
     * - `no_helo_name`: no worker has a name to ask mail servers by (SMTP_HELO_NAME and SMTP_MAIL_FROM).
     * - `port_25_closed`: no mail server of several large providers answers on port 25.
     * - `intercepted`: somebody else answers in place of the mail servers: a firewall or a proxy of the network.
     * - `proxy_failed`: the proxy that mail servers are asked through does not answer.
     */
    reason: string | null
  }
  /**
   * Until when the upload can be confirmed; then the file is removed (RFC 3339, UTC).
   */
  expires_at: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
}

/**
 * Upload
 *
 * A file that was sent and not confirmed yet, in short. Fields may be added.
 */
export type Upload = {
  /**
   * Identifies the upload.
   */
  id: string
  /**
   * The same as `id`; the confirm step takes it as `upload_id`.
   */
  upload_id: string
  /**
   * What the file was called when it was sent.
   */
  filename: string
  /**
   * How large the file is.
   */
  size_bytes: number
  /**
   * The headers of the file from left to right. A column without one is `column_1` and so on; a repeated one gets the suffix `_2`.
   */
  columns: Array<string>
  /**
   * The column whose values look most like addresses or, if there is none, one whose header says email.
   */
  suggested_email_column: string
  /**
   * Rows of data, without the header and without rows that are empty.
   */
  row_count: number
  /**
   * Rows in which the suggested column holds an address.
   */
  email_count: number
  /**
   * Unique addresses among them.
   */
  unique_count: number
  /**
   * Rows that repeat an earlier address.
   */
  duplicate_count: number
  /**
   * When the file was sent (RFC 3339, UTC).
   */
  created_at: string
  /**
   * Until when the upload can be confirmed; then the file is removed (RFC 3339, UTC).
   */
  expires_at: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
}

/**
 * Upload list
 *
 * One page of the uploads that were not confirmed yet, newest first.
 */
export type UploadList = Array<Upload>

/**
 * Confirm upload request
 *
 * Turns an upload into a job.
 */
export type ConfirmUploadRequest = {
  /**
   * The upload to validate, as named by the preview.
   */
  upload_id: string
  /**
   * The column that holds the addresses: one of `columns` of the preview.
   */
  email_column: string
  /**
   * Whether the local model may take part in `deliverability`.
   */
  ai?: boolean
  /**
   * Whether the mail server may be asked for an address that cannot exist. Without that an address that it accepts is `risky` with `catch_all_untested`, unless the domain is known to tell the truth.
   */
  catchall?: boolean
  /**
   * Text of your own, up to 200 characters, such as the id of a customer. It is returned in the response and in webhook events, and not evaluated.
   */
  reference?: string
  /**
   * Maximum age, in seconds, of an earlier result that the job may use instead of a new validation. 0, or no value: validate every address. Earlier results are those of single and bulk requests of the last 24 hours, which is also the longest possible age; a job never uses results of other jobs. A reused result costs the same. Cached findings about a domain (DNS, catch-all) are not affected; see `source` in the evidence.
   */
  max_age_s?: number
  /**
   * URL that receives the event that ends the job: `job.completed`, `job.failed` or `job.canceled`. The rules for webhook URLs apply. The request is signed with the callback secret of the account.
   */
  callback_url?: string
}

/**
 * Job status
 *
 * What the job is doing. The list is open: treat a state you do not know as one that is still under way.
 * - `queued`: confirmed and waiting for its turn.
 * - `planning`: the file is being read and its addresses are laid out for work.
 * - `processing`: addresses are being validated.
 * - `paused`: no work is done until the job is resumed; what is finished is kept.
 * - `completed`: every address has its result.
 * - `canceled`: stopped on request; finished results are kept and unused credits returned.
 * - `failed`: given up because of a fault; unused credits are returned.
 */
export type JobStatus = 'queued' | 'planning' | 'processing' | 'paused' | 'completed' | 'canceled' | 'failed' | Unlisted

/**
 * Confirm upload result
 *
 * The job of a confirmed upload and its present status. Fields may be added.
 */
export type ConfirmUploadResult = {
  /**
   * Names the job.
   */
  id: string
  status: JobStatus
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
}

/**
 * Bulk job
 *
 * A file of addresses on its way through validation. Fields may be added.
 */
export type BulkJob = {
  /**
   * Names the job.
   */
  id: string
  status: JobStatus
  /**
   * What the uploaded file was called.
   */
  filename: string
  /**
   * The column that holds the addresses.
   */
  email_column: string
  /**
   * The `reference` of the confirmation; null if it had none.
   */
  reference: string | null
  /**
   * When the upload was confirmed (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the first address was taken up (RFC 3339, UTC); null before that.
   */
  started_at: string | null
  /**
   * When the job came to its end, whichever it was (RFC 3339, UTC); null until then.
   */
  finished_at: string | null
  /**
   * The day (UTC) on which the addresses and their results are removed. This summary stays.
   */
  expires_on: string
  /**
   * Rows of data in the file, without the header and without empty rows.
   */
  row_count: number
  /**
   * Rows whose email cell contains an address.
   */
  email_count: number
  /**
   * Unique addresses among these rows.
   */
  unique_count: number
  /**
   * Rows that repeat an earlier address.
   */
  duplicate_count: number
  /**
   * Unique addresses that have a result.
   */
  done_count: number
  /**
   * The share of the unique addresses that have a result; 1 only when all of them have.
   */
  progress: number
  /**
   * Addresses finished per second, over the last minute; 0 where none were, and once the job has ended.
   */
  rate_per_s: number
  /**
   * Between when and when the job is expected to be done. Null where there is nothing to tell it by: before the work has begun, while it is paused and once it has ended.
   */
  eta: {
    /**
     * If the work goes on at the pace of the last minute (RFC 3339, UTC).
     */
    earliest_at: string
    /**
     * If it goes slower, and if the mail servers that put addresses off do so as often as we ask (RFC 3339, UTC).
     */
    latest_at: string
  } | null
  /**
   * Addresses without a final result whose retry is scheduled, by reason.
   */
  deferred: Array<{
    /**
     * The reason of the deferral, as a `sub_status`. More values may be added.
     */
    reason: string
    /**
     * Unique addresses that are deferred for this reason.
     */
    count: number
    /**
     * The time of the first of these retries (RFC 3339, UTC).
     */
    retry_at: string
  }>
  /**
   * Reason why a job that has not ended makes no progress; null while it is not. The list is open.
   * - `no_worker`: no worker is running. Work continues where it stopped as soon as one runs.
   * - `under_review`: the abuse limits paused the job: an operator reviews the list and then releases or cancels it. The job cannot be resumed meanwhile.
   */
  delay_reason: string | null
  /**
   * The finished addresses by status.
   */
  status_counts: {
    /**
     * Unique addresses found `valid` so far.
     */
    valid: number
    /**
     * Unique addresses found `invalid` so far.
     */
    invalid: number
    /**
     * Unique addresses found `risky` so far.
     */
    risky: number
    /**
     * Unique addresses that ended `unknown` so far.
     */
    unknown: number
  }
  /**
   * The finished addresses by reason. Only reasons that occurred are listed, and results without a reason are left out.
   */
  sub_status_counts: {
    [key: string]: number
  }
  /**
   * What the job costs.
   */
  credits: {
    /**
     * Credits set aside for addresses that have no result yet.
     */
    reserved: number
    /**
     * Credits charged so far: 1 for every unique address with a result.
     */
    used: number
    /**
     * Credits given back so far for addresses that ended `unknown`, where the plan does so, and for all that no mail server could be asked about (`not_probed`).
     */
    refunded: number
  }
  /**
   * The URL that receives the event that ends the job; null if there is none.
   */
  callback_url: string | null
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
}

/**
 * Bulk job list
 *
 * One page of the jobs of the account, newest first.
 */
export type BulkJobList = Array<BulkJob>

/**
 * Webhook delivery detail
 *
 * A delivery with its request and attempts. Fields may be added.
 */
export type WebhookDeliveryDetail = {
  /**
   * The id of the delivery.
   */
  id: string
  /**
   * The id of the webhook; null for the callback of a job.
   */
  webhook_id: string | null
  /**
   * The id of the event, sent as `webhook-id` in every attempt. Use it to ignore duplicates.
   */
  event_id: string
  /**
   * The type of the event. Values may be added.
   */
  type: string
  /**
   * The status of the delivery. Values may be added.
   * - `pending`: an attempt is in progress or scheduled for `retry_at`.
   * - `delivered`: an attempt was answered with a 2xx status.
   * - `failed`: no further attempt is made: ten attempts failed, the webhook was disabled, or the event has expired.
   */
  status: string
  /**
   * Number of completed attempts.
   */
  attempt_count: number
  /**
   * When the next attempt is due (RFC 3339, UTC); null if there is none.
   */
  retry_at: string | null
  /**
   * When the delivery was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the delivery succeeded or failed (RFC 3339, UTC); null until then.
   */
  finished_at: string | null
  /**
   * The request that is sent.
   */
  request: {
    /**
     * The headers of the last attempt; empty before the first. `webhook-signature` covers id, timestamp and body.
     */
    headers: {
      [key: string]: string
    }
    /**
     * The body, byte for byte; null after it has expired, which depends on the retention of the account.
     */
    body: string | null
  }
  /**
   * The attempts, oldest first.
   */
  attempts: Array<{
    /**
     * When the request was signed, in whole seconds, as in `webhook-timestamp` (RFC 3339, UTC).
     */
    attempted_at: string
    /**
     * The HTTP status of the response; null if there was none. Nothing else of a response is stored.
     */
    http_status: number | null
    /**
     * Why there was no response; null if there was one. Values may be added.
     * - `dns_failed`: the DNS lookup of the host failed.
     * - `no_address`: the host has no IP address.
     * - `not_routable`: the host has no public IP address.
     * - `refused`: the connection was refused.
     * - `unreachable`: the connection could not be established.
     * - `timeout`: the response was not complete after 15 seconds.
     * - `tls_failed`: the host has no valid certificate for its name.
     * - `connection_lost`: the connection was closed before the response.
     * - `not_http`: the response was not HTTP.
     * - `url_refused`: the URL violates the rules for webhook URLs.
     * - `event_expired`: the body of the event has been deleted.
     * - `not_finished`: attempts were interrupted repeatedly on our side.
     */
    error: string | null
    /**
     * Duration of the attempt in milliseconds.
     */
    duration_ms: number
  }>
}

/**
 * Webhook delivery
 *
 * The delivery of one event to one webhook, or to the callback URL of a job. Fields may be added.
 */
export type WebhookDelivery = {
  /**
   * The id of the delivery.
   */
  id: string
  /**
   * The id of the webhook; null for the callback of a job.
   */
  webhook_id: string | null
  /**
   * The id of the event, sent as `webhook-id` in every attempt. Use it to ignore duplicates.
   */
  event_id: string
  /**
   * The type of the event. Values may be added.
   */
  type: string
  /**
   * The status of the delivery. Values may be added.
   * - `pending`: an attempt is in progress or scheduled for `retry_at`.
   * - `delivered`: an attempt was answered with a 2xx status.
   * - `failed`: no further attempt is made: ten attempts failed, the webhook was disabled, or the event has expired.
   */
  status: string
  /**
   * Number of completed attempts.
   */
  attempt_count: number
  /**
   * When the next attempt is due (RFC 3339, UTC); null if there is none.
   */
  retry_at: string | null
  /**
   * When the delivery was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the delivery succeeded or failed (RFC 3339, UTC); null until then.
   */
  finished_at: string | null
}

/**
 * Job result
 *
 * The verdict on one address of a list. Fields may be added.
 */
export type JobResult = {
  /**
   * The address that was validated: the one in the cell, without a display name or `mailto:` around it.
   */
  email: string
  /**
   * The row of the file where the address occurs first, as a spreadsheet numbers it.
   */
  row: number
  status: ValidationStatus
  sub_status: ValidationSubStatus
  /**
   * Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.
   */
  confidence: number
  /**
   * Estimated probability that a message sent now is not hard-bounced. The `log_odds` of the evidence add up to its log-odds.
   */
  deliverability: number
  /**
   * How far the validation went.
   * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
   * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
   */
  depth: 'dns' | 'smtp'
  /**
   * Our advice whether to send: `deliverability` is at or above what the account asks for (0.97 unless it says otherwise), and the address is nothing that the account leaves out (disposable, role and machine-generated ones, unless it says otherwise). Where no mail server vouched for the mailbox, outcomes reported for its domain must. An `override` of the account takes precedence: blocked is never safe, allowed is unless `status` is `invalid`.
   */
  safe_to_send: boolean
  /**
   * True exactly when `status` is `valid`.
   */
  is_valid: boolean
  /**
   * The address that was probably intended, when this one looks mistyped or holds more than an address; null otherwise.
   */
  did_you_mean: string | null
  /**
   * The domain in lower case, as A-labels where it is internationalised; empty when none could be read.
   */
  domain: string
  /**
   * Who runs the mail servers of the domain; empty when we do not know.
   */
  provider: string
  /**
   * The domain is known for throw-away addresses.
   */
  is_disposable: boolean
  /**
   * The address belongs to a function, such as info or sales, rather than to a person.
   */
  is_role_based: boolean
  /**
   * The domain publishes an SPF record.
   */
  has_spf: boolean
  /**
   * The domain publishes a DMARC record.
   */
  has_dmarc: boolean
  /**
   * Traits worth knowing that do not decide the verdict.
   */
  flags: {
    /**
     * The domain belongs to a free mail provider.
     */
    is_free: boolean
    /**
     * The address forwards to a mailbox it hides. Such relays last and are not disposable.
     */
    is_privacy_relay: boolean
    /**
     * The local part carries a tag, as in ada+news.
     */
    is_tagged: boolean
    /**
     * The text of the local part looks made by a machine. Never by itself a reason to turn a person away.
     */
    is_machine_generated: boolean
  }
  /**
   * The account's override for the address or its domain; null if it has none. An override changes `safe_to_send` and the decision of a policy, never the verdict.
   * - `allow`: the account allows it: safe to send unless the verdict is `invalid`.
   * - `block`: the account blocks it: never safe to send.
   */
  override: string | null
  /**
   * The findings as fields. A boolean is true only if the check confirmed it.
   */
  details?: {
    /**
     * The text is a well-formed address.
     */
    syntax_valid: boolean
    /**
     * DNS names a server that takes mail for the domain.
     */
    dns_valid: boolean
    /**
     * The mail server accepted this recipient.
     */
    smtp_valid: boolean
    /**
     * The SMTP reply code to the recipient; 0 when the server was not asked or did not answer.
     */
    smtp_code: number
    /**
     * The domain in lower case, as A-labels where it is internationalised; empty when none could be read.
     */
    domain: string
    /**
     * Who runs the mail servers of the domain; empty when we do not know.
     */
    provider: string
    /**
     * The domain is known for throw-away addresses.
     */
    is_disposable: boolean
    /**
     * The address belongs to a function, such as info or sales, rather than to a person.
     */
    is_role_based: boolean
    /**
     * The domain publishes an SPF record.
     */
    has_spf: boolean
    /**
     * The domain publishes a DMARC record.
     */
    has_dmarc: boolean
    /**
     * The mail servers of the domain in DNS, most preferred first, at most 10. Empty if none are known. A domain without MX records that has an IP address is its own mail server with preference 0 (RFC 5321, section 5.1).
     */
    mx: Array<{
      /**
       * Host name in lower case.
       */
      host: string
      /**
       * MX preference. Lower values are preferred.
       */
      preference: number
    }>
    /**
     * The address in normalized form: local part in lower case, domain in lower-case A-labels. Addresses with the same `canonical_email` are duplicates of each other. Dots and tags are kept. Null if the text is not an address.
     */
    canonical_email: string | null
    /**
     * The part before the `@` as it is sent to the mail server, including a tag; null if unknown.
     */
    local_part: string | null
    /**
     * The text after the first `+` of the local part; null if there is none.
     */
    tag: string | null
    /**
     * The domain in Unicode; equal to `domain` unless it is internationalized. Null if unknown.
     */
    domain_unicode: string | null
  }
  /**
   * Whether the domain accepts mail for every address. Field names say `catchall`; enum values say `catch_all`.
   */
  catchall?: {
    /**
     * The mail server was seen to accept an address that cannot exist.
     */
    is_catchall: boolean
    /**
     * How sure we are of `is_catchall`, from 0 to 1; null when it was not tested.
     */
    confidence: number | null
  }
  /**
   * The part that a model played in the result.
   */
  ai_enhancement?: {
    /**
     * The model moved the log-odds of `deliverability` by at least 0.05.
     */
    used: boolean
    /**
     * The name and version of the model; null where it was not used.
     */
    method: string | null
  }
  evidence?: EvidenceList
  /**
   * What the policy that was asked for decides. Only there where the request named one.
   */
  policy?: {
    /**
     * What the policy is called: up to 50 lower-case letters, digits, `-` and `_`.
     */
    name: string
    decision: Decision
    /**
     * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
     */
    reason: string
    /**
     * Which rule decided, counted from 1; null where none applied, or where a list of the account did.
     */
    rule: number | null
  }
}

/**
 * Job result list
 *
 * One page of the results of a job, in the order of the rows of its file.
 */
export type JobResultList = Array<JobResult>

/**
 * Job result lines
 *
 * All results of a job in the order of the rows of its file, each as one line of JSON.
 */
export type JobResultLines = string

/**
 * Job result CSV
 *
 * Every row of the uploaded file, each cell in quotes, with our columns behind its own; empty ones where there is no result.
 */
export type JobResultCsv = string

/**
 * Preset
 *
 * The name of the plan, as results and the command line know it. The list is open.
 */
export type Preset = 'safest' | 'balanced' | 'all_but_bounces' | Unlisted

/**
 * Job breakdown
 *
 * The results of a job counted in several ways; while it is under way, the results so far. Fields may be added.
 */
export type JobBreakdown = {
  /**
   * All verdicts that occurred, most first.
   */
  by_reason: Array<{
    status: ValidationStatus
    sub_status: ValidationSubStatus
    /**
     * Unique addresses with this verdict.
     */
    count: number
  }>
  /**
   * All providers, largest first.
   */
  by_provider: Array<{
    /**
     * Who runs the mailboxes, as in a result; empty where that is not known.
     */
    provider: string
    /**
     * Unique addresses there.
     */
    count: number
    /**
     * Those of them that are `valid`.
     */
    valid: number
    /**
     * Those that are `invalid`.
     */
    invalid: number
    /**
     * Those that are `risky`.
     */
    risky: number
    /**
     * Those that ended `unknown`.
     */
    unknown: number
  }>
  /**
   * The 20 domains with the most addresses, largest first. Addresses without a domain are left out.
   */
  by_domain: Array<{
    /**
     * The domain, as in a result.
     */
    domain: string
    /**
     * Who runs the mailboxes, as in a result; empty where that is not known.
     */
    provider: string
    /**
     * Unique addresses there.
     */
    count: number
    /**
     * Those of them that are `valid`.
     */
    valid: number
    /**
     * Those that are `invalid`.
     */
    invalid: number
    /**
     * Those that are `risky`.
     */
    risky: number
    /**
     * Those that ended `unknown`.
     */
    unknown: number
  }>
  /**
   * What each preset keeps and removes, the strictest first.
   */
  keep_plans: Array<{
    preset: Preset
    /**
     * Unique addresses that stay.
     */
    keep_count: number
    /**
     * Unique addresses that go.
     */
    remove_count: number
    /**
     * Which share of mail to those that stay is expected to come back. Provisional: by a figure for each reason, set by hand.
     */
    expected_bounce_rate: {
      /**
       * At least this share.
       */
      low: number
      /**
       * At most this share.
       */
      high: number
    }
    /**
     * The reasons of which it keeps any, as `sub_status`; the empty one is `valid`. `safest` keeps only what is `safe_to_send`.
     */
    keeps: Array<string>
  }>
}

/**
 * Feedback report
 *
 * What became of mail that was sent.
 */
export type FeedbackReport = {
  /**
   * From 1 to 10000 messages, delivered and bounced.
   */
  messages: Array<{
    /**
     * The address that the message was sent to. It is not kept.
     */
    email: string
    /**
     * `delivered` if no bounce arrived within about three days, `bounced` if one did.
     */
    delivery: 'delivered' | 'bounced'
    /**
     * Of a bounce: its SMTP or enhanced status code, or the line that it came in. Only bounces that tell of the mailbox count.
     */
    code?: string
    /**
     * The `id` of the result that the message was sent by.
     */
    id?: string
  }>
  /**
   * Number of messages sent in total, including those that are not reported. If fewer deliveries are reported than there were, each counts for several.
   */
  sent_total?: number
  /**
   * The day the mail was sent (UTC), at most 60 days ago; today if left out. A message of the same day to the same address counts once, however often it is reported.
   */
  sent_on?: string
  /**
   * The job whose results the mail was sent by, so that they can be held against what came of it.
   */
  job_id?: string
}

/**
 * Feedback CSV
 *
 * The same as CSV: a header with the columns `email` and `delivery`, and `code` and `id` where there are any, in any order, and up to 10000 rows.
 */
export type FeedbackCsv = string

/**
 * Feedback summary
 *
 * What was made of a report. Fields may be added.
 */
export type FeedbackSummary = {
  /**
   * Messages in the report.
   */
  received: number
  /**
   * What was new.
   */
  counted: {
    /**
     * Deliveries that count from now on.
     */
    delivered: number
    /**
     * Bounces that do. One that was counted as delivered before has changed sides.
     */
    bounced: number
  }
  /**
   * What was left out, and why.
   */
  not_counted: {
    /**
     * Known already, or more than once in this report.
     */
    duplicate: number
    /**
     * Bounces whose code tells nothing of the mailbox, or that have none.
     */
    not_a_mailbox_bounce: number
    /**
     * Texts that are no address.
     */
    not_an_address: number
    /**
     * Bounces with `sent_total` and without a single delivery, of which we have no result: there is nothing to set them against.
     */
    no_prediction: number
  }
  /**
   * For how many deliveries each reported one stands, by `sent_total`; 1 without it.
   */
  delivered_weight: number
  /**
   * Messages for which an earlier result of the address was found, so that the two can be compared.
   */
  predictions_found: number
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
}

/**
 * Model
 *
 * What the chance of delivery is made of, and how well it holds. Fields may be added.
 */
export type Model = {
  /**
   * The model that reads local parts.
   */
  name: string
  /**
   * Its version.
   */
  version: string
  /**
   * What its weights come to (SHA-256): the same hash is the same model.
   */
  hash: string
  /**
   * The numbers that chances are made with, by name.
   */
  parameters: {
    [key: string]: number
  }
  /**
   * What chances begin with.
   */
  base_rates: Array<{
    sub_status: ValidationSubStatus
    /**
     * The provider that it holds for; null for all others.
     */
    provider: string | null
    /**
     * The chance of no hard bounce.
     */
    p: number
    /**
     * The share of such domains that never bounce anything.
     */
    swallow: number
  }>
  /**
   * What was predicted beside what came of it, from reported outcomes.
   */
  calibration: {
    /**
     * Whose outcomes these are: those of the account, or of all accounts where the operator has them shared.
     */
    scope: 'account' | 'shared'
    /**
     * When the last of them was counted (RFC 3339, UTC); null when there is none.
     */
    last_outcome_at: string | null
    /**
     * By provider and kind.
     */
    providers: Array<{
      /**
       * Who runs the mailboxes, as in a result; empty where that is not known.
       */
      provider: string
      /**
       * `decided` where the status was `valid` or `invalid`, `weighed` where it was `risky` or `unknown`.
       */
      kind: 'decided' | 'weighed'
      /**
       * Outcomes that predictions were held against, each as far as it has not faded.
       */
      outcomes: number
      /**
       * The mean squared distance between prediction and outcome.
       */
      brier: number
      /**
       * How far predictions are off on average, tenth by tenth (expected calibration error).
       */
      ece: number
      /**
       * Whether predictions here were so far off that base rates are used in their place.
       */
      fallen_back: boolean
      /**
       * The tenths in which there are outcomes, in order.
       */
      bins: Array<{
        /**
         * The least chance in it.
         */
        from: number
        /**
         * The greatest.
         */
        to: number
        /**
         * Outcomes in it, each as far as it has not faded.
         */
        outcomes: number
        /**
         * The mean of what was predicted.
         */
        predicted: number
        /**
         * The share that was delivered.
         */
        observed: number
      }>
    }>
  }
}

/**
 * API key scope
 *
 * One scope of an API key.
 */
export type ApiKeyScope =
  | 'validations:read'
  | 'validations:write'
  | 'jobs:read'
  | 'jobs:write'
  | 'account:read'
  | 'account:write'
  | 'keys:read'
  | 'keys:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | Unlisted

/**
 * Account
 *
 * The account that the calling key belongs to. Fields may be added.
 */
export type Account = {
  /**
   * Id of the account.
   */
  id: string
  /**
   * Name of the account.
   */
  name: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * Plan of the account.
   */
  plan: {
    /**
     * Name of the plan.
     */
    name: string
    /**
     * Whether live keys can use the API.
     */
    api_access: boolean
    /**
     * Whether the model can contribute to the score.
     */
    ai_enhancement: boolean
    /**
     * Whether domains are tested for catch-all.
     */
    catchall_detection: boolean
    /**
     * Whether the credit is refunded if the final status is `unknown`. The sub-statuses `not_probed` and `not_started` are always refunded.
     */
    refund_unknown: boolean
  }
  /**
   * Credit balance. One credit pays for one unique address.
   */
  credits: {
    /**
     * Credits that can be used now. Ignored if `unlimited` is true.
     */
    available: number
    /**
     * Credits held for validations and jobs in progress.
     */
    reserved: number
    /**
     * Credits used since the account was created, net of refunds.
     */
    used: number
    /**
     * Whether the account uses credits without a balance.
     */
    unlimited: boolean
    /**
     * Low-credit threshold. The event `credits.low` is sent each time the balance falls below it.
     */
    low_at: number
  }
  /**
   * Limits of the account.
   */
  limits: {
    /**
     * Requests per window.
     */
    requests_per_window: number
    /**
     * Length of the window, in seconds.
     */
    window_s: number
    /**
     * Addresses per bulk validation.
     */
    emails_per_request: number
    /**
     * Rows with an address per uploaded file.
     */
    emails_per_file: number
    /**
     * Single and bulk validation requests that are processed at once. A bulk request counts as one.
     */
    interactive_in_flight: number
    /**
     * Maximum of `retention_days`.
     */
    retention_days_max: number
  }
  /**
   * Conditions for `safe_to_send`.
   */
  sending: {
    /**
     * Lowest `deliverability` of an address that is `safe_to_send`. 0.97 means a bounce tolerance of 3 %.
     */
    threshold: number
    /**
     * Traits that an address must not have to be `safe_to_send`:
     * - `disposable`: addresses at temporary-email providers.
     * - `role_based`: shared addresses such as info@ or sales@.
     * - `machine_generated`: addresses whose local part looks auto-generated.
     * - `free`: addresses at free mail providers.
     * - `privacy_relay`: addresses that forward to a mailbox they hide.
     * - `tagged`: addresses with a tag, as in ada+news.
     */
    excluded_traits: Array<'disposable' | 'role_based' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
  }
  /**
   * Whether the installation can ask mail servers just now, and if not, why.
   */
  probing: {
    /**
     * Whether mail servers are asked just now.
     * - `smtp`: mail servers are asked.
     * - `dns`: no mail server can be asked at present. Addresses whose domain takes mail are `unknown` with `not_probed`, and their credit is given back whatever the plan says; no address is `invalid` for it.
     */
    mode: 'smtp' | 'dns'
    /**
     * Why not, where they are not; null where they are. The list is open.
     * - `no_helo_name`: no worker has a name to ask mail servers by (SMTP_HELO_NAME and SMTP_MAIL_FROM).
     * - `port_25_closed`: no mail server of several large providers answers on port 25.
     * - `intercepted`: somebody else answers in place of the mail servers: a firewall or a proxy of the network.
     * - `proxy_failed`: the proxy that mail servers are asked through does not answer.
     */
    reason: string | null
  }
  /**
   * Reason why validation is delayed for all accounts; null while it is not. The list is open.
   * - `no_worker`: no worker is running. Work continues where it stopped as soon as one runs.
   */
  delay_reason: string | null
  /**
   * Days until stored results are deleted; 0 if results are not stored.
   */
  retention_days: number
  /**
   * The calling key. Absent for requests of the web app.
   */
  key?: {
    /**
     * `id` of the key.
     */
    id: string
    /**
     * Name of the key.
     */
    name: string
    /**
     * Whether the key is a live key. A live key validates with real mail servers and uses credits; a test key (`false`) uses the sandbox. The mode of a key never changes.
     */
    livemode: boolean
    /**
     * Scopes of the key, including the read scope of every write scope. Scopes may be added.
     * - `validations:read`: read stored validation results.
     * - `validations:write`: validate addresses, one or many per request, and report the delivery outcome of messages.
     * - `jobs:read`: read uploads, jobs and their results.
     * - `jobs:write`: upload lists; start, pause, resume, cancel and delete jobs.
     * - `account:read`: read plan, credits, limits, usage, request log, policies and overrides.
     * - `account:write`: change account settings, policies and overrides.
     * - `keys:read`: read API keys, without their secrets.
     * - `keys:write`: create, change, rotate and revoke API keys.
     * - `webhooks:read`: read webhooks and their deliveries.
     * - `webhooks:write`: create, change, test and delete webhooks, resend deliveries, and set the low-credit threshold.
     */
    scopes: Array<ApiKeyScope>
  }
}

/**
 * Update account request
 *
 * Settings to change, at least one. Settings that are left out keep their value.
 */
export type UpdateAccountRequest = {
  /**
   * Name of the account, 1 to 200 characters.
   */
  name?: string
  /**
   * Days until new results are deleted, at most `limits.retention_days_max`; 0 for the shortest time possible. Existing results keep their date of deletion.
   */
  retention_days?: number
  /**
   * Conditions for `safe_to_send`. A change takes effect within a minute.
   */
  sending?: {
    /**
     * Lowest `deliverability` of an address that is `safe_to_send`. 0.97 means a bounce tolerance of 3 %.
     */
    threshold?: number
    /**
     * Traits that an address must not have to be `safe_to_send`:
     * - `disposable`: addresses at temporary-email providers.
     * - `role_based`: shared addresses such as info@ or sales@.
     * - `machine_generated`: addresses whose local part looks auto-generated.
     * - `free`: addresses at free mail providers.
     * - `privacy_relay`: addresses that forward to a mailbox they hide.
     * - `tagged`: addresses with a tag, as in ada+news.
     */
    excluded_traits?: Array<'disposable' | 'role_based' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
  }
  /**
   * Credit settings. The scope `webhooks:write` is sufficient to change them.
   */
  credits?: {
    /**
     * Low-credit threshold. The event `credits.low` is sent each time the balance falls below it. Null for the default: a tenth of the credits that were last bought or granted.
     */
    low_at: number | null
  }
}

/**
 * Callback secret
 *
 * The secret that signs the callbacks of jobs, one for each mode. Fields may be added.
 */
export type CallbackSecret = {
  /**
   * The secret for the `v1` signature of job callbacks, as Standard Webhooks defines it.
   */
  secret: string
  /**
   * Until when the secret from before the last rotation also signs (RFC 3339, UTC); null if it was never rotated.
   */
  previous_secret_expires_at: string | null
  /**
   * When the first secret was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
}

/**
 * Erasure request
 *
 * One address whose data is deleted.
 */
export type ErasureRequest = {
  /**
   * The email address to erase, up to 1024 characters. Every spelling that counts as a duplicate of it is erased too, for example in upper case.
   */
  email: string
}

/**
 * Erasure counts
 *
 * Number of deleted or changed objects by kind, of live and test mode.
 */
export type ErasureCounts = {
  /**
   * Deleted single and bulk validations, with their results.
   */
  validations: number
  /**
   * Job results without address, domain and evidence from now on. Their verdicts stay.
   */
  job_results: number
  /**
   * Deleted batches of ended jobs that contained the address.
   */
  job_batches: number
  /**
   * Rows of stored files whose cells were removed.
   */
  upload_rows: number
  /**
   * Deleted uploads that were not confirmed, with their previews.
   */
  uploads: number
  /**
   * Deleted recent results.
   */
  recent_results: number
  /**
   * Deleted responses to requests with an `Idempotency-Key`.
   */
  idempotency_records: number
  /**
   * Deleted marks of reported deliveries and bounces. Sums by domain stay.
   */
  feedback: number
  /**
   * Deleted overrides for exactly this address. Overrides for its domain stay.
   */
  overrides: number
  /**
   * Deleted webhook events, with their deliveries.
   */
  webhook_events: number
}

/**
 * Erasure
 *
 * A completed erasure. It does not contain the address. Fields may be added.
 */
export type Erasure = {
  /**
   * Time at which the erasure was completed.
   */
  erased_at: string
  counts: ErasureCounts
}

/**
 * Usage
 *
 * What was asked and what it cost. Fields may be added.
 */
export type Usage = {
  /**
   * First day of the period (UTC).
   */
  from_on: string
  /**
   * Last day of the period (UTC).
   */
  to_on: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * All of it together.
   */
  total: {
    /**
     * Requests that were made with keys. Those of people in the web application are not counted.
     */
    requests: number
    /**
     * Credits charged: 1 for each address of a list or request that was paid for.
     */
    credits_used: number
    /**
     * Credits given back for results that ended `unknown`, on the day when they were: it may be a later one than that of the charge.
     */
    credits_refunded: number
  }
  /**
   * Every day, the first one first, also where nothing happened. With `by=day`.
   */
  days?: Array<{
    /**
     * The day (UTC).
     */
    occurred_on: string
    /**
     * Requests that were made with keys. Those of people in the web application are not counted.
     */
    requests: number
    /**
     * Credits charged: 1 for each address of a list or request that was paid for.
     */
    credits_used: number
    /**
     * Credits given back for results that ended `unknown`, on the day when they were: it may be a later one than that of the charge.
     */
    credits_refunded: number
  }>
  /**
   * The keys that did something, those that used the most first, and at most 1000. With `by=key`.
   */
  keys?: Array<{
    /**
     * The `id` of the key; null for what people did in the web application.
     */
    key_id: string | null
    /**
     * What the key is called; null where there is none.
     */
    key_name: string | null
    /**
     * Requests that were made with keys. Those of people in the web application are not counted.
     */
    requests: number
    /**
     * Credits charged: 1 for each address of a list or request that was paid for.
     */
    credits_used: number
    /**
     * Credits given back for results that ended `unknown`, on the day when they were: it may be a later one than that of the charge.
     */
    credits_refunded: number
  }>
}

/**
 * Ledger entry
 *
 * One movement of credits. Entries are never changed and never removed. Fields may be added.
 */
export type LedgerEntry = {
  /**
   * Names the entry.
   */
  id: string
  /**
   * Time of the transaction (RFC 3339, UTC).
   */
  occurred_at: string
  /**
   * How they moved. The list is open.
   * - `grant`: credits were bought or given.
   * - `adjust`: an operator corrected the balance, up or down.
   * - `charge`: addresses were taken up, and paid for at once.
   * - `reserve`: credits were set aside for a list.
   * - `settle`: results of a list were paid for with what was set aside; what is available stays the same.
   * - `release`: what a list did not use came back.
   * - `refund`: credits came back for results that ended `unknown`.
   */
  kind: string
  /**
   * How many moved. Negative only where an operator took credits away.
   */
  credits: number
  /**
   * By how much this changed what is available: above zero where credits came, below where they went.
   */
  available_change: number
  /**
   * What was available afterwards.
   */
  available_after: number
  /**
   * What they moved for. The list is open.
   * - `job`: a list, which `job_id` names.
   * - `validation`: one address, which `validation_id` names.
   * - `validations`: addresses that were paid for together.
   * - `account`: the account itself.
   */
  subject: string
  /**
   * The `id` of the list, also where it has been deleted; null where it was for none.
   */
  job_id: string | null
  /**
   * What the file of the list was called; null where the list has been deleted or there is none.
   */
  filename: string | null
  /**
   * The `id` of the one validation it was for; null where it was for none or for several.
   */
  validation_id: string | null
  /**
   * The `id` of the key that was used; null where there was none, as in the web application.
   */
  key_id: string | null
  /**
   * What that key is called.
   */
  key_name: string | null
  /**
   * What was noted beside it.
   */
  note: string | null
}

/**
 * Ledger entry list
 *
 * One page of the movements of credits, newest first.
 */
export type LedgerEntryList = Array<LedgerEntry>

/**
 * Ledger CSV
 *
 * All movements of credits that were asked for, newest first, each cell in quotes.
 */
export type LedgerCsv = string

/**
 * Request log entry
 *
 * A request as it was answered. Nothing of its body is kept. Fields may be added.
 */
export type RequestLogEntry = {
  /**
   * The `Request-Id` that the answer had.
   */
  id: string
  /**
   * Time of the request (RFC 3339, UTC).
   */
  occurred_at: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * By what way it came. The list is open.
   * - `api`: a program, with a secret key.
   * - `page`: a web page, with a publishable key.
   * - `mcp`: a tool of an agent.
   */
  source: string
  /**
   * Its HTTP method.
   */
  method: string
  /**
   * What was asked for, as a pattern without ids, addresses or a query.
   */
  route: string
  /**
   * HTTP status of the response.
   */
  http_status: number
  /**
   * The `code` of the problem it was answered with; null where there was none.
   */
  code: string | null
  /**
   * The `id` of the key it came with.
   */
  key_id: string | null
  /**
   * What that key is called.
   */
  key_name: string | null
  /**
   * How long the answer took, in milliseconds.
   */
  duration_ms: number
  /**
   * `status` of the result where the request validated one address; null for all others.
   */
  result_status: string | null
  /**
   * `sub_status` of that result.
   */
  sub_status: string | null
  /**
   * The credits it was charged for, less what came back at once; null where it says nothing of credits.
   */
  credits: number | null
  /**
   * The `id` of the validation that answered it; null where there was none.
   */
  validation_id: string | null
}

/**
 * Request log page
 *
 * One page of the requests, newest first. Fields may be added.
 */
export type RequestLogPage = {
  /**
   * The requests, newest first.
   */
  data: Array<RequestLogEntry>
  /**
   * Whether there is another page.
   */
  has_more: boolean
  /**
   * Value of `cursor` for the next page; null on the last one. A page can be short or empty and still have a next one if few requests match the filters.
   */
  next_cursor: string | null
  /**
   * Number of days for which requests are kept; 0 if the request log is off.
   */
  retention_days: number
}

/**
 * Request log entry detail
 *
 * A request as it was answered, and what is still kept of its result. Fields may be added.
 */
export type RequestLogEntryDetail = {
  /**
   * The `Request-Id` that the answer had.
   */
  id: string
  /**
   * Time of the request (RFC 3339, UTC).
   */
  occurred_at: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * By what way it came. The list is open.
   * - `api`: a program, with a secret key.
   * - `page`: a web page, with a publishable key.
   * - `mcp`: a tool of an agent.
   */
  source: string
  /**
   * Its HTTP method.
   */
  method: string
  /**
   * What was asked for, as a pattern without ids, addresses or a query.
   */
  route: string
  /**
   * HTTP status of the response.
   */
  http_status: number
  /**
   * The `code` of the problem it was answered with; null where there was none.
   */
  code: string | null
  /**
   * The `id` of the key it came with.
   */
  key_id: string | null
  /**
   * What that key is called.
   */
  key_name: string | null
  /**
   * How long the answer took, in milliseconds.
   */
  duration_ms: number
  /**
   * `status` of the result where the request validated one address; null for all others.
   */
  result_status: string | null
  /**
   * `sub_status` of that result.
   */
  sub_status: string | null
  /**
   * The credits it was charged for, less what came back at once; null where it says nothing of credits.
   */
  credits: number | null
  /**
   * The `id` of the validation that answered it; null where there was none.
   */
  validation_id: string | null
  /**
   * What was found about the one address, for as long as results are kept; null where there is nothing, where it has left, and for keys without the `validations:read` scope.
   */
  result: {
    /**
     * The address that was validated: the one in the cell, without a display name or `mailto:` around it.
     */
    email: string
    status: ValidationStatus
    sub_status: ValidationSubStatus
    /**
     * Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.
     */
    confidence: number
    /**
     * Estimated probability that a message sent now is not hard-bounced. The `log_odds` of the evidence add up to its log-odds.
     */
    deliverability: number
    /**
     * How far the validation went.
     * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
     * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
     */
    depth: 'dns' | 'smtp'
    /**
     * Our advice whether to send: `deliverability` is at or above what the account asks for (0.97 unless it says otherwise), and the address is nothing that the account leaves out (disposable, role and machine-generated ones, unless it says otherwise). Where no mail server vouched for the mailbox, outcomes reported for its domain must. An `override` of the account takes precedence: blocked is never safe, allowed is unless `status` is `invalid`.
     */
    safe_to_send: boolean
    /**
     * True exactly when `status` is `valid`.
     */
    is_valid: boolean
    /**
     * The address that was probably intended, when this one looks mistyped or holds more than an address; null otherwise.
     */
    did_you_mean: string | null
    /**
     * The domain in lower case, as A-labels where it is internationalised; empty when none could be read.
     */
    domain: string
    /**
     * Who runs the mail servers of the domain; empty when we do not know.
     */
    provider: string
    /**
     * The domain is known for throw-away addresses.
     */
    is_disposable: boolean
    /**
     * The address belongs to a function, such as info or sales, rather than to a person.
     */
    is_role_based: boolean
    /**
     * The domain publishes an SPF record.
     */
    has_spf: boolean
    /**
     * The domain publishes a DMARC record.
     */
    has_dmarc: boolean
    /**
     * Traits worth knowing that do not decide the verdict.
     */
    flags: {
      /**
       * The domain belongs to a free mail provider.
       */
      is_free: boolean
      /**
       * The address forwards to a mailbox it hides. Such relays last and are not disposable.
       */
      is_privacy_relay: boolean
      /**
       * The local part carries a tag, as in ada+news.
       */
      is_tagged: boolean
      /**
       * The text of the local part looks made by a machine. Never by itself a reason to turn a person away.
       */
      is_machine_generated: boolean
    }
    /**
     * The account's override for the address or its domain; null if it has none. An override changes `safe_to_send` and the decision of a policy, never the verdict.
     * - `allow`: the account allows it: safe to send unless the verdict is `invalid`.
     * - `block`: the account blocks it: never safe to send.
     */
    override: string | null
    /**
     * The findings as fields. A boolean is true only if the check confirmed it.
     */
    details?: {
      /**
       * The text is a well-formed address.
       */
      syntax_valid: boolean
      /**
       * DNS names a server that takes mail for the domain.
       */
      dns_valid: boolean
      /**
       * The mail server accepted this recipient.
       */
      smtp_valid: boolean
      /**
       * The SMTP reply code to the recipient; 0 when the server was not asked or did not answer.
       */
      smtp_code: number
      /**
       * The domain in lower case, as A-labels where it is internationalised; empty when none could be read.
       */
      domain: string
      /**
       * Who runs the mail servers of the domain; empty when we do not know.
       */
      provider: string
      /**
       * The domain is known for throw-away addresses.
       */
      is_disposable: boolean
      /**
       * The address belongs to a function, such as info or sales, rather than to a person.
       */
      is_role_based: boolean
      /**
       * The domain publishes an SPF record.
       */
      has_spf: boolean
      /**
       * The domain publishes a DMARC record.
       */
      has_dmarc: boolean
      /**
       * The mail servers of the domain in DNS, most preferred first, at most 10. Empty if none are known. A domain without MX records that has an IP address is its own mail server with preference 0 (RFC 5321, section 5.1).
       */
      mx: Array<{
        /**
         * Host name in lower case.
         */
        host: string
        /**
         * MX preference. Lower values are preferred.
         */
        preference: number
      }>
      /**
       * The address in normalized form: local part in lower case, domain in lower-case A-labels. Addresses with the same `canonical_email` are duplicates of each other. Dots and tags are kept. Null if the text is not an address.
       */
      canonical_email: string | null
      /**
       * The part before the `@` as it is sent to the mail server, including a tag; null if unknown.
       */
      local_part: string | null
      /**
       * The text after the first `+` of the local part; null if there is none.
       */
      tag: string | null
      /**
       * The domain in Unicode; equal to `domain` unless it is internationalized. Null if unknown.
       */
      domain_unicode: string | null
    }
    /**
     * Whether the domain accepts mail for every address. Field names say `catchall`; enum values say `catch_all`.
     */
    catchall?: {
      /**
       * The mail server was seen to accept an address that cannot exist.
       */
      is_catchall: boolean
      /**
       * How sure we are of `is_catchall`, from 0 to 1; null when it was not tested.
       */
      confidence: number | null
    }
    /**
     * The part that a model played in the result.
     */
    ai_enhancement?: {
      /**
       * The model moved the log-odds of `deliverability` by at least 0.05.
       */
      used: boolean
      /**
       * The name and version of the model; null where it was not used.
       */
      method: string | null
    }
    evidence?: EvidenceList
    /**
     * What the policy that was asked for decides. Only there where the request named one.
     */
    policy?: {
      /**
       * What the policy is called: up to 50 lower-case letters, digits, `-` and `_`.
       */
      name: string
      decision: Decision
      /**
       * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
       */
      reason: string
      /**
       * Which rule decided, counted from 1; null where none applied, or where a list of the account did.
       */
      rule: number | null
    }
  } | null
}

/**
 * Provider health
 *
 * Whether mail providers limit the probes of this installation at the moment. Fields may be added.
 */
export type ProviderHealth = {
  /**
   * Whether providers limit probes. More values may be added.
   * - `normal`: no known provider limits probes.
   * - `limited`: the providers in `providers` limit probes until a known time.
   * - `unknown`: the state cannot be read at the moment.
   */
  status: string
  /**
   * The same as a sentence for users.
   */
  message: string
  /**
   * The providers that limit probes, the latest `retry_at` first.
   */
  providers: Array<{
    /**
     * The provider, as in results.
     */
    provider: string
    /**
     * The display name of the provider.
     */
    name: string
    /**
     * The reason for the suspension. More values may be added.
     */
    reason: string
    /**
     * The time at which probing of the provider resumes (RFC 3339, UTC).
     */
    retry_at: string
  }>
}

/**
 * Overview
 *
 * How things stand, in one answer. Each part may be missing without the others. Fields may be added.
 */
export type Overview = {
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * Whether nothing was ever asked in this mode, by a key, a person or a list.
   */
  is_new: boolean
  /**
   * First day of the period (UTC).
   */
  from_on: string
  /**
   * Last day of the period (UTC), which is today.
   */
  to_on: string
  /**
   * What addresses were answered with. A list counts on the day it was confirmed, for as long as it is not deleted; null where it could not be read just now.
   */
  verdicts: {
    /**
     * Every day, the first one first, also where nothing happened.
     */
    days: Array<{
      /**
       * The day (UTC).
       */
      occurred_on: string
      /**
       * Addresses that were found `valid`.
       */
      valid: number
      /**
       * Addresses that were found `invalid`.
       */
      invalid: number
      /**
       * Addresses that were found `risky`.
       */
      risky: number
      /**
       * Addresses of which nothing could be said, or not yet.
       */
      unknown: number
    }>
    /**
     * All of these days together.
     */
    total: {
      /**
       * Addresses that were found `valid`.
       */
      valid: number
      /**
       * Addresses that were found `invalid`.
       */
      invalid: number
      /**
       * Addresses that were found `risky`.
       */
      risky: number
      /**
       * Addresses of which nothing could be said, or not yet.
       */
      unknown: number
    }
    /**
     * The last of these days, which is today (UTC).
     */
    today: {
      /**
       * Addresses that were found `valid`.
       */
      valid: number
      /**
       * Addresses that were found `invalid`.
       */
      invalid: number
      /**
       * Addresses that were found `risky`.
       */
      risky: number
      /**
       * Addresses of which nothing could be said, or not yet.
       */
      unknown: number
    }
  } | null
  /**
   * Jobs in progress and the last finished ones; also null for keys without the `jobs:read` scope; null where it could not be read just now.
   */
  jobs: {
    /**
     * Jobs that are queued, in progress or paused: at most five, newest first.
     */
    running: Array<BulkJob>
    /**
     * Jobs that are completed, canceled or failed: at most five, newest first.
     */
    ended: Array<BulkJob>
  } | null
  /**
   * What requests of the last 24 hours were refused with, the most frequent first, at most ten; null where it could not be read just now.
   */
  problems: Array<{
    /**
     * The `code` of the problem.
     */
    code: string
    /**
     * The HTTP status of the problem.
     */
    http_status: number
    /**
     * Requests that received this problem.
     */
    count: number
    /**
     * The time of the last of these requests (RFC 3339, UTC).
     */
    last_occurred_at: string
  }> | null
  /**
   * Conditions that need attention, at most twenty; null where it could not be read just now.
   */
  alerts: Array<{
    /**
     * The kind of alert. More kinds may be added.
     * - `webhook_failing`: deliveries to a webhook fail; `id` is the webhook.
     * - `webhook_disabled`: a webhook was disabled because its deliveries failed; `id` is the webhook.
     * - `key_unused`: an active API key was not used for 30 days; `id` is the key.
     * - `results_expiring`: the results of a job expire within two days; `id` is the job.
     * - `credits_low`: the available credits are at or below the threshold of the account.
     */
    kind: string
    /**
     * The webhook, API key or job; null for an alert about the account.
     */
    id: string | null
    /**
     * The name of the webhook, API key or job.
     */
    name: string | null
    /**
     * The time since which a webhook fails or is disabled, at which a key was last used (or created), or at which results expire (RFC 3339, UTC); null for an alert about the account.
     */
    occurred_at: string | null
  }> | null
  providers: ProviderHealth
  /**
   * Whether the installation can ask mail servers just now, and if not, why; null where it could not be read just now.
   */
  probing: {
    /**
     * Whether mail servers are asked just now.
     * - `smtp`: mail servers are asked.
     * - `dns`: no mail server can be asked at present. Addresses whose domain takes mail are `unknown` with `not_probed`, and their credit is given back whatever the plan says; no address is `invalid` for it.
     */
    mode: 'smtp' | 'dns'
    /**
     * Why not, where they are not; null where they are. The list is open.
     * - `no_helo_name`: no worker has a name to ask mail servers by (SMTP_HELO_NAME and SMTP_MAIL_FROM).
     * - `port_25_closed`: no mail server of several large providers answers on port 25.
     * - `intercepted`: somebody else answers in place of the mail servers: a firewall or a proxy of the network.
     * - `proxy_failed`: the proxy that mail servers are asked through does not answer.
     */
    reason: string | null
  } | null
}

/**
 * Policy
 *
 * Rules that turn a result into a decision. Fields may be added.
 */
export type Policy = {
  /**
   * Identifies the policy; null for a built-in one. Requests name a policy by its `name`.
   */
  id: string | null
  /**
   * What the policy is called: up to 50 lower-case letters, digits, `-` and `_`.
   */
  name: string
  /**
   * What the policy is for, up to 200 characters.
   */
  description: string
  /**
   * Whether every account has the policy. A policy of the account with the same name replaces it.
   */
  is_built_in: boolean
  /**
   * The rules in their order: the first that applies decides. Up to 50.
   */
  rules: Array<{
    /**
     * What a result must be like for the rule to apply: all that is named here, and at least one thing is.
     */
    when: {
      /**
       * Its status is one of these.
       */
      status?: Array<string>
      /**
       * Its `sub_status` is one of these.
       */
      sub_status?: Array<string>
      /**
       * The address is at least one of these. The list is open.
       * - `disposable`: addresses at temporary-email providers.
       * - `role_based`: shared addresses such as info@ or sales@.
       * - `machine_generated`: addresses whose local part looks auto-generated.
       * - `free`: addresses at free mail providers.
       * - `privacy_relay`: addresses that forward to a mailbox they hide.
       * - `tagged`: addresses with a tag, as in ada+news.
       */
      traits?: Array<string>
      /**
       * The result has this `safe_to_send`.
       */
      safe_to_send?: boolean
      /**
       * The result has this `deliverability` or a higher one.
       */
      deliverability_from?: number
      /**
       * The result has a lower `deliverability` than this.
       */
      deliverability_below?: number
    }
    decision: Decision
    /**
     * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
     */
    reason: string
  }>
  /**
   * What is decided where no rule applies.
   */
  default: {
    decision: Decision
    /**
     * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
     */
    reason: string
  }
}

/**
 * Policy list
 *
 * The policies that the account has, by name: the built-in ones, and its own.
 */
export type PolicyList = Array<Policy>

/**
 * Create policy request
 *
 * The rules of a new policy, and what is decided where none applies.
 */
export type CreatePolicyRequest = {
  /**
   * What the policy is called: up to 50 lower-case letters, digits, `-` and `_`.
   */
  name: string
  /**
   * What the policy is for, up to 200 characters.
   */
  description?: string
  /**
   * The rules in their order: the first that applies decides. Up to 50.
   */
  rules: Array<{
    /**
     * What a result must be like for the rule to apply: all that is named here, and at least one thing is.
     */
    when: {
      /**
       * Its status is one of these.
       */
      status?: Array<'valid' | 'invalid' | 'risky' | 'unknown'>
      /**
       * Its `sub_status` is one of these.
       */
      sub_status?: Array<
        | ''
        | 'syntax_error'
        | 'domain_not_found'
        | 'no_mail_server'
        | 'null_mx'
        | 'domain_not_hosted'
        | 'mailbox_not_found'
        | 'mailbox_disabled'
        | 'mailbox_moved'
        | 'catch_all'
        | 'catch_all_untested'
        | 'mailbox_full'
        | 'disposable'
        | 'not_probed'
        | 'not_started'
        | 'dns_failed'
        | 'not_routable'
        | 'connection_failed'
        | 'timeout'
        | 'greylisted'
        | 'rate_limited'
        | 'blocked'
        | 'policy_rejected'
        | 'provider_unverifiable'
        | 'smtputf8_unsupported'
        | 'address_literal'
        | 'server_error'
        | 'internal_error'
        | 'sandbox_unmapped'
      >
      /**
       * The address is at least one of these.
       * - `disposable`: addresses at temporary-email providers.
       * - `role_based`: shared addresses such as info@ or sales@.
       * - `machine_generated`: addresses whose local part looks auto-generated.
       * - `free`: addresses at free mail providers.
       * - `privacy_relay`: addresses that forward to a mailbox they hide.
       * - `tagged`: addresses with a tag, as in ada+news.
       */
      traits?: Array<'disposable' | 'role_based' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
      /**
       * The result has this `safe_to_send`.
       */
      safe_to_send?: boolean
      /**
       * The result has this `deliverability` or a higher one.
       */
      deliverability_from?: number
      /**
       * The result has a lower `deliverability` than this.
       */
      deliverability_below?: number
    }
    /**
     * What to do with the address:
     * - `allow`: take the address.
     * - `review`: take it with care: ask the person, look again later, or let somebody decide.
     * - `block`: do not take it.
     */
    decision: 'allow' | 'review' | 'block'
    /**
     * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
     */
    reason: string
  }>
  /**
   * What is decided where no rule applies.
   */
  default: {
    /**
     * What to do with the address:
     * - `allow`: take the address.
     * - `review`: take it with care: ask the person, look again later, or let somebody decide.
     * - `block`: do not take it.
     */
    decision: 'allow' | 'review' | 'block'
    /**
     * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
     */
    reason: string
  }
}

/**
 * Update policy request
 *
 * What to change, at least one thing; `rules` are replaced as a whole. What is left out stays as it is.
 */
export type UpdatePolicyRequest = {
  /**
   * What the policy is for, up to 200 characters.
   */
  description?: string
  /**
   * The rules in their order: the first that applies decides. Up to 50.
   */
  rules?: Array<{
    /**
     * What a result must be like for the rule to apply: all that is named here, and at least one thing is.
     */
    when: {
      /**
       * Its status is one of these.
       */
      status?: Array<'valid' | 'invalid' | 'risky' | 'unknown'>
      /**
       * Its `sub_status` is one of these.
       */
      sub_status?: Array<
        | ''
        | 'syntax_error'
        | 'domain_not_found'
        | 'no_mail_server'
        | 'null_mx'
        | 'domain_not_hosted'
        | 'mailbox_not_found'
        | 'mailbox_disabled'
        | 'mailbox_moved'
        | 'catch_all'
        | 'catch_all_untested'
        | 'mailbox_full'
        | 'disposable'
        | 'not_probed'
        | 'not_started'
        | 'dns_failed'
        | 'not_routable'
        | 'connection_failed'
        | 'timeout'
        | 'greylisted'
        | 'rate_limited'
        | 'blocked'
        | 'policy_rejected'
        | 'provider_unverifiable'
        | 'smtputf8_unsupported'
        | 'address_literal'
        | 'server_error'
        | 'internal_error'
        | 'sandbox_unmapped'
      >
      /**
       * The address is at least one of these.
       * - `disposable`: addresses at temporary-email providers.
       * - `role_based`: shared addresses such as info@ or sales@.
       * - `machine_generated`: addresses whose local part looks auto-generated.
       * - `free`: addresses at free mail providers.
       * - `privacy_relay`: addresses that forward to a mailbox they hide.
       * - `tagged`: addresses with a tag, as in ada+news.
       */
      traits?: Array<'disposable' | 'role_based' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
      /**
       * The result has this `safe_to_send`.
       */
      safe_to_send?: boolean
      /**
       * The result has this `deliverability` or a higher one.
       */
      deliverability_from?: number
      /**
       * The result has a lower `deliverability` than this.
       */
      deliverability_below?: number
    }
    /**
     * What to do with the address:
     * - `allow`: take the address.
     * - `review`: take it with care: ask the person, look again later, or let somebody decide.
     * - `block`: do not take it.
     */
    decision: 'allow' | 'review' | 'block'
    /**
     * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
     */
    reason: string
  }>
  /**
   * What is decided where no rule applies.
   */
  default?: {
    /**
     * What to do with the address:
     * - `allow`: take the address.
     * - `review`: take it with care: ask the person, look again later, or let somebody decide.
     * - `block`: do not take it.
     */
    decision: 'allow' | 'review' | 'block'
    /**
     * Why, in a sentence of up to 200 characters. It stands in the answer as it is.
     */
    reason: string
  }
}

/**
 * Override
 *
 * An address or a domain that the account allows or blocks. Fields may be added.
 */
export type Override = {
  /**
   * Identifies the override.
   */
  id: string
  /**
   * The address or the domain, as it is compared: in lower case, an internationalized domain as A-labels. A domain covers all its addresses, but not those of its subdomains.
   */
  target: string
  /**
   * The action of the override:
   * - `allow`: the account allows it: safe to send unless the verdict is `invalid`.
   * - `block`: the account blocks it: never safe to send.
   */
  action: 'allow' | 'block'
  /**
   * The reason for the override, up to 200 characters.
   */
  note: string
  /**
   * The name of the user or API key that created the override; null if it is not known.
   */
  created_by: string | null
  /**
   * The time at which the override was created or its action last changed (RFC 3339, UTC).
   */
  created_at: string
}

/**
 * Override list
 *
 * One page of the overrides, sorted by `target`.
 */
export type OverrideList = Array<Override>

/**
 * Override CSV
 *
 * All overrides that match the filters, sorted by `target`. Each cell is quoted.
 */
export type OverrideCsv = string

/**
 * Create overrides request
 *
 * The targets to allow or to block.
 */
export type CreateOverridesRequest = {
  /**
   * The action of the override:
   * - `allow`: the account allows it: safe to send unless the verdict is `invalid`.
   * - `block`: the account blocks it: never safe to send.
   */
  action: 'allow' | 'block'
  /**
   * Addresses and domains, up to 1000 in one request. A domain may have an @ before it.
   */
  targets: Array<string>
  /**
   * The reason for the override, up to 200 characters.
   */
  note?: string
}

/**
 * Create overrides result
 *
 * Counts of what the request changed. Repeated targets count once.
 */
export type CreateOverridesResult = {
  /**
   * Targets that had no override.
   */
  added: number
  /**
   * Targets whose override had the other action before.
   */
  moved: number
  /**
   * Targets whose override had this action already. Their note is replaced if the request has one.
   */
  unchanged: number
  /**
   * Overrides of the account after the request; the limit is 10000.
   */
  total: number
}

/**
 * API key
 *
 * An API key without its secret, which is shown only at creation. Fields may be added.
 */
export type ApiKey = {
  /**
   * Id of the key. It is not secret and does not authenticate requests.
   */
  id: string
  /**
   * Name of the key, 1 to 100 characters.
   */
  name: string
  /**
   * Whether the key is a live key. A live key validates with real mail servers and uses credits; a test key (`false`) uses the sandbox. The mode of a key never changes.
   */
  livemode: boolean
  /**
   * Prefix and last four characters of the key, to recognize it by.
   */
  hint: string
  /**
   * Scopes of the key, including the read scope of every write scope. Scopes may be added.
   * - `validations:read`: read stored validation results.
   * - `validations:write`: validate addresses, one or many per request, and report the delivery outcome of messages.
   * - `jobs:read`: read uploads, jobs and their results.
   * - `jobs:write`: upload lists; start, pause, resume, cancel and delete jobs.
   * - `account:read`: read plan, credits, limits, usage, request log, policies and overrides.
   * - `account:write`: change account settings, policies and overrides.
   * - `keys:read`: read API keys, without their secrets.
   * - `keys:write`: create, change, rotate and revoke API keys.
   * - `webhooks:read`: read webhooks and their deliveries.
   * - `webhooks:write`: create, change, test and delete webhooks, resend deliveries, and set the low-credit threshold.
   */
  scopes: Array<ApiKeyScope>
  /**
   * Status of the key; only `active` keys authenticate requests. If several statuses apply, `revoked` takes precedence over `expired`, and `expired` over `paused`.
   */
  status: 'active' | 'paused' | 'revoked' | 'expired'
  /**
   * Time of creation (RFC 3339, UTC).
   */
  created_at: string
  /**
   * Expiry (RFC 3339, UTC); null if the key does not expire.
   */
  expires_at: string | null
  /**
   * Time of the last use, accurate to a few minutes (RFC 3339, UTC); null if the key was never used.
   */
  last_used_at: string | null
  /**
   * Last request with the key, up to a few seconds late; null if the key was never used. `result_status` is present if the request validated a single address.
   */
  last_request: {
    /**
     * Time of the request (RFC 3339, UTC).
     */
    occurred_at: string
    /**
     * HTTP method.
     */
    method: string
    /**
     * Route pattern, without ids or addresses.
     */
    route: string
    /**
     * HTTP status of the response.
     */
    http_status: number
    /**
     * Time until the response, in milliseconds.
     */
    duration_ms: number
    result_status?: ValidationStatus
  } | null
  /**
   * Time of revocation (RFC 3339, UTC); null if the key is not revoked.
   */
  revoked_at: string | null
  /**
   * `id` of the key whose rotation created this one; null if there is none.
   */
  replaces_key_id: string | null
  /**
   * `id` of the key that the rotation of this one created; null if it was not rotated.
   */
  replaced_by_key_id: string | null
  /**
   * Whether the key is paused. Requests with a paused key are rejected.
   */
  paused: boolean
  /**
   * IP addresses and CIDR ranges that requests with the key can come from; empty if there is no restriction.
   */
  ip_allowlist: Array<string>
  /**
   * Credits that the key, the keys it replaced and the keys it created can use together per calendar month (UTC); null if there is no cap.
   */
  monthly_cap: number | null
  /**
   * A `secret` key stays on your servers. A `publishable` key (`pb_pub_…`) is part of web pages: it works from the allowed origins only and for `POST /validation/decision` only, whose response does not show whether a mailbox exists. The type of a key never changes.
   */
  type: 'secret' | 'publishable'
  /**
   * Origins whose pages can use a publishable key; empty for a secret key.
   */
  allowed_origins: Array<string>
  /**
   * Names of the policies that pages can use with a publishable key. The first one is the default. Empty for a secret key.
   */
  allowed_policies: Array<string>
  /**
   * Requests per hour and client IP address with a publishable key; null for a secret key.
   */
  visitor_cap: number | null
  /**
   * The publishable key itself, which is public; null for a secret key.
   */
  public_key: string | null
}

/**
 * API key list
 *
 * One page of the API keys of the account, newest first.
 */
export type ApiKeyList = Array<ApiKey>

/**
 * Create API key request
 *
 * Settings of a new API key. Only the name is required.
 */
export type CreateApiKeyRequest = {
  /**
   * Name of the key, 1 to 100 characters.
   */
  name: string
  /**
   * Whether to create a live key; `false` creates a test key. Default: the mode of the calling key. A test key creates only test keys.
   */
  livemode?: boolean
  /**
   * Scopes of the key. A write scope adds the read scope of the same subject. A key grants only scopes that it has itself. A publishable key has `validations:write` alone.
   * - `validations:read`: read stored validation results.
   * - `validations:write`: validate addresses, one or many per request, and report the delivery outcome of messages.
   * - `jobs:read`: read uploads, jobs and their results.
   * - `jobs:write`: upload lists; start, pause, resume, cancel and delete jobs.
   * - `account:read`: read plan, credits, limits, usage, request log, policies and overrides.
   * - `account:write`: change account settings, policies and overrides.
   * - `keys:read`: read API keys, without their secrets.
   * - `keys:write`: create, change, rotate and revoke API keys.
   * - `webhooks:read`: read webhooks and their deliveries.
   * - `webhooks:write`: create, change, test and delete webhooks, resend deliveries, and set the low-credit threshold.
   */
  scopes?: Array<
    | 'validations:read'
    | 'validations:write'
    | 'jobs:read'
    | 'jobs:write'
    | 'account:read'
    | 'account:write'
    | 'keys:read'
    | 'keys:write'
    | 'webhooks:read'
    | 'webhooks:write'
  >
  /**
   * Expiry (RFC 3339), in the future; null for none. Not later than the expiry of the calling key, which is the default.
   */
  expires_at?: string | null
  /**
   * IPv4 and IPv6 addresses and CIDR ranges that requests with the key can come from, at most 50; an empty array for no restriction. Not wider than the allowlist of the calling key, which is the default.
   */
  ip_allowlist?: Array<string>
  /**
   * Credits that the key, the keys it replaced and the keys it creates can use together per calendar month (UTC); null for no cap. Not more than what remains of the cap of the calling key, which is the default. Default for a publishable key: 10,000.
   */
  monthly_cap?: number | null
  /**
   * A `secret` key stays on your servers. A `publishable` key (`pb_pub_…`) is part of web pages: it works from the allowed origins only and for `POST /validation/decision` only, whose response does not show whether a mailbox exists. The type of a key never changes.
   */
  type?: 'secret' | 'publishable'
  /**
   * Origins whose pages can use the key, at most 20, exactly as browsers send them: scheme, host, and the port unless it is the default. Required for a publishable key and rejected for a secret key.
   */
  allowed_origins?: Array<string>
  /**
   * Names of the policies that pages can use with a publishable key, at most 20. The first one is the default. If left out: `signup`.
   */
  allowed_policies?: Array<string>
  /**
   * Requests per hour and client IP address with a publishable key. Default: 30.
   */
  visitor_cap?: number
}

/**
 * API key with secret
 *
 * A new API key with its secret. Fields may be added.
 */
export type ApiKeyWithSecret = {
  /**
   * Id of the key. It is not secret and does not authenticate requests.
   */
  id: string
  /**
   * Name of the key, 1 to 100 characters.
   */
  name: string
  /**
   * Whether the key is a live key. A live key validates with real mail servers and uses credits; a test key (`false`) uses the sandbox. The mode of a key never changes.
   */
  livemode: boolean
  /**
   * Prefix and last four characters of the key, to recognize it by.
   */
  hint: string
  /**
   * Scopes of the key, including the read scope of every write scope. Scopes may be added.
   * - `validations:read`: read stored validation results.
   * - `validations:write`: validate addresses, one or many per request, and report the delivery outcome of messages.
   * - `jobs:read`: read uploads, jobs and their results.
   * - `jobs:write`: upload lists; start, pause, resume, cancel and delete jobs.
   * - `account:read`: read plan, credits, limits, usage, request log, policies and overrides.
   * - `account:write`: change account settings, policies and overrides.
   * - `keys:read`: read API keys, without their secrets.
   * - `keys:write`: create, change, rotate and revoke API keys.
   * - `webhooks:read`: read webhooks and their deliveries.
   * - `webhooks:write`: create, change, test and delete webhooks, resend deliveries, and set the low-credit threshold.
   */
  scopes: Array<ApiKeyScope>
  /**
   * Status of the key; only `active` keys authenticate requests. If several statuses apply, `revoked` takes precedence over `expired`, and `expired` over `paused`.
   */
  status: 'active' | 'paused' | 'revoked' | 'expired'
  /**
   * Time of creation (RFC 3339, UTC).
   */
  created_at: string
  /**
   * Expiry (RFC 3339, UTC); null if the key does not expire.
   */
  expires_at: string | null
  /**
   * Time of the last use, accurate to a few minutes (RFC 3339, UTC); null if the key was never used.
   */
  last_used_at: string | null
  /**
   * Last request with the key, up to a few seconds late; null if the key was never used. `result_status` is present if the request validated a single address.
   */
  last_request: {
    /**
     * Time of the request (RFC 3339, UTC).
     */
    occurred_at: string
    /**
     * HTTP method.
     */
    method: string
    /**
     * Route pattern, without ids or addresses.
     */
    route: string
    /**
     * HTTP status of the response.
     */
    http_status: number
    /**
     * Time until the response, in milliseconds.
     */
    duration_ms: number
    result_status?: ValidationStatus
  } | null
  /**
   * Time of revocation (RFC 3339, UTC); null if the key is not revoked.
   */
  revoked_at: string | null
  /**
   * `id` of the key whose rotation created this one; null if there is none.
   */
  replaces_key_id: string | null
  /**
   * `id` of the key that the rotation of this one created; null if it was not rotated.
   */
  replaced_by_key_id: string | null
  /**
   * Whether the key is paused. Requests with a paused key are rejected.
   */
  paused: boolean
  /**
   * IP addresses and CIDR ranges that requests with the key can come from; empty if there is no restriction.
   */
  ip_allowlist: Array<string>
  /**
   * Credits that the key, the keys it replaced and the keys it created can use together per calendar month (UTC); null if there is no cap.
   */
  monthly_cap: number | null
  /**
   * A `secret` key stays on your servers. A `publishable` key (`pb_pub_…`) is part of web pages: it works from the allowed origins only and for `POST /validation/decision` only, whose response does not show whether a mailbox exists. The type of a key never changes.
   */
  type: 'secret' | 'publishable'
  /**
   * Origins whose pages can use a publishable key; empty for a secret key.
   */
  allowed_origins: Array<string>
  /**
   * Names of the policies that pages can use with a publishable key. The first one is the default. Empty for a secret key.
   */
  allowed_policies: Array<string>
  /**
   * Requests per hour and client IP address with a publishable key; null for a secret key.
   */
  visitor_cap: number | null
  /**
   * The publishable key itself, which is public; null for a secret key.
   */
  public_key: string | null
  /**
   * The key itself, to be sent as `X-API-Key`. It is not shown again: only its hash is stored.
   */
  key: string
}

/**
 * Update API key request
 *
 * Settings to change, at least one. Settings that are left out keep their value.
 */
export type UpdateApiKeyRequest = {
  /**
   * Name of the key, 1 to 100 characters.
   */
  name?: string
  /**
   * Scopes of the key. A write scope adds the read scope of the same subject. A key grants only scopes that it has itself. A publishable key has `validations:write` alone.
   * - `validations:read`: read stored validation results.
   * - `validations:write`: validate addresses, one or many per request, and report the delivery outcome of messages.
   * - `jobs:read`: read uploads, jobs and their results.
   * - `jobs:write`: upload lists; start, pause, resume, cancel and delete jobs.
   * - `account:read`: read plan, credits, limits, usage, request log, policies and overrides.
   * - `account:write`: change account settings, policies and overrides.
   * - `keys:read`: read API keys, without their secrets.
   * - `keys:write`: create, change, rotate and revoke API keys.
   * - `webhooks:read`: read webhooks and their deliveries.
   * - `webhooks:write`: create, change, test and delete webhooks, resend deliveries, and set the low-credit threshold.
   */
  scopes?: Array<
    | 'validations:read'
    | 'validations:write'
    | 'jobs:read'
    | 'jobs:write'
    | 'account:read'
    | 'account:write'
    | 'keys:read'
    | 'keys:write'
    | 'webhooks:read'
    | 'webhooks:write'
  >
  /**
   * Expiry (RFC 3339), in the future; null for none. Not later than the expiry of the calling key, which is the default.
   */
  expires_at?: string | null
  /**
   * IPv4 and IPv6 addresses and CIDR ranges that requests with the key can come from, at most 50; an empty array for no restriction. Not wider than the allowlist of the calling key, which is the default.
   */
  ip_allowlist?: Array<string>
  /**
   * Credits that the key, the keys it replaced and the keys it creates can use together per calendar month (UTC); null for no cap. Not more than what remains of the cap of the calling key, which is the default. Default for a publishable key: 10,000.
   */
  monthly_cap?: number | null
  /**
   * Origins whose pages can use the key, at most 20, exactly as browsers send them: scheme, host, and the port unless it is the default. Required for a publishable key and rejected for a secret key.
   */
  allowed_origins?: Array<string>
  /**
   * Names of the policies that pages can use with a publishable key, at most 20. The first one is the default. If left out: `signup`.
   */
  allowed_policies?: Array<string>
  /**
   * Requests per hour and client IP address with a publishable key. Default: 30.
   */
  visitor_cap?: number
  /**
   * Whether the key is paused: `true` pauses it, `false` resumes it.
   */
  paused?: boolean
}

/**
 * Rotate API key request
 *
 * Options of a key rotation. All are optional.
 */
export type RotateApiKeyRequest = {
  /**
   * Seconds that the old key keeps working, at most a week. Default: a day. 0 ends it immediately.
   */
  overlap_s?: number
}

/**
 * Webhook
 *
 * A webhook without its secret, which cannot be shown again. Fields may be added.
 */
export type Webhook = {
  /**
   * The id of the webhook.
   */
  id: string
  /**
   * The URL that events are sent to by POST: `https`, port 443, a public host name. IP addresses, user names, passwords and fragments are rejected.
   */
  url: string
  /**
   * Description of the webhook, up to 200 characters.
   */
  description: string
  /**
   * Whether the webhook receives events of live mode; `false` for events of test mode. It is the mode of the key that created the webhook.
   */
  livemode: boolean
  /**
   * The event types that it subscribes to; `*` is all of them. Values may be added.
   */
  events: Array<string>
  /**
   * Whether events are sent to it.
   */
  enabled: boolean
  /**
   * Why it is disabled; null if it is enabled. Values may be added.
   * - `by_owner`: a request disabled it.
   * - `gone`: it responded with 410.
   * - `failing`: it failed for five days without a success.
   */
  disabled_reason: string | null
  /**
   * When it was disabled (RFC 3339, UTC); null if it is enabled.
   */
  disabled_at: string | null
  /**
   * The first failed attempt since the last success (RFC 3339, UTC); null if there is none.
   */
  failing_since_at: string | null
  /**
   * Until when the secret and the private key from before the last rotation also sign (RFC 3339, UTC); null if it was never rotated.
   */
  previous_secret_expires_at: string | null
  /**
   * The Ed25519 public key for `v1a` signatures, as Standard Webhooks defines it: `whpk_` and the base64 of 32 bytes.
   */
  public_key: string
  /**
   * When the webhook was created (RFC 3339, UTC).
   */
  created_at: string
}

/**
 * Webhook list
 *
 * One page of the webhooks of the account, newest first.
 */
export type WebhookList = Array<Webhook>

/**
 * Create webhook request
 *
 * The URL and the event types. Only the URL is required.
 */
export type CreateWebhookRequest = {
  /**
   * The URL that events are sent to by POST: `https`, port 443, a public host name. IP addresses, user names, passwords and fragments are rejected.
   */
  url: string
  /**
   * Description of the webhook, up to 200 characters.
   */
  description?: string
  /**
   * The event types to subscribe to, at least one. `*` is all of them, including types that are added later. `webhook.test` needs no subscription.
   * - `job.created`: a job was created from an upload; `data` is the job.
   * - `job.paused`: a job was paused, by a request or for a review; `data` is the job.
   * - `job.resumed`: a paused job was resumed; `data` is the job.
   * - `job.completed`: every address of a job has its result; `data` is the job.
   * - `job.failed`: a job failed and its unused credits were released; `data` is the job.
   * - `job.canceled`: a job was canceled and its unused credits were released; `data` is the job.
   * - `validation.resolved`: a deferred validation, whose result had `retry_at`, has its final result; `data` is that result and contains the address.
   * - `credits.low`: the balance fell below the low-credit threshold; `data` has `available`, `threshold` and `reserved`.
   * - `key.created`: an API key was created; `data` is the key without its secret.
   * - `key.updated`: the settings of an API key were changed; `data` is the key without its secret.
   * - `key.rotated`: an API key was rotated; `data` is the rotated key without its secret, and `replaced_by_key_id` is the new key.
   * - `key.paused`: an API key was paused; `data` is the key without its secret.
   * - `key.resumed`: a paused API key was resumed; `data` is the key without its secret.
   * - `key.revoked`: an API key was revoked; `data` is the key without its secret.
   * - `key.expired`: an API key expired, at most a few minutes ago; `data` is the key without its secret.
   * - `webhook.disabled`: a webhook was disabled because it responded with 410 or failed for five days; `data` has its `id`, `url` and the `reason`.
   * - `webhook.test`: a test event was requested for one webhook; `data` has its `id` and `description`.
   */
  events?: Array<
    | '*'
    | 'job.created'
    | 'job.paused'
    | 'job.resumed'
    | 'job.completed'
    | 'job.failed'
    | 'job.canceled'
    | 'validation.resolved'
    | 'credits.low'
    | 'key.created'
    | 'key.updated'
    | 'key.rotated'
    | 'key.paused'
    | 'key.resumed'
    | 'key.revoked'
    | 'key.expired'
    | 'webhook.disabled'
  >
}

/**
 * Webhook with secret
 *
 * A webhook with its new secret. Fields may be added.
 */
export type WebhookWithSecret = {
  /**
   * The id of the webhook.
   */
  id: string
  /**
   * The URL that events are sent to by POST: `https`, port 443, a public host name. IP addresses, user names, passwords and fragments are rejected.
   */
  url: string
  /**
   * Description of the webhook, up to 200 characters.
   */
  description: string
  /**
   * Whether the webhook receives events of live mode; `false` for events of test mode. It is the mode of the key that created the webhook.
   */
  livemode: boolean
  /**
   * The event types that it subscribes to; `*` is all of them. Values may be added.
   */
  events: Array<string>
  /**
   * Whether events are sent to it.
   */
  enabled: boolean
  /**
   * Why it is disabled; null if it is enabled. Values may be added.
   * - `by_owner`: a request disabled it.
   * - `gone`: it responded with 410.
   * - `failing`: it failed for five days without a success.
   */
  disabled_reason: string | null
  /**
   * When it was disabled (RFC 3339, UTC); null if it is enabled.
   */
  disabled_at: string | null
  /**
   * The first failed attempt since the last success (RFC 3339, UTC); null if there is none.
   */
  failing_since_at: string | null
  /**
   * Until when the secret and the private key from before the last rotation also sign (RFC 3339, UTC); null if it was never rotated.
   */
  previous_secret_expires_at: string | null
  /**
   * The Ed25519 public key for `v1a` signatures, as Standard Webhooks defines it: `whpk_` and the base64 of 32 bytes.
   */
  public_key: string
  /**
   * When the webhook was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * The secret for `v1` signatures, as Standard Webhooks defines it. It is shown once; if you lose it, rotate it.
   */
  secret: string
}

/**
 * Update webhook request
 *
 * The settings to change, at least one; others stay as they are.
 */
export type UpdateWebhookRequest = {
  /**
   * The URL that events are sent to by POST: `https`, port 443, a public host name. IP addresses, user names, passwords and fragments are rejected.
   */
  url?: string
  /**
   * Description of the webhook, up to 200 characters.
   */
  description?: string
  /**
   * The event types to subscribe to, at least one. `*` is all of them, including types that are added later. `webhook.test` needs no subscription.
   * - `job.created`: a job was created from an upload; `data` is the job.
   * - `job.paused`: a job was paused, by a request or for a review; `data` is the job.
   * - `job.resumed`: a paused job was resumed; `data` is the job.
   * - `job.completed`: every address of a job has its result; `data` is the job.
   * - `job.failed`: a job failed and its unused credits were released; `data` is the job.
   * - `job.canceled`: a job was canceled and its unused credits were released; `data` is the job.
   * - `validation.resolved`: a deferred validation, whose result had `retry_at`, has its final result; `data` is that result and contains the address.
   * - `credits.low`: the balance fell below the low-credit threshold; `data` has `available`, `threshold` and `reserved`.
   * - `key.created`: an API key was created; `data` is the key without its secret.
   * - `key.updated`: the settings of an API key were changed; `data` is the key without its secret.
   * - `key.rotated`: an API key was rotated; `data` is the rotated key without its secret, and `replaced_by_key_id` is the new key.
   * - `key.paused`: an API key was paused; `data` is the key without its secret.
   * - `key.resumed`: a paused API key was resumed; `data` is the key without its secret.
   * - `key.revoked`: an API key was revoked; `data` is the key without its secret.
   * - `key.expired`: an API key expired, at most a few minutes ago; `data` is the key without its secret.
   * - `webhook.disabled`: a webhook was disabled because it responded with 410 or failed for five days; `data` has its `id`, `url` and the `reason`.
   * - `webhook.test`: a test event was requested for one webhook; `data` has its `id` and `description`.
   */
  events?: Array<
    | '*'
    | 'job.created'
    | 'job.paused'
    | 'job.resumed'
    | 'job.completed'
    | 'job.failed'
    | 'job.canceled'
    | 'validation.resolved'
    | 'credits.low'
    | 'key.created'
    | 'key.updated'
    | 'key.rotated'
    | 'key.paused'
    | 'key.resumed'
    | 'key.revoked'
    | 'key.expired'
    | 'webhook.disabled'
  >
  /**
   * False disables the webhook and fails its pending deliveries. True enables it for events from now on; failed deliveries can be recovered.
   */
  enabled?: boolean
}

/**
 * Webhook delivery list
 *
 * One page of the deliveries to a webhook, newest first.
 */
export type WebhookDeliveryList = Array<WebhookDelivery>

/**
 * Recover webhook deliveries request
 *
 * Selects the failed deliveries to resend.
 */
export type RecoverWebhookDeliveriesRequest = {
  /**
   * Failed deliveries that were created at this time or later are resent (RFC 3339).
   */
  since_at: string
}

/**
 * Recover webhook deliveries result
 *
 * The result of a recovery. Fields may be added.
 */
export type RecoverWebhookDeliveriesResult = {
  /**
   * Number of deliveries that are resent.
   */
  count: number
}

/**
 * Job created event
 *
 * Sent when a job was created from an upload; `data` is the job. Fields may be added.
 */
export type JobCreatedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'job.created'
  data: BulkJob
}

/**
 * Job paused event
 *
 * Sent when a job was paused, by a request or for a review; `data` is the job. Fields may be added.
 */
export type JobPausedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'job.paused'
  data: BulkJob
}

/**
 * Job resumed event
 *
 * Sent when a paused job was resumed; `data` is the job. Fields may be added.
 */
export type JobResumedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'job.resumed'
  data: BulkJob
}

/**
 * Job completed event
 *
 * Sent when every address of a job has its result; `data` is the job. Fields may be added.
 */
export type JobCompletedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'job.completed'
  data: BulkJob
}

/**
 * Job failed event
 *
 * Sent when a job failed and its unused credits were released; `data` is the job. Fields may be added.
 */
export type JobFailedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'job.failed'
  data: BulkJob
}

/**
 * Job canceled event
 *
 * Sent when a job was canceled and its unused credits were released; `data` is the job. Fields may be added.
 */
export type JobCanceledEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'job.canceled'
  data: BulkJob
}

/**
 * Resolved validation
 *
 * The final result of a deferred validation, with the `id` of the first response.
 */
export type ResolvedValidation = {
  /**
   * The address as it was sent.
   */
  email: string
  status: ValidationStatus
  sub_status: ValidationSubStatus
  /**
   * Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.
   */
  confidence: number
  /**
   * Estimated probability that a message sent now is not hard-bounced. The `log_odds` of the evidence add up to its log-odds.
   */
  deliverability: number
  /**
   * How far the validation went.
   * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
   * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
   */
  depth: 'dns' | 'smtp'
  /**
   * Our advice whether to send: `deliverability` is at or above what the account asks for (0.97 unless it says otherwise), and the address is nothing that the account leaves out (disposable, role and machine-generated ones, unless it says otherwise). Where no mail server vouched for the mailbox, outcomes reported for its domain must. An `override` of the account takes precedence: blocked is never safe, allowed is unless `status` is `invalid`.
   */
  safe_to_send: boolean
  /**
   * True exactly when `status` is `valid`.
   */
  is_valid: boolean
  /**
   * The findings as fields. A boolean is true only if the check confirmed it.
   */
  details: {
    /**
     * The text is a well-formed address.
     */
    syntax_valid: boolean
    /**
     * DNS names a server that takes mail for the domain.
     */
    dns_valid: boolean
    /**
     * The mail server accepted this recipient.
     */
    smtp_valid: boolean
    /**
     * The SMTP reply code to the recipient; 0 when the server was not asked or did not answer.
     */
    smtp_code: number
    /**
     * The domain in lower case, as A-labels where it is internationalised; empty when none could be read.
     */
    domain: string
    /**
     * Who runs the mail servers of the domain; empty when we do not know.
     */
    provider: string
    /**
     * The domain is known for throw-away addresses.
     */
    is_disposable: boolean
    /**
     * The address belongs to a function, such as info or sales, rather than to a person.
     */
    is_role_based: boolean
    /**
     * The domain publishes an SPF record.
     */
    has_spf: boolean
    /**
     * The domain publishes a DMARC record.
     */
    has_dmarc: boolean
    /**
     * The mail servers of the domain in DNS, most preferred first, at most 10. Empty if none are known. A domain without MX records that has an IP address is its own mail server with preference 0 (RFC 5321, section 5.1).
     */
    mx: Array<{
      /**
       * Host name in lower case.
       */
      host: string
      /**
       * MX preference. Lower values are preferred.
       */
      preference: number
    }>
    /**
     * The address in normalized form: local part in lower case, domain in lower-case A-labels. Addresses with the same `canonical_email` are duplicates of each other. Dots and tags are kept. Null if the text is not an address.
     */
    canonical_email: string | null
    /**
     * The part before the `@` as it is sent to the mail server, including a tag; null if unknown.
     */
    local_part: string | null
    /**
     * The text after the first `+` of the local part; null if there is none.
     */
    tag: string | null
    /**
     * The domain in Unicode; equal to `domain` unless it is internationalized. Null if unknown.
     */
    domain_unicode: string | null
  }
  /**
   * Whether the domain accepts mail for every address. Field names say `catchall`; enum values say `catch_all`.
   */
  catchall: {
    /**
     * The mail server was seen to accept an address that cannot exist.
     */
    is_catchall: boolean
    /**
     * How sure we are of `is_catchall`, from 0 to 1; null when it was not tested.
     */
    confidence: number | null
  }
  /**
   * The part that a model played in the result.
   */
  ai_enhancement: {
    /**
     * The model moved the log-odds of `deliverability` by at least 0.05.
     */
    used: boolean
    /**
     * The name and version of the model; null where it was not used.
     */
    method: string | null
  }
  /**
   * Id of the validation, for `GET /validations/{validation_id}` and for feedback.
   */
  id: string
  /**
   * The address that was probably intended, if this one looks mistyped or contains more than an address; null otherwise.
   */
  did_you_mean: string | null
  /**
   * Traits worth knowing that do not decide the verdict.
   */
  flags: {
    /**
     * The domain belongs to a free mail provider.
     */
    is_free: boolean
    /**
     * The address forwards to a mailbox it hides. Such relays last and are not disposable.
     */
    is_privacy_relay: boolean
    /**
     * The local part carries a tag, as in ada+news.
     */
    is_tagged: boolean
    /**
     * The text of the local part looks made by a machine. Never by itself a reason to turn a person away.
     */
    is_machine_generated: boolean
  }
  /**
   * The account's override for the address or its domain; null if it has none. An override changes `safe_to_send` and the decision of a policy, never the verdict.
   * - `allow`: the account allows it: safe to send unless the verdict is `invalid`.
   * - `block`: the account blocks it: never safe to send.
   */
  override: string | null
  evidence: EvidenceList
  /**
   * The `reference` of the request; null if it had none.
   */
  reference: string | null
  /**
   * Present if the event would exceed 20 KB. `evidence` is then empty; read the stored result instead.
   */
  evidence_omitted?: true
}

/**
 * Validation resolved event
 *
 * Sent when a deferred validation, whose result had `retry_at`, has its final result; `data` is that result and contains the address. Fields may be added.
 */
export type ValidationResolvedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'validation.resolved'
  data: ResolvedValidation
}

/**
 * Low credits
 *
 * The balance after it fell below the threshold.
 */
export type LowCredits = {
  /**
   * Credits that can be spent.
   */
  available: number
  /**
   * The low-credit threshold of the account.
   */
  threshold: number
  /**
   * Credits reserved for jobs in progress.
   */
  reserved: number
}

/**
 * Credits low event
 *
 * Sent when the balance fell below the low-credit threshold; `data` has `available`, `threshold` and `reserved`. Fields may be added.
 */
export type CreditsLowEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'credits.low'
  data: LowCredits
}

/**
 * Event key
 *
 * An API key without its secret.
 */
export type EventKey = {
  /**
   * The id of the key.
   */
  id: string
  /**
   * The name of the key.
   */
  name: string
  /**
   * Whether it is a live key; false for a test key.
   */
  livemode: boolean
  /**
   * The prefix and the last four characters of the key.
   */
  hint: string
  /**
   * Scopes of the key, including the read scope of every write scope. Scopes may be added.
   * - `validations:read`: read stored validation results.
   * - `validations:write`: validate addresses, one or many per request, and report the delivery outcome of messages.
   * - `jobs:read`: read uploads, jobs and their results.
   * - `jobs:write`: upload lists; start, pause, resume, cancel and delete jobs.
   * - `account:read`: read plan, credits, limits, usage, request log, policies and overrides.
   * - `account:write`: change account settings, policies and overrides.
   * - `keys:read`: read API keys, without their secrets.
   * - `keys:write`: create, change, rotate and revoke API keys.
   * - `webhooks:read`: read webhooks and their deliveries.
   * - `webhooks:write`: create, change, test and delete webhooks, resend deliveries, and set the low-credit threshold.
   */
  scopes: Array<ApiKeyScope>
  /**
   * When the key was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the key expires (RFC 3339, UTC); null if it never does.
   */
  expires_at: string | null
  /**
   * When the key was paused (RFC 3339, UTC); null if it is not.
   */
  paused_at: string | null
  /**
   * When the key was revoked (RFC 3339, UTC); null if it was not.
   */
  revoked_at: string | null
  /**
   * The `id` of the key that was rotated into this one; null if there is none.
   */
  replaces_key_id: string | null
  /**
   * The `id` of the key that this one was rotated into; null if there is none.
   */
  replaced_by_key_id: string | null
}

/**
 * Key created event
 *
 * Sent when an API key was created; `data` is the key without its secret. Fields may be added.
 */
export type KeyCreatedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'key.created'
  data: EventKey
}

/**
 * Key updated event
 *
 * Sent when the settings of an API key were changed; `data` is the key without its secret. Fields may be added.
 */
export type KeyUpdatedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'key.updated'
  data: EventKey
}

/**
 * Key rotated event
 *
 * Sent when an API key was rotated; `data` is the rotated key without its secret, and `replaced_by_key_id` is the new key. Fields may be added.
 */
export type KeyRotatedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'key.rotated'
  data: EventKey
}

/**
 * Key paused event
 *
 * Sent when an API key was paused; `data` is the key without its secret. Fields may be added.
 */
export type KeyPausedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'key.paused'
  data: EventKey
}

/**
 * Key resumed event
 *
 * Sent when a paused API key was resumed; `data` is the key without its secret. Fields may be added.
 */
export type KeyResumedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'key.resumed'
  data: EventKey
}

/**
 * Key revoked event
 *
 * Sent when an API key was revoked; `data` is the key without its secret. Fields may be added.
 */
export type KeyRevokedEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'key.revoked'
  data: EventKey
}

/**
 * Key expired event
 *
 * Sent when an API key expired, at most a few minutes ago; `data` is the key without its secret. Fields may be added.
 */
export type KeyExpiredEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'key.expired'
  data: EventKey
}

/**
 * Disabled webhook
 *
 * The webhook that was disabled.
 */
export type DisabledWebhook = {
  /**
   * The id of the webhook.
   */
  id: string
  /**
   * The URL of the webhook.
   */
  url: string
  /**
   * Why it was disabled: `gone` or `failing`. Values may be added.
   */
  reason: string
  /**
   * The first failed attempt since the last successful one (RFC 3339, UTC).
   */
  failing_since_at: string | null
}

/**
 * Webhook disabled event
 *
 * Sent when a webhook was disabled because it responded with 410 or failed for five days; `data` has its `id`, `url` and the `reason`. Fields may be added.
 */
export type WebhookDisabledEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'webhook.disabled'
  data: DisabledWebhook
}

/**
 * Tested webhook
 *
 * The webhook that the test event was requested for.
 */
export type TestedWebhook = {
  /**
   * The id of the webhook.
   */
  id: string
  /**
   * The description of the webhook.
   */
  description: string
}

/**
 * Webhook test event
 *
 * Sent when a test event was requested for one webhook; `data` has its `id` and `description`. Fields may be added.
 */
export type WebhookTestEvent = {
  /**
   * The id of the event, equal to the `webhook-id` header. The same in every attempt and for every receiver.
   */
  id: string
  /**
   * The version of the API that `data` follows.
   */
  api_version: string
  /**
   * When the event occurred (RFC 3339, UTC). The same in every attempt.
   */
  timestamp: string
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * The type of the event.
   */
  type: 'webhook.test'
  data: TestedWebhook
}

/**
 * Webhook event
 *
 * The body of a request to a webhook, as Standard Webhooks defines it. Types may be added. The signature covers these exact bytes: verify it before you parse them.
 */
export type WebhookEvent =
  | ({
      type: 'job.created'
    } & JobCreatedEvent)
  | ({
      type: 'job.paused'
    } & JobPausedEvent)
  | ({
      type: 'job.resumed'
    } & JobResumedEvent)
  | ({
      type: 'job.completed'
    } & JobCompletedEvent)
  | ({
      type: 'job.failed'
    } & JobFailedEvent)
  | ({
      type: 'job.canceled'
    } & JobCanceledEvent)
  | ({
      type: 'validation.resolved'
    } & ValidationResolvedEvent)
  | ({
      type: 'credits.low'
    } & CreditsLowEvent)
  | ({
      type: 'key.created'
    } & KeyCreatedEvent)
  | ({
      type: 'key.updated'
    } & KeyUpdatedEvent)
  | ({
      type: 'key.rotated'
    } & KeyRotatedEvent)
  | ({
      type: 'key.paused'
    } & KeyPausedEvent)
  | ({
      type: 'key.resumed'
    } & KeyResumedEvent)
  | ({
      type: 'key.revoked'
    } & KeyRevokedEvent)
  | ({
      type: 'key.expired'
    } & KeyExpiredEvent)
  | ({
      type: 'webhook.disabled'
    } & WebhookDisabledEvent)
  | ({
      type: 'webhook.test'
    } & WebhookTestEvent)

/**
 * A value that was added after this version was made.
 */
export type Unlisted = string & {}
