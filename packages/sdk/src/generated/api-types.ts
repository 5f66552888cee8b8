// Written by `pnpm --filter @probity/sdk generate`; not to be changed by hand.

/**
 * Single validation request
 *
 * One address to validate.
 */
export type SingleValidationRequest = {
  /**
   * The email address to validate. Text that is not an address is `invalid` with `syntax_error`, also an empty text or one of more than 1024 characters.
   */
  email: string
  /**
   * Number of seconds to wait for the verdict. Without a verdict by then, the result is `unknown` with a `retry_at`.
   */
  timeout?: number
  /**
   * Whether the local model can contribute to `deliverability`.
   */
  ai?: boolean
  /**
   * Whether to test the domain for catch-all with a control recipient. Without the test, an accepted address is `risky` with `catch_all_untested`, unless the domain is known not to be a catch-all.
   */
  catchall?: boolean
  /**
   * Name of a policy that maps the result to `allow`, `review` or `block`: a built-in one (`signup`, `newsletter`, `transactional`) or one of the account.
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
 * The verdict. Values may be added: treat unrecognized values as `unknown`.
 * - `valid`: the mail server accepts mail for this mailbox.
 * - `invalid`: mail to this address cannot be delivered, according to the mail server, DNS or the syntax of the address.
 * - `risky`: mail may be accepted, but there is a known risk.
 * - `unknown`: the verdict could not be determined. This is not evidence against the address.
 */
export type ValidationStatus = 'valid' | 'invalid' | 'risky' | 'unknown' | Unlisted

/**
 * Validation sub status
 *
 * The reason for the verdict; empty if the status is `valid`. Values may be added: use `status` for unrecognized values.
 * - empty: (valid) no further reason: the address is valid.
 * - `syntax_error`: (invalid) the text is not an email address.
 * - `domain_not_found`: (invalid) the domain does not exist (NXDOMAIN).
 * - `no_mail_server`: (invalid) the domain exists but has no mail server.
 * - `null_mx`: (invalid) the domain declares that it does not accept mail (null MX, RFC 7505).
 * - `domain_not_hosted`: (invalid) the mail server does not host this domain.
 * - `mailbox_not_found`: (invalid) the mail server reported that the mailbox does not exist.
 * - `mailbox_disabled`: (invalid) the mailbox exists but is disabled.
 * - `mailbox_moved`: (invalid) the mailbox has moved to another address.
 * - `catch_all`: (risky) the domain accepts mail for every address (catch-all), so the mailbox cannot be confirmed.
 * - `catch_all_untested`: (risky) the mail server accepted the address; the catch-all test was disabled in the request.
 * - `mailbox_full`: (risky) the mailbox exists but is full.
 * - `disposable`: (risky) the domain provides disposable addresses.
 * - `not_probed`: (unknown) no SMTP probe was made.
 * - `not_started`: (unknown) no worker claimed the address before the timeout, so validation did not start. The credit is refunded.
 * - `dns_failed`: (unknown) the DNS lookup of the domain failed. The credit is refunded.
 * - `not_routable`: (unknown) the mail servers are not on the public internet.
 * - `connection_failed`: (unknown) no connection to a mail server of the domain could be established, or to a backup only.
 * - `timeout`: (unknown) the mail server did not respond within the timeout.
 * - `greylisted`: (unknown) the mail server temporarily rejected the probe (greylisting).
 * - `rate_limited`: (unknown) the mail server limits the rate of our probes.
 * - `blocked`: (unknown) the mail server rejected our IP address, HELO name or sender; nothing is known about the mailbox.
 * - `policy_rejected`: (unknown) the mail server rejected the probe for policy reasons unrelated to the mailbox.
 * - `provider_unverifiable`: (unknown) this provider sends the same reply whether or not the mailbox exists.
 * - `smtputf8_unsupported`: (unknown) the address requires SMTPUTF8, which the mail server does not support.
 * - `address_literal`: (unknown) the domain is an IP address literal, which is not probed.
 * - `server_error`: (unknown) the mail server closed the connection or reported an error of its own.
 * - `internal_error`: (unknown) the validation failed because of an internal error.
 * - `sandbox_unmapped`: (unknown) a test key was used with an address that the sandbox does not map.
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
 * - `mx`: `found`, `domain_not_found`, `no_mail_server`, `null_mx`, `not_routable`, `timeout`, `servfail`, `refused`, `malformed`, `unreachable`, `canceled`, `bad_name`, `query_limit_reached`, `unresolved_alias`, `resolver_untrusted`, `inconsistent`, `other`.
 * - `spf`: `found`, `absent`, `failed`.
 * - `dmarc`: `found`, `absent`, `failed`.
 * - `domain_class`: `disposable`, `privacy_relay`, `free`, `not_listed`.
 * - `recipient`: `accepted`, `mailbox_not_found`, `mailbox_disabled`, `mailbox_full`, `mailbox_moved`, `mailbox_busy`, `policy_rejected`, `domain_not_hosted`, `greylisted`, `verification_pending`, `rate_limited`, `too_many_recipients`, `too_many_errors`, `ip_blocked`, `ptr_required`, `sender_rejected`, `spf_required`, `tls_required`, `geo_blocked`, `smtputf8_unsupported`, `server_error`, `unclassified`, `unverifiable`, `connection_failed`, `not_routable`, `dns_failed`, `timeout`, `connection_closed`, `protocol_error`, `throttled`, `unconfirmed_rejection`, `provider_unverifiable`, `known_catch_all`, `unencodable`, `no_egress`, `opted_out`, `domain_limit`.
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
  | 'resolver_untrusted'
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
  | 'unconfirmed_rejection'
  | 'provider_unverifiable'
  | 'known_catch_all'
  | 'unencodable'
  | 'no_egress'
  | 'opted_out'
  | 'domain_limit'
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
 * The decision about the address. Values may be added: treat unrecognized values as `review`.
 * - `allow`: accept the address.
 * - `review`: accept it with care: request a confirmation, validate again later, or review it manually.
 * - `block`: reject the address.
 */
export type Decision = 'allow' | 'review' | 'block' | Unlisted

/**
 * Validation result
 *
 * The verdict on one address, with its evidence. Fields may be added.
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
   * Estimated probability that a message sent now is not hard-bounced. Its log-odds are the sum of the `log_odds` of the evidence.
   */
  deliverability: number
  /**
   * Depth of the validation.
   * - `dns`: the verdict is based on the address, DNS and domain lists. No SMTP probe was needed, or none was made. Also the value of validations that did not start (`not_started`).
   * - `smtp`: the verdict is based on an SMTP probe, of this request or an earlier one.
   */
  depth: 'dns' | 'smtp'
  /**
   * Recommendation whether to send. True if `deliverability` reaches the threshold of the account (default 0.97) and the address has none of the excluded traits (default: disposable, role and auto-generated). If the mail server did not confirm the mailbox, reported outcomes of its domain must. An `override` of the account takes precedence: blocked addresses are never safe, allowed ones are unless `status` is `invalid`.
   */
  safe_to_send: boolean
  /**
   * Whether `status` is `valid`.
   */
  is_valid: boolean
  /**
   * The findings as fields. A boolean is true only if the check confirmed it.
   */
  details: {
    /**
     * Whether the text is a well-formed address.
     */
    syntax_valid: boolean
    /**
     * Whether the domain has a mail server in DNS.
     */
    dns_valid: boolean
    /**
     * Whether the mail server accepted the recipient.
     */
    smtp_valid: boolean
    /**
     * SMTP reply code to RCPT TO; 0 if no probe was made or the server did not respond.
     */
    smtp_code: number
    /**
     * Domain in lower case, as A-labels if it is internationalized; empty if the text has none.
     */
    domain: string
    /**
     * Mailbox provider of the domain; empty if it is not known.
     */
    provider: string
    /**
     * Whether the domain provides disposable addresses.
     */
    is_disposable: boolean
    /**
     * Whether the address is a role address, such as info@ or sales@.
     */
    is_role_based: boolean
    /**
     * Whether the domain publishes an SPF record.
     */
    has_spf: boolean
    /**
     * Whether the domain publishes a DMARC record.
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
     * Whether the mail server accepted a control recipient.
     */
    is_catchall: boolean
    /**
     * Confidence of `is_catchall`, from 0 to 1; null if it was not tested.
     */
    confidence: number | null
  }
  /**
   * Contribution of the model to the result.
   */
  ai_enhancement: {
    /**
     * Whether the model changed the log-odds of `deliverability` by at least 0.05.
     */
    used: boolean
    /**
     * Name and version of the model; null if it was not used.
     */
    method: string | null
  }
  /**
   * Duration of the request.
   */
  performance: {
    /**
     * Time from the request to the response, in whole milliseconds.
     */
    response_time_ms: number
  }
  /**
   * Information about the response.
   */
  metadata: {
    /**
     * Time of the response: Unix time in seconds, with a fraction.
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
       * Whether the domain was tested for catch-all: `catchall.confidence` is not null.
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
   * The address that was probably intended, if this one looks mistyped, contains more than an address, or is a text that certainly means one, such as `ada @ example.com`; null otherwise.
   */
  did_you_mean: string | null
  /**
   * Traits of the address that do not affect the status.
   */
  flags: {
    /**
     * Whether the domain belongs to a free mailbox provider.
     */
    is_free: boolean
    /**
     * Whether the address forwards to a hidden mailbox. Relay addresses are permanent, not disposable.
     */
    is_privacy_relay: boolean
    /**
     * Whether the local part has a tag, as in ada+news.
     */
    is_tagged: boolean
    /**
     * Whether the local part looks auto-generated. Do not reject a user for this reason alone.
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
   * The decision of the policy in the request. Absent if the request has none.
   */
  policy?: {
    /**
     * Name of the policy: up to 50 lower-case letters, digits, `-` and `_`.
     */
    name: string
    decision: Decision
    /**
     * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
     */
    reason: string
    /**
     * Number of the rule that matched, counted from 1; null if none matched or an override decided.
     */
    rule: number | null
  }
}

/**
 * Problem code
 *
 * Machine-readable code of the problem. The meaning of a code never changes. Codes may be added: use `status` for unrecognized codes. Known codes: `invalid_request`, `malformed_json`, `api_key_in_query`, `conflicting_api_keys`, `no_file`, `missing_api_key`, `invalid_api_key`, `revoked_api_key`, `expired_api_key`, `insufficient_credits`, `api_key_cap_reached`, `paused_api_key`, `ip_not_allowed`, `origin_not_allowed`, `missing_scope`, `key_type_not_allowed`, `live_key_required`, `scope_not_grantable`, `exceeds_own_key`, `account_suspended`, `api_not_in_plan`, `not_found`, `method_not_allowed`, `request_timeout`, `idempotency_in_progress`, `upload_already_confirmed`, `job_finished`, `job_not_finished`, `job_in_progress`, `job_under_review`, `inactive_api_key`, `webhook_disabled`, `too_many_keys`, `too_many_webhooks`, `policy_exists`, `too_many_policies`, `too_many_overrides`, `too_many_uploads`, `too_many_report_links`, `event_expired`, `file_removed`, `results_expired`, `payload_too_large`, `file_too_large`, `unsupported_media_type`, `content_encoding_refused`, `not_csv`, `idempotency_mismatch`, `empty_file`, `malformed_csv`, `record_too_long`, `too_many_columns`, `too_many_rows`, `too_many_emails`, `no_email_column`, `unknown_column`, `no_unknown_results`, `column_without_emails`, `webhook_url_rejected`, `rate_limited`, `concurrency_limited`, `too_many_streams`, `queue_limit_reached`, `headers_too_large`, `internal_error`, `overloaded`, `account_on_hold`, `service_unavailable`.
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
  | 'job_not_finished'
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
  | 'too_many_report_links'
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
  | 'no_unknown_results'
  | 'column_without_emails'
  | 'webhook_url_rejected'
  | 'rate_limited'
  | 'concurrency_limited'
  | 'too_many_streams'
  | 'queue_limit_reached'
  | 'headers_too_large'
  | 'internal_error'
  | 'overloaded'
  | 'account_on_hold'
  | 'service_unavailable'
  | Unlisted

/**
 * Problem
 *
 * Why a request failed, as application/problem+json (RFC 9457). It contains no addresses, keys or other values of the request, except the names of unknown fields, so it can be logged.
 */
export type Problem = {
  /**
   * URL of the documentation of the problem: `/docs/errors#` and the code, relative to the URL of the service.
   */
  type: string
  /**
   * Short summary of the problem, the same for every problem with this code.
   */
  title: string
  /**
   * The HTTP status code of the response.
   */
  status: number
  /**
   * Explanation of this occurrence of the problem, for people. The wording may change: do not parse it.
   */
  detail: string
  /**
   * How to correct the problem, for people, the same for every problem with this code.
   */
  advice: string
  code: ProblemCode
  /**
   * Id of the request. Include it when you contact the operator.
   */
  request_id: string
  /**
   * The errors of the request, if the request is invalid.
   */
  errors?: Array<{
    /**
     * Location of the error: a JSON Pointer (RFC 6901) into the body, or the name of a parameter.
     */
    pointer: string
    /**
     * Description of the error, without the value.
     */
    detail: string
  }>
  /**
   * Number of seconds to wait before a retry, equal to the Retry-After header.
   */
  retry_after_s?: number
}

/**
 * Bulk validation request
 *
 * Addresses to validate in one request.
 */
export type BulkValidationRequest = {
  /**
   * Up to 1000 addresses. Duplicate addresses are validated and charged once.
   */
  emails: Array<string>
  /**
   * Number of seconds to wait for the verdicts. Addresses without a verdict by then are `unknown`.
   */
  timeout?: number
  /**
   * Whether the local model can contribute to `deliverability`.
   */
  ai?: boolean
  /**
   * Whether to test the domain for catch-all with a control recipient. Without the test, an accepted address is `risky` with `catch_all_untested`, unless the domain is known not to be a catch-all.
   */
  catchall?: boolean
  /**
   * Name of a policy that maps the result to `allow`, `review` or `block`: a built-in one (`signup`, `newsletter`, `transactional`) or one of the account.
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
 * The verdicts on the addresses of a request, with counts. Fields may be added.
 */
export type BulkValidationSummary = {
  /**
   * Number of addresses in the request, including duplicates.
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
   * Addresses that repeat an earlier one. Together with the other counts they equal `total`.
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
     * The address as it first occurs in the request.
     */
    email: string
    status: ValidationStatus
    /**
     * Whether `status` is `valid`.
     */
    is_valid: boolean
    /**
     * Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.
     */
    confidence: number
    sub_status: ValidationSubStatus
    /**
     * Depth of the validation.
     * - `dns`: the verdict is based on the address, DNS and domain lists. No SMTP probe was needed, or none was made. Also the value of validations that did not start (`not_started`).
     * - `smtp`: the verdict is based on an SMTP probe, of this request or an earlier one.
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
     * Estimated probability that a message sent now is not hard-bounced. Its log-odds are the sum of the `log_odds` of the evidence.
     */
    deliverability: number
    /**
     * The address that was probably intended, if this one looks mistyped, contains more than an address, or is a text that certainly means one, such as `ada @ example.com`; null otherwise.
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
     * The decision of the policy in the request. Absent if the request has none.
     */
    policy?: {
      /**
       * Name of the policy: up to 50 lower-case letters, digits, `-` and `_`.
       */
      name: string
      decision: Decision
      /**
       * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
       */
      reason: string
      /**
       * Number of the rule that matched, counted from 1; null if none matched or an override decided.
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
   * The email address to validate. Text that is not an address is `invalid` with `syntax_error`, also an empty text or one of more than 1024 characters.
   */
  email: string
  /**
   * Number of seconds to wait. Without a result by then, the policy decides about `unknown`.
   */
  timeout?: number
  /**
   * Name of a policy that maps the result to `allow`, `review` or `block`: a built-in one (`signup`, `newsletter`, `transactional`) or one of the account.
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
 * A form with the file.
 */
export type UploadForm = {
  /**
   * A CSV, TSV or text file, or an Excel workbook (XLSX), up to 50 MiB.
   */
  file: Blob | File
}

/**
 * Upload preview
 *
 * Analysis of an uploaded file. Nothing is validated or charged yet. Fields may be added.
 */
export type UploadPreview = {
  /**
   * Id of the upload.
   */
  id: string
  /**
   * Equal to `id`; use it as `upload_id` when you confirm the upload.
   */
  upload_id: string
  /**
   * Name of the uploaded file.
   */
  filename: string
  /**
   * Column names of the file, from left to right. A column without a header is `column_1` and so on; duplicate names get the suffix `_2`.
   */
  columns: Array<string>
  /**
   * Column with the most values that look like addresses; if there is none, a column whose header is email.
   */
  suggested_email_column: string
  /**
   * Reason for the suggestion. Values may be added.
   * - `most_addresses`: it has the most values that look like addresses.
   * - `most_addresses_and_name`: it has the most values that look like addresses, and its header contains mail.
   * - `several_columns`: it has the most addresses, but other columns contain addresses too: ask the user to choose.
   * - `name_only`: its header is email, but fewer than a fifth of its values look like addresses.
   */
  suggestion_reason: string
  /**
   * Size of the file in bytes.
   */
  size_bytes: number
  /**
   * Character encoding of the file: `utf-8`, `utf-16le`, `utf-16be` or `windows-1252`.
   */
  encoding: string
  /**
   * Delimiter of the cells: a comma, a semicolon, a tab or a vertical bar.
   */
  delimiter: string
  /**
   * Whether a row contains the column names.
   */
  has_header: boolean
  /**
   * Number of the row with the column names; null if there is none. Rows above it, such as a title, are not part of the list.
   */
  header_row: number | null
  /**
   * The first ten rows of the file that are not blank, among them the header and what is above it.
   */
  first_rows: Array<{
    /**
     * Number of the row, as in a spreadsheet.
     */
    row: number
    /**
     * Its cells, truncated to 200 characters each.
     */
    values: Array<string>
  }>
  /**
   * Names of the sheets of a workbook, from left to right; empty for any other file.
   */
  sheets: Array<string>
  /**
   * The sheet that was read; null if the file is not a workbook. Its rows are stored as CSV in UTF-8.
   */
  sheet: string | null
  /**
   * Last job with the same rows, if its file is still stored: for 7 days after the confirmation. Its results can be used instead of a new validation.
   */
  same_file_job?: {
    /**
     * Id of the job.
     */
    id: string
    /**
     * Name of its file.
     */
    filename: string
    /**
     * Column that was validated.
     */
    email_column: string
    /**
     * When the job was confirmed (RFC 3339, UTC).
     */
    created_at: string
    /**
     * Credits that the job has used so far, without refunded ones.
     */
    credits_used: number
  }
  /**
   * Rows of the file, without the header, rows above it and blank lines.
   */
  row_count: number
  /**
   * Lines of the file below the header, blank ones included.
   */
  line_count: number
  /**
   * Blank lines.
   */
  blank_count: number
  /**
   * Rows in which the column is empty; they are not charged.
   */
  empty_count: number
  /**
   * Rows in which the column contains text without an address. They are not validated and not charged.
   */
  not_address_count: number
  /**
   * Values that are not validated and not charged: malformed ones if `malformed` is `skip`, and all but the first one of a cell if `several_addresses` is `first`.
   */
  left_out_count: number
  /**
   * Values that follow another one in their cell. `line_count` and `extra_address_count` together equal the sum of `blank_count`, `empty_count`, `not_address_count`, `left_out_count`, `duplicate_count` and `unique_count`.
   */
  extra_address_count: number
  /**
   * Counts per column, in the order of `columns`.
   */
  column_details: Array<{
    /**
     * The column, as in `columns`.
     */
    name: string
    /**
     * Rows in which the column is not empty.
     */
    filled_count: number
    /**
     * Rows in which the column contains an address, with or without a display name.
     */
    address_count: number
    /**
     * Fraction of the values that contain an address; 0 if there are none.
     */
    address_share: number
  }>
  /**
   * The first five rows, with a value for every column. Values are truncated to 200 characters.
   */
  sample_rows: Array<Array<string>>
  /**
   * Column that the following counts refer to: the suggested one, unless the request names another.
   */
  email_column: string
  /**
   * Addresses that are validated, repetitions included: one for each row that contains one, or several if `several_addresses` is `all`.
   */
  email_count: number
  /**
   * Which addresses of a cell are validated.
   * - `first`: the first address of a cell.
   * - `all`: all addresses of a cell, each with a result of its own.
   */
  several_addresses: 'first' | 'all'
  /**
   * What happens to values with a syntax error that no repair can correct.
   * - `validate`: the result is `invalid` with the reason `syntax_error`, and costs one credit.
   * - `skip`: the value is left out: neither validated nor charged.
   */
  malformed: 'validate' | 'skip'
  /**
   * Values with a syntax error that no repair can correct.
   */
  malformed_count: number
  /**
   * Addresses that were repaired before they are validated: invisible and full-width characters, white space around the @, `(at)`, a comma in place of a dot. The file keeps the cell.
   */
  repaired_count: number
  /**
   * The first ten of them.
   */
  repaired_examples: Array<{
    /**
     * Number of the row, as in a spreadsheet.
     */
    row: number
    /**
     * The cell, truncated to 200 characters.
     */
    value: string
    /**
     * The address that is validated.
     */
    email: string
  }>
  /**
   * Addresses whose domain looks mistyped. Nothing is changed unless the suggestions are accepted.
   */
  suggestion_count: number
  /**
   * Rows in which the cell contains more than the address: a display name, angle brackets, `mailto:` or punctuation. The address is validated, and the export keeps the cell.
   */
  extracted_count: number
  /**
   * The first ten of these rows.
   */
  not_address_examples: Array<{
    /**
     * Number of the row, as in a spreadsheet.
     */
    row: number
    /**
     * The text, truncated to 200 characters.
     */
    value: string
  }>
  /**
   * Unique addresses in the column.
   */
  unique_count: number
  /**
   * Addresses that repeat an earlier one; they are not charged.
   */
  duplicate_count: number
  /**
   * Mailbox providers of the unique addresses, as far as they are known from the domain; largest first.
   */
  provider_mix: Array<{
    /**
     * Mailbox provider, as in a result; empty if it is not known from the domain alone.
     */
    provider: string
    /**
     * Unique addresses.
     */
    count: number
  }>
  /**
   * Cost of the list and available credits. A preview charges and reserves nothing.
   */
  credits: {
    /**
     * Cost of validating `email_column`: 1 credit per unique address; 0 in test mode.
     */
    quote: number
    /**
     * Available credits of the account.
     */
    available: number
    /**
     * Whether the account uses credits without a balance; `available` is then ignored.
     */
    unlimited: boolean
  }
  /**
   * Whether the installation can probe mail servers at the moment, and if not, the reason; and whether it can rely on DNS.
   */
  probing: {
    /**
     * Whether mail servers are probed at the moment.
     * - `smtp`: mail servers are probed.
     * - `dns`: mail servers cannot be reached at the moment. Addresses whose domain accepts mail are `unknown` with `not_probed`, never `invalid`, and their credit is refunded on every plan.
     */
    mode: 'smtp' | 'dns'
    /**
     * Reason why mail servers are not probed; null if they are. Values may be added.
     * - `no_helo_name`: no worker has an egress (PROBITY_SMTP_HELO_NAME and PROBITY_SMTP_MAIL_FROM are not set).
     * - `port_25_closed`: the mail servers of several large providers do not respond on port 25.
     * - `intercepted`: a middlebox, such as a firewall or a proxy, intercepts port 25.
     * - `proxy_failed`: the egress proxy does not respond.
     */
    reason: string | null
    /**
     * Whether the DNS resolvers of the installation pass their check. If not, addresses whose domain seems not to exist or to have no mail server are `unknown` with `dns_failed`, never `invalid`, and their credit is refunded on every plan.
     */
    resolver_trusted: boolean
  }
  /**
   * When the upload expires (RFC 3339, UTC). If it is not confirmed by then, the file is deleted.
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
 * An upload that is not confirmed yet. Fields may be added.
 */
export type Upload = {
  /**
   * Id of the upload.
   */
  id: string
  /**
   * Equal to `id`; use it as `upload_id` when you confirm the upload.
   */
  upload_id: string
  /**
   * Name of the uploaded file.
   */
  filename: string
  /**
   * Size of the file in bytes.
   */
  size_bytes: number
  /**
   * Column names of the file, from left to right. A column without a header is `column_1` and so on; duplicate names get the suffix `_2`.
   */
  columns: Array<string>
  /**
   * Column with the most values that look like addresses; if there is none, a column whose header is email.
   */
  suggested_email_column: string
  /**
   * Rows of the file, without the header, rows above it and blank lines.
   */
  row_count: number
  /**
   * Addresses in the suggested column, repetitions included.
   */
  email_count: number
  /**
   * Unique addresses in the column.
   */
  unique_count: number
  /**
   * Addresses that repeat an earlier one.
   */
  duplicate_count: number
  /**
   * When the file was uploaded (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the upload expires (RFC 3339, UTC). If it is not confirmed by then, the file is deleted.
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
 * One page of the uploads that are not confirmed yet, newest first.
 */
export type UploadList = Array<Upload>

/**
 * Choose header request
 *
 * The row with the column names.
 */
export type ChooseHeaderRequest = {
  /**
   * Number of the row with the column names, as in a spreadsheet; null if the file has none.
   */
  header_row: number | null
  /**
   * Which addresses of a cell are validated.
   * - `first`: the first address of a cell.
   * - `all`: all addresses of a cell, each with a result of its own.
   */
  several_addresses?: 'first' | 'all'
  /**
   * What happens to values with a syntax error that no repair can correct.
   * - `validate`: the result is `invalid` with the reason `syntax_error`, and costs one credit.
   * - `skip`: the value is left out: neither validated nor charged.
   */
  malformed?: 'validate' | 'skip'
}

/**
 * Choose sheet request
 *
 * The sheet to read instead of the present one.
 */
export type ChooseSheetRequest = {
  /**
   * The sheet: one of `sheets` of the preview.
   */
  sheet: string
  /**
   * Which addresses of a cell are validated.
   * - `first`: the first address of a cell.
   * - `all`: all addresses of a cell, each with a result of its own.
   */
  several_addresses?: 'first' | 'all'
  /**
   * What happens to values with a syntax error that no repair can correct.
   * - `validate`: the result is `invalid` with the reason `syntax_error`, and costs one credit.
   * - `skip`: the value is left out: neither validated nor charged.
   */
  malformed?: 'validate' | 'skip'
}

/**
 * Non address
 *
 * A value that is not an address. Fields may be added.
 */
export type NonAddress = {
  /**
   * Number of the row, as in a spreadsheet.
   */
  row: number
  /**
   * The value.
   */
  value: string
  /**
   * Why it is not an address. Values may be added.
   * - `no_address`: text without an address. It is neither validated nor charged.
   * - `syntax_error`: an address with a syntax error that no repair can correct. With `malformed` `validate` its result is `invalid`, and it costs one credit; with `skip` it is left out.
   */
  reason: string
}

/**
 * Non address list
 *
 * One page of the values that are not addresses, in the order of the rows.
 */
export type NonAddressList = Array<NonAddress>

/**
 * Non address CSV
 *
 * All values that are not addresses, with a byte order mark. Each cell is quoted.
 */
export type NonAddressCsv = string

/**
 * Domain suggestion
 *
 * A cell with an address whose domain looks mistyped. Fields may be added.
 */
export type DomainSuggestion = {
  /**
   * Number of the row, as in a spreadsheet.
   */
  row: number
  /**
   * The cell.
   */
  value: string
  /**
   * The cell with the domain that was probably meant. To accept it, send it as a correction.
   */
  suggestion: string
}

/**
 * Domain suggestion list
 *
 * One page of the cells with a mistyped domain, in the order of the rows.
 */
export type DomainSuggestionList = Array<DomainSuggestion>

/**
 * Correct upload request
 *
 * Corrected values of one column: at least one, or all suggestions.
 */
export type CorrectUploadRequest = {
  /**
   * Column to count: one of `columns`. Default: the suggested column.
   */
  email_column?: string
  /**
   * Which addresses of a cell are validated.
   * - `first`: the first address of a cell.
   * - `all`: all addresses of a cell, each with a result of its own.
   */
  several_addresses?: 'first' | 'all'
  /**
   * What happens to values with a syntax error that no repair can correct.
   * - `validate`: the result is `invalid` with the reason `syntax_error`, and costs one credit.
   * - `skip`: the value is left out: neither validated nor charged.
   */
  malformed?: 'validate' | 'skip'
  /**
   * Whether to accept the suggestions for all cells that `corrections` does not name.
   */
  accept_suggestions?: boolean
  /**
   * Up to 1,000 corrected values. Rows that do not exist, blank rows and the header are ignored.
   */
  corrections: Array<{
    /**
     * Number of the row, as in a spreadsheet.
     */
    row: number
    /**
     * New value of the email column. Empty: the row has no address.
     */
    value: string
  }>
}

/**
 * Confirm upload request
 *
 * Creates a job from an upload.
 */
export type ConfirmUploadRequest = {
  /**
   * `upload_id` of the upload to validate, from its preview.
   */
  upload_id: string
  /**
   * Column with the addresses: one of `columns` of the preview.
   */
  email_column: string
  /**
   * Which addresses of a cell are validated.
   * - `first`: the first address of a cell.
   * - `all`: all addresses of a cell, each with a result of its own.
   */
  several_addresses?: 'first' | 'all'
  /**
   * What happens to values with a syntax error that no repair can correct.
   * - `validate`: the result is `invalid` with the reason `syntax_error`, and costs one credit.
   * - `skip`: the value is left out: neither validated nor charged.
   */
  malformed?: 'validate' | 'skip'
  /**
   * Whether the local model can contribute to `deliverability`.
   */
  ai?: boolean
  /**
   * Whether to test the domain for catch-all with a control recipient. Without the test, an accepted address is `risky` with `catch_all_untested`, unless the domain is known not to be a catch-all.
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
 * Status of the job. Values may be added: treat unrecognized values as in progress.
 * - `queued`: confirmed and waiting to be processed.
 * - `planning`: the file is being read and divided into batches.
 * - `processing`: addresses are being validated.
 * - `paused`: no addresses are validated until the job is resumed; finished results are kept.
 * - `completed`: every address has its result.
 * - `canceled`: canceled on request; finished results are kept and unused credits are released.
 * - `failed`: stopped because of an error; unused credits are released.
 */
export type JobStatus = 'queued' | 'planning' | 'processing' | 'paused' | 'completed' | 'canceled' | 'failed' | Unlisted

/**
 * Confirm upload result
 *
 * The job of a confirmed upload and its current status. Fields may be added.
 */
export type ConfirmUploadResult = {
  /**
   * Id of the job.
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
 * The asynchronous validation of an uploaded list. Fields may be added.
 */
export type BulkJob = {
  /**
   * Id of the job.
   */
  id: string
  status: JobStatus
  /**
   * Name of the job: the file name, until it is changed.
   */
  name: string
  /**
   * Tags of the job, in the order in which they were set.
   */
  tags: Array<string>
  /**
   * Name of the uploaded file.
   */
  filename: string
  /**
   * Column with the addresses.
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
   * When validation of the first address started (RFC 3339, UTC); null before that.
   */
  started_at: string | null
  /**
   * When the job was completed or canceled, or failed (RFC 3339, UTC); null until then.
   */
  finished_at: string | null
  /**
   * Day (UTC) on which the addresses and their results are deleted. This summary is kept.
   */
  expires_on: string
  /**
   * Rows of the file, without the header, rows above it and blank lines.
   */
  row_count: number
  /**
   * Lines of the file below the header, blank ones included.
   */
  line_count: number
  /**
   * Blank lines.
   */
  blank_count: number
  /**
   * Rows in which the column is empty; they are not charged.
   */
  empty_count: number
  /**
   * Rows in which the column contains text without an address. They are not validated and not charged.
   */
  not_address_count: number
  /**
   * Values that are not validated and not charged: malformed ones if `malformed` is `skip`, and all but the first one of a cell if `several_addresses` is `first`.
   */
  left_out_count: number
  /**
   * Values that follow another one in their cell. `line_count` and `extra_address_count` together equal the sum of `blank_count`, `empty_count`, `not_address_count`, `left_out_count`, `duplicate_count` and `unique_count`.
   */
  extra_address_count: number
  /**
   * Which addresses of a cell are validated.
   * - `first`: the first address of a cell.
   * - `all`: all addresses of a cell, each with a result of its own.
   */
  several_addresses: 'first' | 'all'
  /**
   * What happens to values with a syntax error that no repair can correct.
   * - `validate`: the result is `invalid` with the reason `syntax_error`, and costs one credit.
   * - `skip`: the value is left out: neither validated nor charged.
   */
  malformed: 'validate' | 'skip'
  /**
   * Addresses that are validated, repetitions included.
   */
  email_count: number
  /**
   * Unique addresses among them.
   */
  unique_count: number
  /**
   * Addresses that repeat an earlier one.
   */
  duplicate_count: number
  /**
   * Unique addresses that have a result.
   */
  done_count: number
  /**
   * Fraction of the unique addresses that have a result; 1 only if all of them have one.
   */
  progress: number
  /**
   * Addresses finished per second in the last minute; 0 if there were none, and after the job has ended.
   */
  rate_per_s: number
  /**
   * Period in which the job is expected to complete. Null if it cannot be estimated: before the first results, while the job is paused, and after it has ended.
   */
  eta: {
    /**
     * Estimate from the throughput of the last minute (RFC 3339, UTC).
     */
    earliest_at: string
    /**
     * Estimate for a lower throughput, if slow mail servers need all their time and deferred addresses all their attempts (RFC 3339, UTC). In test mode at most a minute from now.
     */
    latest_at: string
  } | null
  /**
   * Addresses without a final result whose retry is scheduled, by reason.
   */
  deferred: Array<{
    /**
     * The reason of the deferral, as a `sub_status`; `throttled` if our rate limiter delays the addresses. More values may be added.
     */
    reason: string
    /**
     * Unique addresses that are deferred for this reason.
     */
    count: number
    /**
     * The time of the first of these retries (RFC 3339, UTC); in the past while it takes place.
     */
    retry_at: string
    /**
     * The time of the last attempt, if mail servers defer the addresses each time (RFC 3339, UTC).
     */
    last_retry_at: string
  }>
  /**
   * Reason why a job that has not ended makes no progress; null while it is not. Values may be added.
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
   * The finished addresses by reason. Reasons that did not occur and results without a reason are not listed.
   */
  sub_status_counts: {
    [key: string]: number
  }
  /**
   * Credits of the job.
   */
  credits: {
    /**
     * Credits reserved for addresses that have no result yet.
     */
    reserved: number
    /**
     * Credits used so far, before refunds: 1 for every unique address with a result.
     */
    used: number
    /**
     * Credits refunded so far: for addresses that ended `unknown`, if the plan includes refunds, and for all addresses that could not be probed (`not_probed`) or whose DNS lookup failed (`dns_failed`).
     */
    refunded: number
    /**
     * Credits charged so far, after refunds: `used` minus `refunded`. This is what the job costs.
     */
    charged: number
  }
  /**
   * The URL that receives the event that ends the job; null if there is none.
   */
  callback_url: string | null
  /**
   * Id of the earlier job whose file this job validates again, which may be deleted by now; null for a job from an upload.
   */
  rerun_of: string | null
  /**
   * Rows of the earlier job that this job validates; null for a job from an upload.
   * - `all`: every row of the file.
   * - `unknown`: only the rows whose result is `unknown` for a reason that another validation can change.
   */
  rerun_rows: 'all' | 'unknown' | null
  /**
   * For a job with `rerun_rows` `unknown`: when its results were merged into the job in `rerun_of` (RFC 3339, UTC); null until then, and for every other job.
   */
  merged_at: string | null
  /**
   * Unique addresses that a rerun with `rows` `unknown` validates: those that are `unknown` for a reason that another validation can change.
   */
  rerunnable_count: number
  /**
   * The latest rerun of the unknown rows of this job; null if there is none.
   */
  unknown_rerun: {
    /**
     * Id of the rerun, itself a job.
     */
    id: string
    status: JobStatus
    /**
     * When the rerun was created (RFC 3339, UTC).
     */
    created_at: string
    /**
     * When the rerun was completed or canceled, or failed (RFC 3339, UTC); null until then.
     */
    finished_at: string | null
    /**
     * When its results were merged into this job (RFC 3339, UTC); null until then.
     */
    merged_at: string | null
    /**
     * Unique addresses that the rerun validates.
     */
    unique_count: number
    /**
     * Unique addresses that have a result.
     */
    done_count: number
    /**
     * The finished addresses of the rerun by status.
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
  } | null
  /**
   * When the file is deleted (RFC 3339, UTC). Until then `csv` is available, and the job can be run again.
   */
  file_expires_at: string
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
 * Update job request
 *
 * Settings to change, at least one. Settings that are left out keep their value.
 */
export type UpdateJobRequest = {
  /**
   * New name of the job. The name of the file does not change.
   */
  name?: string
  /**
   * Tags of the job, up to 10. They replace the earlier ones; an empty array removes them.
   */
  tags?: Array<string>
}

/**
 * Rerun request
 *
 * Creates a job from the file of an earlier job.
 */
export type RerunRequest = {
  /**
   * Rows of the earlier job that the new job validates.
   * - `all`: every row of the file.
   * - `unknown`: only the rows whose result is `unknown` for a reason that another validation can change.
   */
  rows: 'all' | 'unknown'
  /**
   * Text of your own, up to 200 characters, such as the id of a customer. It is returned in the response and in webhook events, and not evaluated.
   */
  reference?: string
  /**
   * URL that receives the event that ends the new job, as for the confirmation of an upload.
   */
  callback_url?: string
}

/**
 * Create report link request
 *
 * Creates a link to the report of a job.
 */
export type CreateReportLinkRequest = {
  /**
   * Days until the link expires, at most 90. Default: 30.
   */
  expires_in_days?: number
}

/**
 * Report link with URL
 *
 * A new link to the report of a job. Fields may be added.
 */
export type ReportLinkWithUrl = {
  /**
   * Id of the link.
   */
  id: string
  /**
   * Id of the job.
   */
  job_id: string
  /**
   * When the link was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the link expires (RFC 3339, UTC).
   */
  expires_at: string
  /**
   * URL of the report, for readers without a login. It is returned once: only a hash of its token is stored.
   */
  url: string
}

/**
 * Report link
 *
 * A link to the report of a job, without its URL. Fields may be added.
 */
export type ReportLink = {
  /**
   * Id of the link.
   */
  id: string
  /**
   * Id of the job.
   */
  job_id: string
  /**
   * When the link was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the link expires (RFC 3339, UTC).
   */
  expires_at: string
}

/**
 * Report link list
 *
 * The links to the report of a job that can be opened, newest first.
 */
export type ReportLinkList = Array<ReportLink>

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
   * - `delivered`: an attempt received a 2xx response.
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
   * - `delivered`: an attempt received a 2xx response.
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
 * The verdict on one address of a job. Fields may be added.
 */
export type JobResult = {
  /**
   * The validated address: the one in the cell, without a display name or `mailto:`.
   */
  email: string
  /**
   * First row of the file that contains the address, numbered as in a spreadsheet.
   */
  row: number
  /**
   * Position of the address in the cell of this row: 1 unless the cell contains several values.
   */
  position: number
  status: ValidationStatus
  sub_status: ValidationSubStatus
  /**
   * Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.
   */
  confidence: number
  /**
   * Estimated probability that a message sent now is not hard-bounced. Its log-odds are the sum of the `log_odds` of the evidence.
   */
  deliverability: number
  /**
   * Depth of the validation.
   * - `dns`: the verdict is based on the address, DNS and domain lists. No SMTP probe was needed, or none was made. Also the value of validations that did not start (`not_started`).
   * - `smtp`: the verdict is based on an SMTP probe, of this request or an earlier one.
   */
  depth: 'dns' | 'smtp'
  /**
   * Recommendation whether to send. True if `deliverability` reaches the threshold of the account (default 0.97) and the address has none of the excluded traits (default: disposable, role and auto-generated). If the mail server did not confirm the mailbox, reported outcomes of its domain must. An `override` of the account takes precedence: blocked addresses are never safe, allowed ones are unless `status` is `invalid`.
   */
  safe_to_send: boolean
  /**
   * Whether `status` is `valid`.
   */
  is_valid: boolean
  /**
   * The address that was probably intended, if this one looks mistyped or contains more than an address; null otherwise.
   */
  did_you_mean: string | null
  /**
   * Domain in lower case, as A-labels if it is internationalized; empty if the text has none.
   */
  domain: string
  /**
   * Mailbox provider of the domain; empty if it is not known.
   */
  provider: string
  /**
   * Whether the domain provides disposable addresses.
   */
  is_disposable: boolean
  /**
   * Whether the address is a role address, such as info@ or sales@.
   */
  is_role_based: boolean
  /**
   * Whether the domain publishes an SPF record.
   */
  has_spf: boolean
  /**
   * Whether the domain publishes a DMARC record.
   */
  has_dmarc: boolean
  /**
   * Traits of the address that do not affect the status.
   */
  flags: {
    /**
     * Whether the domain belongs to a free mailbox provider.
     */
    is_free: boolean
    /**
     * Whether the address forwards to a hidden mailbox. Relay addresses are permanent, not disposable.
     */
    is_privacy_relay: boolean
    /**
     * Whether the local part has a tag, as in ada+news.
     */
    is_tagged: boolean
    /**
     * Whether the local part looks auto-generated. Do not reject a user for this reason alone.
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
     * Whether the text is a well-formed address.
     */
    syntax_valid: boolean
    /**
     * Whether the domain has a mail server in DNS.
     */
    dns_valid: boolean
    /**
     * Whether the mail server accepted the recipient.
     */
    smtp_valid: boolean
    /**
     * SMTP reply code to RCPT TO; 0 if no probe was made or the server did not respond.
     */
    smtp_code: number
    /**
     * Domain in lower case, as A-labels if it is internationalized; empty if the text has none.
     */
    domain: string
    /**
     * Mailbox provider of the domain; empty if it is not known.
     */
    provider: string
    /**
     * Whether the domain provides disposable addresses.
     */
    is_disposable: boolean
    /**
     * Whether the address is a role address, such as info@ or sales@.
     */
    is_role_based: boolean
    /**
     * Whether the domain publishes an SPF record.
     */
    has_spf: boolean
    /**
     * Whether the domain publishes a DMARC record.
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
     * Whether the mail server accepted a control recipient.
     */
    is_catchall: boolean
    /**
     * Confidence of `is_catchall`, from 0 to 1; null if it was not tested.
     */
    confidence: number | null
  }
  /**
   * Contribution of the model to the result.
   */
  ai_enhancement?: {
    /**
     * Whether the model changed the log-odds of `deliverability` by at least 0.05.
     */
    used: boolean
    /**
     * Name and version of the model; null if it was not used.
     */
    method: string | null
  }
  evidence?: EvidenceList
  /**
   * The decision of the policy in the request. Absent if the request has none.
   */
  policy?: {
    /**
     * Name of the policy: up to 50 lower-case letters, digits, `-` and `_`.
     */
    name: string
    decision: Decision
    /**
     * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
     */
    reason: string
    /**
     * Number of the rule that matched, counted from 1; null if none matched or an override decided.
     */
    rule: number | null
  }
}

/**
 * Job result list
 *
 * One page of the results of a job, in the order of the rows of its file or as `sort` says.
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
 * Every row of the uploaded file with additional columns at the end, which are empty for rows without a result. Each cell is quoted.
 */
export type JobResultCsv = string

/**
 * Job result workbook
 *
 * The same as a workbook (XLSX) with one sheet. All cells are texts, so none is a formula.
 */
export type JobResultWorkbook = Blob | File

/**
 * Preset
 *
 * Name of the preset, as in the results query and the CLI. Values may be added.
 */
export type Preset = 'safest' | 'balanced' | 'all_but_bounces' | Unlisted

/**
 * Job breakdown
 *
 * Counts of the results of a job by reason, provider, domain and preset. While the job is in progress, the results so far. Fields may be added.
 */
export type JobBreakdown = {
  /**
   * All verdicts that occurred, most frequent first.
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
     * Mailbox provider, as in a result; empty if it is not known.
     */
    provider: string
    /**
     * Unique addresses.
     */
    count: number
    /**
     * Unique addresses that are `valid`.
     */
    valid: number
    /**
     * Unique addresses that are `invalid`.
     */
    invalid: number
    /**
     * Unique addresses that are `risky`.
     */
    risky: number
    /**
     * Unique addresses that are `unknown`.
     */
    unknown: number
  }>
  /**
   * The 20 domains with the most addresses, largest first. Addresses without a domain are not counted.
   */
  by_domain: Array<{
    /**
     * Domain, as in a result.
     */
    domain: string
    /**
     * Mailbox provider, as in a result; empty if it is not known.
     */
    provider: string
    /**
     * Unique addresses.
     */
    count: number
    /**
     * Unique addresses that are `valid`.
     */
    valid: number
    /**
     * Unique addresses that are `invalid`.
     */
    invalid: number
    /**
     * Unique addresses that are `risky`.
     */
    risky: number
    /**
     * Unique addresses that are `unknown`.
     */
    unknown: number
  }>
  /**
   * Addresses that each preset keeps and removes, strictest preset first.
   */
  keep_plans: Array<{
    preset: Preset
    /**
     * Unique addresses that the preset keeps.
     */
    keep_count: number
    /**
     * Unique addresses that the preset removes.
     */
    remove_count: number
    /**
     * Expected bounce rate of the kept addresses. Provisional: estimated with a fixed rate per reason.
     */
    expected_bounce_rate: {
      /**
       * Lower bound of the bounce rate.
       */
      low: number
      /**
       * Upper bound of the bounce rate.
       */
      high: number
    }
    /**
     * Reasons (`sub_status`) of which the preset keeps addresses; the empty value is `valid`. `safest` keeps only addresses that are `safe_to_send`.
     */
    keeps: Array<string>
  }>
}

/**
 * Job comparison
 *
 * The results of a job compared with those of an earlier one. While a job is in progress, its results so far. Fields may be added.
 */
export type JobComparison = {
  /**
   * Id of this job.
   */
  job_id: string
  /**
   * Id of the earlier job.
   */
  with_job_id: string
  /**
   * All results of this job by status.
   */
  status_counts: {
    /**
     * Addresses with the status `valid`.
     */
    valid: number
    /**
     * Addresses with the status `invalid`.
     */
    invalid: number
    /**
     * Addresses with the status `risky`.
     */
    risky: number
    /**
     * Addresses with the status `unknown`.
     */
    unknown: number
  }
  /**
   * All results of the earlier job by status.
   */
  with_status_counts: {
    /**
     * Addresses with the status `valid`.
     */
    valid: number
    /**
     * Addresses with the status `invalid`.
     */
    invalid: number
    /**
     * Addresses with the status `risky`.
     */
    risky: number
    /**
     * Addresses with the status `unknown`.
     */
    unknown: number
  }
  /**
   * The changes per address, without regard to upper and lower case. Null if the results of one of the jobs have expired, or if it has more than 200,000 results.
   */
  changes: {
    /**
     * Addresses that have a result in both jobs.
     */
    matched_count: number
    /**
     * Those of them whose status differs.
     */
    changed_count: number
    /**
     * Addresses that have a result in this job only.
     */
    added_count: number
    /**
     * Addresses that have a result in the earlier job only.
     */
    removed_count: number
    /**
     * The addresses that have a result in both jobs by their status in this job.
     */
    status_counts: {
      /**
       * Addresses with the status `valid`.
       */
      valid: number
      /**
       * Addresses with the status `invalid`.
       */
      invalid: number
      /**
       * Addresses with the status `risky`.
       */
      risky: number
      /**
       * Addresses with the status `unknown`.
       */
      unknown: number
    }
    /**
     * The same by their status in the earlier job.
     */
    with_status_counts: {
      /**
       * Addresses with the status `valid`.
       */
      valid: number
      /**
       * Addresses with the status `invalid`.
       */
      invalid: number
      /**
       * Addresses with the status `risky`.
       */
      risky: number
      /**
       * Addresses with the status `unknown`.
       */
      unknown: number
    }
    /**
     * The changed addresses by their statuses, most frequent first.
     */
    by_status: Array<{
      /**
       * Status in the earlier job.
       */
      from: string
      /**
       * Status in this job.
       */
      to: string
      /**
       * Addresses with this change.
       */
      count: number
    }>
  } | null
}

/**
 * Feedback report
 *
 * Delivery outcomes of messages.
 */
export type FeedbackReport = {
  /**
   * From 1 to 10000 messages, delivered and bounced.
   */
  messages: Array<{
    /**
     * The address that the message was sent to. It is not stored.
     */
    email: string
    /**
     * `delivered` if no bounce arrived within about three days, `bounced` if one did.
     */
    delivery: 'delivered' | 'bounced'
    /**
     * For a bounce: its SMTP code or enhanced status code, or the whole reply line. Only bounces that concern the mailbox count.
     */
    code?: string
    /**
     * The `id` of the validation result that the message was based on.
     */
    id?: string
  }>
  /**
   * Number of messages sent in total, including those that are not reported. If only some of the deliveries are reported, each counts for several.
   */
  sent_total?: number
  /**
   * Day the mail was sent (UTC), at most 60 days ago. Default: today. Messages of the same day to the same address count once.
   */
  sent_on?: string
  /**
   * The job whose results were used for the mail, so that its predictions can be compared with the outcomes.
   */
  job_id?: string
}

/**
 * Feedback CSV
 *
 * The report as CSV: a header with the columns `email` and `delivery`, and optionally `code` and `id`, in any order, and up to 10000 rows.
 */
export type FeedbackCsv = string

/**
 * Feedback summary
 *
 * The result of a report. Fields may be added.
 */
export type FeedbackSummary = {
  /**
   * Messages in the report.
   */
  received: number
  /**
   * Outcomes that were counted.
   */
  counted: {
    /**
     * New deliveries.
     */
    delivered: number
    /**
     * New bounces, including messages that were reported as delivered before.
     */
    bounced: number
  }
  /**
   * Outcomes that were not counted, by reason.
   */
  not_counted: {
    /**
     * Reported before, or more than once in this report.
     */
    duplicate: number
    /**
     * Bounces without a code, or with a code that does not concern the mailbox.
     */
    not_a_mailbox_bounce: number
    /**
     * Values that are not email addresses.
     */
    not_an_address: number
    /**
     * Bounces without a stored result, in a report with `sent_total` and no deliveries: they cannot be weighted.
     */
    no_prediction: number
  }
  /**
   * Weight of each reported delivery, derived from `sent_total`; 1 without it.
   */
  delivered_weight: number
  /**
   * Messages that were matched with an earlier validation result.
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
 * The scoring model behind `deliverability` and its calibration. Fields may be added.
 */
export type Model = {
  /**
   * Name of the text model for local parts.
   */
  name: string
  /**
   * Version of the text model.
   */
  version: string
  /**
   * SHA-256 hash of its weights.
   */
  hash: string
  /**
   * Weights of the scoring model, by name.
   */
  parameters: {
    [key: string]: number
  }
  /**
   * Prior probabilities.
   */
  base_rates: Array<{
    sub_status: ValidationSubStatus
    /**
     * The provider that the prior applies to; null for all others.
     */
    provider: string | null
    /**
     * Probability that a message is not hard-bounced.
     */
    p: number
    /**
     * Fraction of these domains that never bounce.
     */
    swallow: number
  }>
  /**
   * Predictions compared with reported outcomes.
   */
  calibration: {
    /**
     * Origin of the outcomes: the account, or all accounts if the operator shares outcomes.
     */
    scope: 'account' | 'shared'
    /**
     * When the last outcome was counted (RFC 3339, UTC); null if there is none.
     */
    last_outcome_at: string | null
    /**
     * Calibration by provider and kind.
     */
    providers: Array<{
      /**
       * Mailbox provider, as in a result; empty if it is not known.
       */
      provider: string
      /**
       * `decided` for the statuses `valid` and `invalid`, `weighed` for `risky` and `unknown`.
       */
      kind: 'decided' | 'weighed'
      /**
       * Number of outcomes that predictions were compared with, time-weighted.
       */
      outcomes: number
      /**
       * Mean squared difference between prediction and outcome (Brier score).
       */
      brier: number
      /**
       * Mean difference between prediction and outcome over all bins (expected calibration error).
       */
      ece: number
      /**
       * Whether base rates replace the predictions because the calibration error is too high.
       */
      fallen_back: boolean
      /**
       * The bins with outcomes, in ascending order.
       */
      bins: Array<{
        /**
         * Lower bound of the probability.
         */
        from: number
        /**
         * Upper bound of the probability.
         */
        to: number
        /**
         * Number of outcomes in the bin, time-weighted.
         */
        outcomes: number
        /**
         * Mean predicted probability.
         */
        predicted: number
        /**
         * Fraction that was delivered.
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
     * Whether the credit is refunded if the final status is `unknown`. The sub-statuses `not_probed`, `not_started` and `dns_failed` are always refunded.
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
   * Whether the installation can probe mail servers at the moment, and if not, the reason; and whether it can rely on DNS.
   */
  probing: {
    /**
     * Whether mail servers are probed at the moment.
     * - `smtp`: mail servers are probed.
     * - `dns`: mail servers cannot be reached at the moment. Addresses whose domain accepts mail are `unknown` with `not_probed`, never `invalid`, and their credit is refunded on every plan.
     */
    mode: 'smtp' | 'dns'
    /**
     * Reason why mail servers are not probed; null if they are. Values may be added.
     * - `no_helo_name`: no worker has an egress (PROBITY_SMTP_HELO_NAME and PROBITY_SMTP_MAIL_FROM are not set).
     * - `port_25_closed`: the mail servers of several large providers do not respond on port 25.
     * - `intercepted`: a middlebox, such as a firewall or a proxy, intercepts port 25.
     * - `proxy_failed`: the egress proxy does not respond.
     */
    reason: string | null
    /**
     * Whether the DNS resolvers of the installation pass their check. If not, addresses whose domain seems not to exist or to have no mail server are `unknown` with `dns_failed`, never `invalid`, and their credit is refunded on every plan.
     */
    resolver_trusted: boolean
  }
  /**
   * Reason why validation is delayed for all accounts; null while it is not. Values may be added.
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
 * Requests and credits of a period. Fields may be added.
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
   * Totals of the period.
   */
  total: {
    /**
     * Requests with API keys. Requests of the web app are not counted.
     */
    requests: number
    /**
     * Credits charged: 1 per charged address.
     */
    credits_used: number
    /**
     * Credits refunded for results that ended `unknown`, on the day of the refund, which may be later than the day of the charge.
     */
    credits_refunded: number
  }
  /**
   * All days of the period, oldest first, including days without usage. With `by=day`.
   */
  days?: Array<{
    /**
     * The day (UTC).
     */
    occurred_on: string
    /**
     * Requests with API keys. Requests of the web app are not counted.
     */
    requests: number
    /**
     * Credits charged: 1 per charged address.
     */
    credits_used: number
    /**
     * Credits refunded for results that ended `unknown`, on the day of the refund, which may be later than the day of the charge.
     */
    credits_refunded: number
  }>
  /**
   * The keys with usage, highest usage first, at most 1000. With `by=key`.
   */
  keys?: Array<{
    /**
     * The `id` of the API key; null for usage in the web app.
     */
    key_id: string | null
    /**
     * Name of the API key; null if there is none.
     */
    key_name: string | null
    /**
     * Requests with API keys. Requests of the web app are not counted.
     */
    requests: number
    /**
     * Credits charged: 1 per charged address.
     */
    credits_used: number
    /**
     * Credits refunded for results that ended `unknown`, on the day of the refund, which may be later than the day of the charge.
     */
    credits_refunded: number
  }>
}

/**
 * Ledger entry
 *
 * One credit transaction. Entries are never changed or deleted. Fields may be added.
 */
export type LedgerEntry = {
  /**
   * Id of the entry.
   */
  id: string
  /**
   * Time of the transaction (RFC 3339, UTC).
   */
  occurred_at: string
  /**
   * Kind of the transaction. Values may be added.
   * - `grant`: credits were bought or granted.
   * - `adjust`: an operator increased or decreased the balance.
   * - `charge`: addresses of a single or bulk validation were charged.
   * - `reserve`: credits were reserved for a job.
   * - `settle`: results of a job were charged against its reserved credits; the available balance does not change.
   * - `release`: reserved credits that a job did not use became available again.
   * - `refund`: credits were refunded for results that ended `unknown`.
   */
  kind: string
  /**
   * Number of credits. Negative only if an operator removed credits.
   */
  credits: number
  /**
   * Change of the available balance: positive if it increased, negative if it decreased.
   */
  available_change: number
  /**
   * Available balance after the transaction.
   */
  available_after: number
  /**
   * Subject of the transaction. Values may be added.
   * - `job`: the job with the id `job_id`.
   * - `validation`: the validation with the id `validation_id`.
   * - `validations`: addresses that were charged together.
   * - `account`: the account itself.
   */
  subject: string
  /**
   * The `id` of the job, also after it was deleted; null if the transaction was not for a job.
   */
  job_id: string | null
  /**
   * Name of the uploaded file of the job; null if the job was deleted or there is none.
   */
  filename: string | null
  /**
   * The `id` of the validation; null if the transaction was for none or for several.
   */
  validation_id: string | null
  /**
   * The `id` of the API key; null if none was used, as in the web app.
   */
  key_id: string | null
  /**
   * Name of the API key.
   */
  key_name: string | null
  /**
   * Note on the transaction.
   */
  note: string | null
}

/**
 * Ledger entry list
 *
 * One page of the credit transactions, newest first.
 */
export type LedgerEntryList = Array<LedgerEntry>

/**
 * Ledger CSV
 *
 * All credit transactions that match the filters, newest first. Each cell is quoted.
 */
export type LedgerCsv = string

/**
 * Request log entry
 *
 * A logged request. Its body is not stored. Fields may be added.
 */
export type RequestLogEntry = {
  /**
   * The `Request-Id` of the response.
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
   * Source of the request. Values may be added.
   * - `api`: a program, with a secret key.
   * - `page`: a web page, with a publishable key.
   * - `mcp`: an AI agent, through an MCP tool.
   */
  source: string
  /**
   * HTTP method.
   */
  method: string
  /**
   * Route pattern, without ids, addresses or a query string.
   */
  route: string
  /**
   * HTTP status of the response.
   */
  http_status: number
  /**
   * The `code` of the problem in the response; null if there was none.
   */
  code: string | null
  /**
   * The `id` of the API key.
   */
  key_id: string | null
  /**
   * Name of the API key.
   */
  key_name: string | null
  /**
   * Time until the response, in milliseconds.
   */
  duration_ms: number
  /**
   * `status` of the result if the request validated one address; null otherwise.
   */
  result_status: string | null
  /**
   * `sub_status` of that result.
   */
  sub_status: string | null
  /**
   * Net credits charged, after immediate refunds; null for requests that do not use credits.
   */
  credits: number | null
  /**
   * The `id` of the validation; null if there was none.
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
 * A logged request with its result, as long as the result is stored. Fields may be added.
 */
export type RequestLogEntryDetail = {
  /**
   * The `Request-Id` of the response.
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
   * Source of the request. Values may be added.
   * - `api`: a program, with a secret key.
   * - `page`: a web page, with a publishable key.
   * - `mcp`: an AI agent, through an MCP tool.
   */
  source: string
  /**
   * HTTP method.
   */
  method: string
  /**
   * Route pattern, without ids, addresses or a query string.
   */
  route: string
  /**
   * HTTP status of the response.
   */
  http_status: number
  /**
   * The `code` of the problem in the response; null if there was none.
   */
  code: string | null
  /**
   * The `id` of the API key.
   */
  key_id: string | null
  /**
   * Name of the API key.
   */
  key_name: string | null
  /**
   * Time until the response, in milliseconds.
   */
  duration_ms: number
  /**
   * `status` of the result if the request validated one address; null otherwise.
   */
  result_status: string | null
  /**
   * `sub_status` of that result.
   */
  sub_status: string | null
  /**
   * Net credits charged, after immediate refunds; null for requests that do not use credits.
   */
  credits: number | null
  /**
   * The `id` of the validation; null if there was none.
   */
  validation_id: string | null
  /**
   * The stored result of the validated address; null if there is none, if it has expired, and for keys without the `validations:read` scope.
   */
  result: {
    /**
     * The validated address: the one in the cell, without a display name or `mailto:`.
     */
    email: string
    status: ValidationStatus
    sub_status: ValidationSubStatus
    /**
     * Score of the status, from 0 to 1. For `valid` it is `deliverability`; for `invalid` it is 1 − `deliverability`, the estimated probability of a hard bounce. For `risky` and `unknown` it is `deliverability` too and does not say how certain the status is.
     */
    confidence: number
    /**
     * Estimated probability that a message sent now is not hard-bounced. Its log-odds are the sum of the `log_odds` of the evidence.
     */
    deliverability: number
    /**
     * Depth of the validation.
     * - `dns`: the verdict is based on the address, DNS and domain lists. No SMTP probe was needed, or none was made. Also the value of validations that did not start (`not_started`).
     * - `smtp`: the verdict is based on an SMTP probe, of this request or an earlier one.
     */
    depth: 'dns' | 'smtp'
    /**
     * Recommendation whether to send. True if `deliverability` reaches the threshold of the account (default 0.97) and the address has none of the excluded traits (default: disposable, role and auto-generated). If the mail server did not confirm the mailbox, reported outcomes of its domain must. An `override` of the account takes precedence: blocked addresses are never safe, allowed ones are unless `status` is `invalid`.
     */
    safe_to_send: boolean
    /**
     * Whether `status` is `valid`.
     */
    is_valid: boolean
    /**
     * The address that was probably intended, if this one looks mistyped or contains more than an address; null otherwise.
     */
    did_you_mean: string | null
    /**
     * Domain in lower case, as A-labels if it is internationalized; empty if the text has none.
     */
    domain: string
    /**
     * Mailbox provider of the domain; empty if it is not known.
     */
    provider: string
    /**
     * Whether the domain provides disposable addresses.
     */
    is_disposable: boolean
    /**
     * Whether the address is a role address, such as info@ or sales@.
     */
    is_role_based: boolean
    /**
     * Whether the domain publishes an SPF record.
     */
    has_spf: boolean
    /**
     * Whether the domain publishes a DMARC record.
     */
    has_dmarc: boolean
    /**
     * Traits of the address that do not affect the status.
     */
    flags: {
      /**
       * Whether the domain belongs to a free mailbox provider.
       */
      is_free: boolean
      /**
       * Whether the address forwards to a hidden mailbox. Relay addresses are permanent, not disposable.
       */
      is_privacy_relay: boolean
      /**
       * Whether the local part has a tag, as in ada+news.
       */
      is_tagged: boolean
      /**
       * Whether the local part looks auto-generated. Do not reject a user for this reason alone.
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
       * Whether the text is a well-formed address.
       */
      syntax_valid: boolean
      /**
       * Whether the domain has a mail server in DNS.
       */
      dns_valid: boolean
      /**
       * Whether the mail server accepted the recipient.
       */
      smtp_valid: boolean
      /**
       * SMTP reply code to RCPT TO; 0 if no probe was made or the server did not respond.
       */
      smtp_code: number
      /**
       * Domain in lower case, as A-labels if it is internationalized; empty if the text has none.
       */
      domain: string
      /**
       * Mailbox provider of the domain; empty if it is not known.
       */
      provider: string
      /**
       * Whether the domain provides disposable addresses.
       */
      is_disposable: boolean
      /**
       * Whether the address is a role address, such as info@ or sales@.
       */
      is_role_based: boolean
      /**
       * Whether the domain publishes an SPF record.
       */
      has_spf: boolean
      /**
       * Whether the domain publishes a DMARC record.
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
       * Whether the mail server accepted a control recipient.
       */
      is_catchall: boolean
      /**
       * Confidence of `is_catchall`, from 0 to 1; null if it was not tested.
       */
      confidence: number | null
    }
    /**
     * Contribution of the model to the result.
     */
    ai_enhancement?: {
      /**
       * Whether the model changed the log-odds of `deliverability` by at least 0.05.
       */
      used: boolean
      /**
       * Name and version of the model; null if it was not used.
       */
      method: string | null
    }
    evidence?: EvidenceList
    /**
     * The decision of the policy in the request. Absent if the request has none.
     */
    policy?: {
      /**
       * Name of the policy: up to 50 lower-case letters, digits, `-` and `_`.
       */
      name: string
      decision: Decision
      /**
       * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
       */
      reason: string
      /**
       * Number of the rule that matched, counted from 1; null if none matched or an override decided.
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
 * Overview of the account. Parts that cannot be read are null. Fields may be added.
 */
export type Overview = {
  /**
   * Whether the object belongs to live mode. In test mode (`false`) results come from the sandbox: no mail server is probed and no credits are charged.
   */
  livemode: boolean
  /**
   * Whether nothing was ever validated in this mode.
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
   * Verdicts by day. A job counts on the day it was confirmed, until it is deleted; null if it cannot be read at the moment.
   */
  verdicts: {
    /**
     * All days of the period, oldest first, including days without validations.
     */
    days: Array<{
      /**
       * The day (UTC).
       */
      occurred_on: string
      /**
       * Addresses that are `valid`.
       */
      valid: number
      /**
       * Addresses that are `invalid`.
       */
      invalid: number
      /**
       * Addresses that are `risky`.
       */
      risky: number
      /**
       * Addresses that are `unknown`, including deferred ones.
       */
      unknown: number
    }>
    /**
     * Totals of the period.
     */
    total: {
      /**
       * Addresses that are `valid`.
       */
      valid: number
      /**
       * Addresses that are `invalid`.
       */
      invalid: number
      /**
       * Addresses that are `risky`.
       */
      risky: number
      /**
       * Addresses that are `unknown`, including deferred ones.
       */
      unknown: number
    }
    /**
     * Totals of the last day, which is today (UTC).
     */
    today: {
      /**
       * Addresses that are `valid`.
       */
      valid: number
      /**
       * Addresses that are `invalid`.
       */
      invalid: number
      /**
       * Addresses that are `risky`.
       */
      risky: number
      /**
       * Addresses that are `unknown`, including deferred ones.
       */
      unknown: number
    }
  } | null
  /**
   * Jobs in progress and the last finished ones; also null for keys without the `jobs:read` scope; null if it cannot be read at the moment.
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
   * Problems of the requests of the last 24 hours, most frequent first, at most ten; null if it cannot be read at the moment.
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
   * Conditions that need attention, at most twenty; null if it cannot be read at the moment.
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
   * Whether the installation can probe mail servers at the moment, and if not, the reason; and whether it can rely on DNS; null if it cannot be read at the moment.
   */
  probing: {
    /**
     * Whether mail servers are probed at the moment.
     * - `smtp`: mail servers are probed.
     * - `dns`: mail servers cannot be reached at the moment. Addresses whose domain accepts mail are `unknown` with `not_probed`, never `invalid`, and their credit is refunded on every plan.
     */
    mode: 'smtp' | 'dns'
    /**
     * Reason why mail servers are not probed; null if they are. Values may be added.
     * - `no_helo_name`: no worker has an egress (PROBITY_SMTP_HELO_NAME and PROBITY_SMTP_MAIL_FROM are not set).
     * - `port_25_closed`: the mail servers of several large providers do not respond on port 25.
     * - `intercepted`: a middlebox, such as a firewall or a proxy, intercepts port 25.
     * - `proxy_failed`: the egress proxy does not respond.
     */
    reason: string | null
    /**
     * Whether the DNS resolvers of the installation pass their check. If not, addresses whose domain seems not to exist or to have no mail server are `unknown` with `dns_failed`, never `invalid`, and their credit is refunded on every plan.
     */
    resolver_trusted: boolean
  } | null
}

/**
 * Policy
 *
 * Rules that map a result to a decision. Fields may be added.
 */
export type Policy = {
  /**
   * Id of the policy; null for a built-in one. Requests refer to a policy by its `name`.
   */
  id: string | null
  /**
   * Name of the policy: up to 50 lower-case letters, digits, `-` and `_`.
   */
  name: string
  /**
   * Description of the policy, up to 200 characters.
   */
  description: string
  /**
   * Whether every account has the policy. A policy of the account with the same name replaces it.
   */
  is_built_in: boolean
  /**
   * Rules in order of evaluation; the first match decides. At most 50.
   */
  rules: Array<{
    /**
     * Conditions of the rule, at least one. The rule applies if the result meets all of them.
     */
    when: {
      /**
       * The status of the result is one of these.
       */
      status?: Array<string>
      /**
       * The `sub_status` of the result is one of these.
       */
      sub_status?: Array<string>
      /**
       * The address has at least one of these traits. Values may be added.
       * - `disposable`: addresses at temporary-email providers.
       * - `role_based`: shared addresses such as info@ or sales@.
       * - `machine_generated`: addresses whose local part looks auto-generated.
       * - `free`: addresses at free mail providers.
       * - `privacy_relay`: addresses that forward to a mailbox they hide.
       * - `tagged`: addresses with a tag, as in ada+news.
       */
      traits?: Array<string>
      /**
       * The `safe_to_send` of the result has this value.
       */
      safe_to_send?: boolean
      /**
       * The `deliverability` of the result is at least this value.
       */
      deliverability_from?: number
      /**
       * The `deliverability` of the result is below this value.
       */
      deliverability_below?: number
    }
    decision: Decision
    /**
     * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
     */
    reason: string
  }>
  /**
   * The decision if no rule matches.
   */
  default: {
    decision: Decision
    /**
     * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
     */
    reason: string
  }
}

/**
 * Policy list
 *
 * The built-in policies and those of the account, sorted by name.
 */
export type PolicyList = Array<Policy>

/**
 * Create policy request
 *
 * The rules of a new policy and its default decision.
 */
export type CreatePolicyRequest = {
  /**
   * Name of the policy: up to 50 lower-case letters, digits, `-` and `_`.
   */
  name: string
  /**
   * Description of the policy, up to 200 characters.
   */
  description?: string
  /**
   * Rules in order of evaluation; the first match decides. At most 50.
   */
  rules: Array<{
    /**
     * Conditions of the rule, at least one. The rule applies if the result meets all of them.
     */
    when: {
      /**
       * The status of the result is one of these.
       */
      status?: Array<'valid' | 'invalid' | 'risky' | 'unknown'>
      /**
       * The `sub_status` of the result is one of these.
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
       * The address has at least one of these traits.
       * - `disposable`: addresses at temporary-email providers.
       * - `role_based`: shared addresses such as info@ or sales@.
       * - `machine_generated`: addresses whose local part looks auto-generated.
       * - `free`: addresses at free mail providers.
       * - `privacy_relay`: addresses that forward to a mailbox they hide.
       * - `tagged`: addresses with a tag, as in ada+news.
       */
      traits?: Array<'disposable' | 'role_based' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
      /**
       * The `safe_to_send` of the result has this value.
       */
      safe_to_send?: boolean
      /**
       * The `deliverability` of the result is at least this value.
       */
      deliverability_from?: number
      /**
       * The `deliverability` of the result is below this value.
       */
      deliverability_below?: number
    }
    /**
     * The decision about the address:
     * - `allow`: accept the address.
     * - `review`: accept it with care: request a confirmation, validate again later, or review it manually.
     * - `block`: reject the address.
     */
    decision: 'allow' | 'review' | 'block'
    /**
     * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
     */
    reason: string
  }>
  /**
   * The decision if no rule matches.
   */
  default: {
    /**
     * The decision about the address:
     * - `allow`: accept the address.
     * - `review`: accept it with care: request a confirmation, validate again later, or review it manually.
     * - `block`: reject the address.
     */
    decision: 'allow' | 'review' | 'block'
    /**
     * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
     */
    reason: string
  }
}

/**
 * Update policy request
 *
 * Settings to change, at least one. `rules` are replaced as a whole. Settings that are left out keep their value.
 */
export type UpdatePolicyRequest = {
  /**
   * Description of the policy, up to 200 characters.
   */
  description?: string
  /**
   * Rules in order of evaluation; the first match decides. At most 50.
   */
  rules?: Array<{
    /**
     * Conditions of the rule, at least one. The rule applies if the result meets all of them.
     */
    when: {
      /**
       * The status of the result is one of these.
       */
      status?: Array<'valid' | 'invalid' | 'risky' | 'unknown'>
      /**
       * The `sub_status` of the result is one of these.
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
       * The address has at least one of these traits.
       * - `disposable`: addresses at temporary-email providers.
       * - `role_based`: shared addresses such as info@ or sales@.
       * - `machine_generated`: addresses whose local part looks auto-generated.
       * - `free`: addresses at free mail providers.
       * - `privacy_relay`: addresses that forward to a mailbox they hide.
       * - `tagged`: addresses with a tag, as in ada+news.
       */
      traits?: Array<'disposable' | 'role_based' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
      /**
       * The `safe_to_send` of the result has this value.
       */
      safe_to_send?: boolean
      /**
       * The `deliverability` of the result is at least this value.
       */
      deliverability_from?: number
      /**
       * The `deliverability` of the result is below this value.
       */
      deliverability_below?: number
    }
    /**
     * The decision about the address:
     * - `allow`: accept the address.
     * - `review`: accept it with care: request a confirmation, validate again later, or review it manually.
     * - `block`: reject the address.
     */
    decision: 'allow' | 'review' | 'block'
    /**
     * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
     */
    reason: string
  }>
  /**
   * The decision if no rule matches.
   */
  default?: {
    /**
     * The decision about the address:
     * - `allow`: accept the address.
     * - `review`: accept it with care: request a confirmation, validate again later, or review it manually.
     * - `block`: reject the address.
     */
    decision: 'allow' | 'review' | 'block'
    /**
     * The reason, a sentence of up to 200 characters. It is returned unchanged with the decision.
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
   * False disables the webhook and fails its pending deliveries. True enables it for events from now on; failed deliveries can be resent.
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
 * Number of resent deliveries. Fields may be added.
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
   * Estimated probability that a message sent now is not hard-bounced. Its log-odds are the sum of the `log_odds` of the evidence.
   */
  deliverability: number
  /**
   * Depth of the validation.
   * - `dns`: the verdict is based on the address, DNS and domain lists. No SMTP probe was needed, or none was made. Also the value of validations that did not start (`not_started`).
   * - `smtp`: the verdict is based on an SMTP probe, of this request or an earlier one.
   */
  depth: 'dns' | 'smtp'
  /**
   * Recommendation whether to send. True if `deliverability` reaches the threshold of the account (default 0.97) and the address has none of the excluded traits (default: disposable, role and auto-generated). If the mail server did not confirm the mailbox, reported outcomes of its domain must. An `override` of the account takes precedence: blocked addresses are never safe, allowed ones are unless `status` is `invalid`.
   */
  safe_to_send: boolean
  /**
   * Whether `status` is `valid`.
   */
  is_valid: boolean
  /**
   * The findings as fields. A boolean is true only if the check confirmed it.
   */
  details: {
    /**
     * Whether the text is a well-formed address.
     */
    syntax_valid: boolean
    /**
     * Whether the domain has a mail server in DNS.
     */
    dns_valid: boolean
    /**
     * Whether the mail server accepted the recipient.
     */
    smtp_valid: boolean
    /**
     * SMTP reply code to RCPT TO; 0 if no probe was made or the server did not respond.
     */
    smtp_code: number
    /**
     * Domain in lower case, as A-labels if it is internationalized; empty if the text has none.
     */
    domain: string
    /**
     * Mailbox provider of the domain; empty if it is not known.
     */
    provider: string
    /**
     * Whether the domain provides disposable addresses.
     */
    is_disposable: boolean
    /**
     * Whether the address is a role address, such as info@ or sales@.
     */
    is_role_based: boolean
    /**
     * Whether the domain publishes an SPF record.
     */
    has_spf: boolean
    /**
     * Whether the domain publishes a DMARC record.
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
     * Whether the mail server accepted a control recipient.
     */
    is_catchall: boolean
    /**
     * Confidence of `is_catchall`, from 0 to 1; null if it was not tested.
     */
    confidence: number | null
  }
  /**
   * Contribution of the model to the result.
   */
  ai_enhancement: {
    /**
     * Whether the model changed the log-odds of `deliverability` by at least 0.05.
     */
    used: boolean
    /**
     * Name and version of the model; null if it was not used.
     */
    method: string | null
  }
  /**
   * Id of the validation, for `GET /validations/{validation_id}` and for feedback.
   */
  id: string
  /**
   * The address that was probably intended, if this one looks mistyped, contains more than an address, or is a text that certainly means one, such as `ada @ example.com`; null otherwise.
   */
  did_you_mean: string | null
  /**
   * Traits of the address that do not affect the status.
   */
  flags: {
    /**
     * Whether the domain belongs to a free mailbox provider.
     */
    is_free: boolean
    /**
     * Whether the address forwards to a hidden mailbox. Relay addresses are permanent, not disposable.
     */
    is_privacy_relay: boolean
    /**
     * Whether the local part has a tag, as in ada+news.
     */
    is_tagged: boolean
    /**
     * Whether the local part looks auto-generated. Do not reject a user for this reason alone.
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
