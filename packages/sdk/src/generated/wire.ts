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
}

/**
 * Status
 *
 * The verdict. The list is open: treat a value you do not know like `unknown`.
 * - `valid`: the mail server accepts mail for this mailbox.
 * - `invalid`: mail to this address cannot be delivered; we were told so, or the address rules it out.
 * - `risky`: mail may be accepted, but there is a known reason to hesitate.
 * - `unknown`: we could not find out. This says nothing against the address.
 */
export type Status = 'valid' | 'invalid' | 'risky' | 'unknown' | Unlisted

/**
 * Sub status
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
 * - `policy_refused`: (unknown) the mail server refused for a reason of policy that tells nothing of the mailbox.
 * - `provider_unverifiable`: (unknown) this provider gives the same answer whether or not a mailbox exists.
 * - `smtputf8_unsupported`: (unknown) the address needs SMTPUTF8 and the mail server does not offer it.
 * - `address_literal`: (unknown) the domain is a bare IP address, which we do not ask.
 * - `server_error`: (unknown) the mail server broke off or answered with an error of its own.
 * - `internal_error`: (unknown) something failed on our side.
 * - `sandbox_unmapped`: (unknown) a test key was used with an address that the sandbox has no answer for.
 */
export type SubStatus =
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
  | 'policy_refused'
  | 'provider_unverifiable'
  | 'smtputf8_unsupported'
  | 'address_literal'
  | 'server_error'
  | 'internal_error'
  | 'sandbox_unmapped'
  | Unlisted

/**
 * Evidence
 *
 * One finding that the verdict rests on.
 */
export type Evidence = {
  /**
   * Which check this was. New checks may appear.
   */
  check: string
  /**
   * What the check found, in one word of its own vocabulary.
   */
  outcome: string
  /**
   * The finding in a sentence for people. Its wording may change: do not parse it.
   */
  detail: string
  /**
   * `live` when asked for this request, `cache` when an earlier finding was used again.
   */
  source: 'live' | 'cache'
  /**
   * When the finding was made: Unix time in seconds, with a fraction. Earlier than the request if cached.
   */
  at: number
  /**
   * How long the check took, in milliseconds; may have a fraction.
   */
  ms: number
  /**
   * How far the finding moved `deliverability`, in natural log-odds: above zero speaks for the mailbox, below zero against it. The sum over all evidence is the log-odds of `deliverability`. Absent where a finding was not weighed.
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
  status: Status
  sub_status: SubStatus
  /**
   * How sure we are of the verdict, from 0 to 1: `deliverability` where the status is `valid`, `risky` or `unknown`, and 1 less `deliverability` where it is `invalid`.
   */
  confidence: number
  /**
   * The chance that a message sent now draws no hard bounce. The `log_odds` of the evidence add up to its log-odds.
   */
  deliverability: number
  /**
   * How far the validation went.
   * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
   * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
   */
  depth: 'dns' | 'smtp'
  /**
   * Our advice whether to send: `deliverability` is at or above what the account asks for (0.97 unless it says otherwise), and the address is nothing that the account leaves out (disposable, role and machine-generated ones, unless it says otherwise). Where no mail server vouched for the mailbox, outcomes reported for its domain must. What is on a list of the account follows `listed` instead: blocked is never safe, allowed is unless `status` is `invalid`.
   */
  safe_to_send: boolean
  /**
   * True exactly when `status` is `valid`.
   */
  is_valid: boolean
  /**
   * What the checks found. A boolean is true only where it was shown to be so.
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
  }
  /**
   * Whether the domain accepts mail for every address.
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
     * The optional features that were at work.
     */
    features_used: {
      /**
       * The plan has the catch-all test, and the request did not do without it.
       */
      catchall_detection: boolean
      /**
       * The plan has the model, and the request did not do without it.
       */
      ai_enhancement: boolean
    }
  }
  /**
   * Names this result, by which it can be read again for as long as the account keeps results.
   */
  id: string
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
   */
  livemode: boolean
  /**
   * The address that was probably intended, when this one looks mistyped or holds more than an address; null otherwise.
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
   * When to ask again, in seconds of Unix time, while the result is still being worked on; null when it is settled.
   */
  retry_at: number | null
  /**
   * Which of the account's own lists the address or its domain is on; null where it is on neither. It moves `safe_to_send` and the decision of a policy, and never the verdict.
   * - `allow`: the account vouches for it.
   * - `block`: the account does not want it.
   */
  listed: string | null
  evidence: EvidenceList
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
 * The kind of problem for programs; a code never changes its meaning. New codes may be added, so fall back on `status`. Known codes: `invalid_request`, `malformed_json`, `key_in_query`, `no_file`, `missing_api_key`, `invalid_api_key`, `revoked_api_key`, `expired_api_key`, `not_signed_in`, `insufficient_credits`, `key_cap_reached`, `paused_api_key`, `ip_not_allowed`, `origin_not_allowed`, `missing_scope`, `scope_not_held`, `exceeds_own_key`, `missing_role`, `two_factor_required`, `code_required`, `cross_site_request`, `sign_up_closed`, `account_creation_closed`, `account_suspended`, `plan_without_api`, `not_found`, `not_configured`, `request_timeout`, `idempotency_in_progress`, `confirmed_otherwise`, `job_ended`, `job_under_review`, `key_ended`, `webhook_disabled`, `last_owner`, `already_subscribed`, `too_many_organisations`, `too_many_keys`, `too_many_webhooks`, `policy_exists`, `too_many_policies`, `too_many_listings`, `too_many_uploads`, `would_lock_out`, `event_removed`, `file_removed`, `results_expired`, `payload_too_large`, `file_too_large`, `unsupported_media_type`, `content_encoding_refused`, `not_csv`, `idempotency_mismatch`, `empty_file`, `malformed_csv`, `record_too_long`, `too_many_columns`, `too_many_rows`, `too_many_emails`, `no_email_column`, `unknown_column`, `column_without_emails`, `password_refused`, `webhook_url_rejected`, `rate_limited`, `too_many_in_flight`, `too_many_streams`, `too_many_waiting`, `domain_limit`, `headers_too_large`, `internal`, `overloaded`, `account_under_audit`, `unavailable`.
 */
export type ProblemCode =
  | 'invalid_request'
  | 'malformed_json'
  | 'key_in_query'
  | 'no_file'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'revoked_api_key'
  | 'expired_api_key'
  | 'not_signed_in'
  | 'insufficient_credits'
  | 'key_cap_reached'
  | 'paused_api_key'
  | 'ip_not_allowed'
  | 'origin_not_allowed'
  | 'missing_scope'
  | 'scope_not_held'
  | 'exceeds_own_key'
  | 'missing_role'
  | 'two_factor_required'
  | 'code_required'
  | 'cross_site_request'
  | 'sign_up_closed'
  | 'account_creation_closed'
  | 'account_suspended'
  | 'plan_without_api'
  | 'not_found'
  | 'not_configured'
  | 'request_timeout'
  | 'idempotency_in_progress'
  | 'confirmed_otherwise'
  | 'job_ended'
  | 'job_under_review'
  | 'key_ended'
  | 'webhook_disabled'
  | 'last_owner'
  | 'already_subscribed'
  | 'too_many_organisations'
  | 'too_many_keys'
  | 'too_many_webhooks'
  | 'policy_exists'
  | 'too_many_policies'
  | 'too_many_listings'
  | 'too_many_uploads'
  | 'would_lock_out'
  | 'event_removed'
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
  | 'password_refused'
  | 'webhook_url_rejected'
  | 'rate_limited'
  | 'too_many_in_flight'
  | 'too_many_streams'
  | 'too_many_waiting'
  | 'domain_limit'
  | 'headers_too_large'
  | 'internal'
  | 'overloaded'
  | 'account_under_audit'
  | 'unavailable'
  | Unlisted

/**
 * Problem
 *
 * Why a request failed, as application/problem+json (RFC 9457). It never repeats what was sent, neither addresses nor keys, so that it can be logged as it is.
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
   * Credits charged: 1 for every unique address.
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
    status: Status
    /**
     * True exactly when `status` is `valid`.
     */
    is_valid: boolean
    /**
     * How sure we are of the verdict, from 0 to 1: `deliverability` where the status is `valid`, `risky` or `unknown`, and 1 less `deliverability` where it is `invalid`.
     */
    confidence: number
    sub_status: SubStatus
    /**
     * How far the validation went.
     * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
     * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
     */
    depth: 'dns' | 'smtp'
    /**
     * Which of the account's own lists the address or its domain is on; null where it is on neither. It moves `safe_to_send` and the decision of a policy, and never the verdict.
     * - `allow`: the account vouches for it.
     * - `block`: the account does not want it.
     */
    listed: string | null
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
   * Credits given back for addresses that ended `unknown`, where the plan does so.
   */
  credits_refunded: number
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
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
   * Names the uploaded file; hand it to the confirm step.
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
   * The column whose values look most like addresses.
   */
  suggested_email_column: string
  /**
   * Why that column. The list is open.
   * - `most_addresses`: no other column has more values that look like addresses.
   * - `most_addresses_and_name`: the same, and its header says so too.
   * - `several_columns`: it has the most addresses, but others look like addresses too: somebody had better choose.
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
   * Different addresses among them.
   */
  unique_emails: number
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
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
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
   * Names the uploaded file; hand it to the confirm step.
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
   * The column whose values look most like addresses.
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
   * Different addresses among them.
   */
  unique_emails: number
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
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
   */
  livemode: boolean
}

/**
 * Uploads
 *
 * One page of the uploads that were not confirmed yet, newest first.
 */
export type Uploads = Array<Upload>

/**
 * Upload confirmation
 *
 * Turns an upload into a job.
 */
export type UploadConfirmation = {
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
 * Job created
 *
 * The job that a confirmed upload became. Fields may be added.
 */
export type JobCreated = {
  /**
   * Names the job.
   */
  id: string
  status: JobStatus
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
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
   * Rows of the file whose email cell is not empty.
   */
  total_rows: number
  /**
   * Different addresses among the rows.
   */
  unique_emails: number
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
    earliest: string
    /**
     * If it goes slower, and if the mail servers that put addresses off do so as often as we ask (RFC 3339, UTC).
     */
    latest: string
  } | null
  /**
   * Addresses that are left alone for a while before they are tried again, by reason.
   */
  waiting: Array<{
    /**
     * Why they wait, as a `sub_status`. The list is open.
     */
    reason: string
    /**
     * Unique addresses that wait for this reason.
     */
    count: number
    /**
     * When the first of them are tried again (RFC 3339, UTC).
     */
    until: string
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
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
   */
  livemode: boolean
}

/**
 * Bulk jobs
 *
 * One page of the jobs of the account, newest first.
 */
export type BulkJobs = Array<BulkJob>

/**
 * List result
 *
 * The verdict on one address of a list. Fields may be added.
 */
export type ListResult = {
  /**
   * The address that was validated: the one in the cell, without a display name or `mailto:` around it.
   */
  email: string
  /**
   * The row of the file where the address occurs first, as a spreadsheet numbers it.
   */
  row: number
  status: Status
  sub_status: SubStatus
  /**
   * How sure we are of the verdict, from 0 to 1: `deliverability` where the status is `valid`, `risky` or `unknown`, and 1 less `deliverability` where it is `invalid`.
   */
  confidence: number
  /**
   * The chance that a message sent now draws no hard bounce. The `log_odds` of the evidence add up to its log-odds.
   */
  deliverability: number
  /**
   * How far the validation went.
   * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
   * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
   */
  depth: 'dns' | 'smtp'
  /**
   * Our advice whether to send: `deliverability` is at or above what the account asks for (0.97 unless it says otherwise), and the address is nothing that the account leaves out (disposable, role and machine-generated ones, unless it says otherwise). Where no mail server vouched for the mailbox, outcomes reported for its domain must. What is on a list of the account follows `listed` instead: blocked is never safe, allowed is unless `status` is `invalid`.
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
   * Which of the account's own lists the address or its domain is on; null where it is on neither. It moves `safe_to_send` and the decision of a policy, and never the verdict.
   * - `allow`: the account vouches for it.
   * - `block`: the account does not want it.
   */
  listed: string | null
  /**
   * What the checks found. A boolean is true only where it was shown to be so.
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
  }
  /**
   * Whether the domain accepts mail for every address.
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
 * List results
 *
 * One page of the results of a job, in the order of the rows of its file.
 */
export type ListResults = Array<ListResult>

/**
 * Result lines
 *
 * All results of a job in the order of the rows of its file, each as one line of JSON.
 */
export type ResultLines = string

/**
 * Result sheet
 *
 * Every row of the uploaded file, each cell in quotes, with our columns behind its own; empty ones where there is no result.
 */
export type ResultSheet = string

/**
 * Preset
 *
 * The name of the plan, as results and the command line know it. The list is open.
 */
export type Preset = 'safest' | 'balanced' | 'all_but_bounces' | Unlisted

/**
 * Breakdown
 *
 * The results of a job counted in several ways; while it is under way, the results so far. Fields may be added.
 */
export type Breakdown = {
  /**
   * All verdicts that occurred, most first.
   */
  by_reason: Array<{
    status: Status
    sub_status: SubStatus
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
   * From 1 to 10000 outcomes, deliveries and bounces alike.
   */
  outcomes: Array<{
    /**
     * The address that the message was sent to. It is not kept.
     */
    email: string
    /**
     * `delivered` when no bounce came within three days or so, `bounced` when one did.
     */
    outcome: 'delivered' | 'bounced'
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
   * How many messages were sent in all, of which these are the outcomes that are known. Where fewer deliveries are reported than there were, each then stands for several.
   */
  sent_total?: number
  /**
   * The day the mail was sent (UTC), at most 60 days ago; today if left out. The same outcome of the same day counts once, however often it is reported.
   */
  sent_on?: string
  /**
   * The job whose results the mail was sent by, so that they can be held against what came of it.
   */
  job_id?: string
}

/**
 * Feedback sheet
 *
 * The same as CSV: a header with the columns `email` and `outcome`, and `code` and `id` where there are any, in any order, and up to 10000 rows.
 */
export type FeedbackSheet = string

/**
 * Feedback summary
 *
 * What was made of a report. Fields may be added.
 */
export type FeedbackSummary = {
  /**
   * Outcomes in the report.
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
   * Outcomes that could be held against what we had said of the address.
   */
  predictions_found: number
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
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
    sub_status: SubStatus
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
 * Key scope
 *
 * One thing that a key may do.
 */
export type KeyScope = 'validation' | 'bulk' | 'account' | 'keys' | 'webhooks' | 'settings' | Unlisted

/**
 * Account
 *
 * The account that the calling key belongs to. Fields may be added.
 */
export type Account = {
  /**
   * Names the account.
   */
  id: string
  /**
   * What the account is called.
   */
  name: string
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
   */
  livemode: boolean
  /**
   * What the account has subscribed to.
   */
  plan: {
    /**
     * The name of the plan.
     */
    name: string
    /**
     * Whether live keys may use the API.
     */
    api_access: boolean
    /**
     * Whether a model may take part in the confidence.
     */
    ai_enhancement: boolean
    /**
     * Whether domains are tested for catch-all.
     */
    catchall_detection: boolean
    /**
     * Whether the credit is given back when a result ends `unknown`. Where no mail server could be asked (`not_probed`) or validation did not start (`not_started`) it always is.
     */
    refund_unknown: boolean
  }
  /**
   * The balance. One credit pays for one unique address.
   */
  credits: {
    /**
     * Credits that can be spent now. Of no consequence where `unlimited` is true.
     */
    available: number
    /**
     * Credits set aside for work that has been accepted and is not finished.
     */
    reserved: number
    /**
     * Credits spent since the account was opened, refunds taken off.
     */
    spent: number
    /**
     * Whether the account may spend without a balance.
     */
    unlimited: boolean
    /**
     * Below so many credits webhooks are told `credits.low`, once each time the balance falls there.
     */
    low_at: number
  }
  /**
   * How much the account may ask for.
   */
  limits: {
    /**
     * Requests that the account may make in one window of time.
     */
    requests_per_window: number
    /**
     * Length of that window, in seconds.
     */
    window_s: number
    /**
     * Addresses that one JSON list may have.
     */
    emails_per_request: number
    /**
     * Rows with an address that one uploaded file may have.
     */
    emails_per_file: number
    /**
     * Addresses from single and JSON list requests that are worked on at once.
     */
    interactive_in_flight: number
    /**
     * Longest `retention_days` that the account can set.
     */
    retention_days_max: number
  }
  /**
   * What the account calls `safe_to_send`.
   */
  sending: {
    /**
     * From this `deliverability` on an address is `safe_to_send`: 0.97 bears three bounces in a hundred.
     */
    threshold: number
    /**
     * What an address must not be to be `safe_to_send`:
     * - `disposable`: addresses that are thrown away after use.
     * - `role`: addresses of a function, such as info or sales, rather than of a person.
     * - `machine_generated`: addresses whose text looks made by a machine.
     * - `free`: addresses at free mail providers.
     * - `privacy_relay`: addresses that forward to a mailbox they hide.
     * - `tagged`: addresses with a tag, as in ada+news.
     */
    excludes: Array<'disposable' | 'role' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
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
   * Days that results are kept before they are deleted; 0 when they are not kept at all.
   */
  retention_days: number
  /**
   * The key that this request was made with. Not there when a person asks in the web application.
   */
  key?: {
    /**
     * The `id` of the key.
     */
    id: string
    /**
     * What the key is called.
     */
    name: string
    /**
     * `live` asks real mail servers and costs credits; `test` answers from the sandbox. It never changes.
     */
    mode: 'live' | 'test'
    /**
     * What the key may do. The list is open.
     * - `validation`: validate single addresses and JSON lists, and report what became of mail to them.
     * - `bulk`: upload files, start jobs and read their results.
     * - `account`: read plan, credits, limits and policies of the account, and how well predictions hold for it.
     * - `keys`: create, list, change and revoke API keys.
     * - `webhooks`: say where events are sent, look at what was sent, and set when credits count as low.
     * - `settings`: change the name of the account, for how long it keeps results, and its policies.
     */
    scopes: Array<KeyScope>
  }
}

/**
 * Account changes
 *
 * The settings to change, at least one; those left out stay as they are.
 */
export type AccountChanges = {
  /**
   * What the account is called, from 1 to 200 characters. Needs the scopes `account` and `settings`.
   */
  name?: string
  /**
   * Days that results are kept from now on, at most `limits.retention_days_max`; 0 for as short as possible. Existing results keep their date of deletion. Needs the scopes `account` and `settings`.
   */
  retention_days?: number
  /**
   * What the account calls `safe_to_send` from now on, within a minute. Needs the scopes `account` and `settings`.
   */
  sending?: {
    /**
     * From this `deliverability` on an address is `safe_to_send`: 0.97 bears three bounces in a hundred.
     */
    threshold?: number
    /**
     * What an address must not be to be `safe_to_send`:
     * - `disposable`: addresses that are thrown away after use.
     * - `role`: addresses of a function, such as info or sales, rather than of a person.
     * - `machine_generated`: addresses whose text looks made by a machine.
     * - `free`: addresses at free mail providers.
     * - `privacy_relay`: addresses that forward to a mailbox they hide.
     * - `tagged`: addresses with a tag, as in ada+news.
     */
    excludes?: Array<'disposable' | 'role' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
  }
  /**
   * Below so many credits webhooks are told `credits.low`; null for a tenth of the last credits that were bought or given. Needs the scope `webhooks`.
   */
  credits_low_at?: number | null
}

/**
 * Usage
 *
 * What was asked and what it cost. Fields may be added.
 */
export type Usage = {
  /**
   * The first day that was added up (UTC).
   */
  from: string
  /**
   * The last day that was added up (UTC).
   */
  to: string
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
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
    day: string
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
   * When the credits moved (RFC 3339, UTC).
   */
  at: string
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
 * Ledger entries
 *
 * One page of the movements of credits, newest first.
 */
export type LedgerEntries = Array<LedgerEntry>

/**
 * Ledger sheet
 *
 * All movements of credits that were asked for, newest first, each cell in quotes.
 */
export type LedgerSheet = string

/**
 * Request
 *
 * A request as it was answered. Nothing of its body is kept. Fields may be added.
 */
export type Request = {
  /**
   * The `Request-Id` that the answer had.
   */
  id: string
  /**
   * When the request came (RFC 3339, UTC).
   */
  at: string
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
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
   * The HTTP status of the answer.
   */
  status: number
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
   * The `status` that a single address was answered with; null for everything else.
   */
  verdict: string | null
  /**
   * The `sub_status` that a single address was answered with.
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
 * Requests
 *
 * One page of the requests, newest first. Fields may be added.
 */
export type Requests = {
  /**
   * The requests, newest first.
   */
  requests: Array<Request>
  /**
   * What to send as `cursor` for older ones; null where there are none. Where few pass the filters a page may be short, or empty, and still have one after it.
   */
  next_cursor: string | null
  /**
   * For how many days requests are kept; 0 where none are.
   */
  kept_days: number
}

/**
 * Request with its result
 *
 * A request as it was answered, and what is still kept of its result. Fields may be added.
 */
export type RequestWithItsResult = {
  /**
   * The `Request-Id` that the answer had.
   */
  id: string
  /**
   * When the request came (RFC 3339, UTC).
   */
  at: string
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
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
   * The HTTP status of the answer.
   */
  status: number
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
   * The `status` that a single address was answered with; null for everything else.
   */
  verdict: string | null
  /**
   * The `sub_status` that a single address was answered with.
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
   * What was found about the one address, for as long as results are kept; null where there is nothing, where it has left, and for keys without the `validation` scope.
   */
  result: {
    /**
     * The address that was validated: the one in the cell, without a display name or `mailto:` around it.
     */
    email: string
    status: Status
    sub_status: SubStatus
    /**
     * How sure we are of the verdict, from 0 to 1: `deliverability` where the status is `valid`, `risky` or `unknown`, and 1 less `deliverability` where it is `invalid`.
     */
    confidence: number
    /**
     * The chance that a message sent now draws no hard bounce. The `log_odds` of the evidence add up to its log-odds.
     */
    deliverability: number
    /**
     * How far the validation went.
     * - `dns`: the verdict rests on the address itself, on DNS and on our lists: it was clear before a mail server was asked, or none was asked. A validation that did not start (`not_started`) has this value, too.
     * - `smtp`: the mail server has a part in it: it was asked, or what it is known to have said before counts.
     */
    depth: 'dns' | 'smtp'
    /**
     * Our advice whether to send: `deliverability` is at or above what the account asks for (0.97 unless it says otherwise), and the address is nothing that the account leaves out (disposable, role and machine-generated ones, unless it says otherwise). Where no mail server vouched for the mailbox, outcomes reported for its domain must. What is on a list of the account follows `listed` instead: blocked is never safe, allowed is unless `status` is `invalid`.
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
     * Which of the account's own lists the address or its domain is on; null where it is on neither. It moves `safe_to_send` and the decision of a policy, and never the verdict.
     * - `allow`: the account vouches for it.
     * - `block`: the account does not want it.
     */
    listed: string | null
    /**
     * What the checks found. A boolean is true only where it was shown to be so.
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
    }
    /**
     * Whether the domain accepts mail for every address.
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
 * How mail providers treat this installation at the moment. Fields may be added.
 */
export type ProviderHealth = {
  /**
   * Whether providers keep us away. The list is open.
   * - `normal`: no provider that we know keeps us away.
   * - `limited`: those in `providers` do, until a time that is known.
   * - `unknown`: it cannot be said at the moment.
   */
  status: string
  /**
   * The same in one sentence, for people.
   */
  sentence: string
  /**
   * The providers that keep us away, the one that does so for longest first.
   */
  providers: Array<{
    /**
     * The provider, as in results.
     */
    provider: string
    /**
     * What it is called.
     */
    name: string
    /**
     * What it turned us away for. The list is open.
     */
    reason: string
    /**
     * Until when it is left alone (RFC 3339, UTC).
     */
    until: string
  }>
}

/**
 * Overview
 *
 * How things stand, in one answer. Each part may be missing without the others. Fields may be added.
 */
export type Overview = {
  /**
   * False when a test key was used: verdicts then come from the sandbox, no server is asked and nothing is charged.
   */
  livemode: boolean
  /**
   * Whether nothing was ever asked in this mode, by a key, a person or a list.
   */
  is_new: boolean
  /**
   * The first day that is shown (UTC).
   */
  from: string
  /**
   * The last day that is shown (UTC), which is today.
   */
  to: string
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
      day: string
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
   * Lists under way, and the last ones; also null for keys without the `bulk` scope; null where it could not be read just now.
   */
  lists: {
    /**
     * Lists that are under way, at most five, the newest first.
     */
    running: Array<BulkJob>
    /**
     * Lists that have ended, at most five, the newest first.
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
     * Its HTTP status.
     */
    status: number
    /**
     * How many requests were answered with it.
     */
    count: number
    /**
     * When the last of them came (RFC 3339, UTC).
     */
    last_at: string
  }> | null
  /**
   * What should be looked at, at most twenty; null where it could not be read just now.
   */
  alerts: Array<{
    /**
     * What is to be looked at. The list is open.
     * - `webhook_failing`: a webhook has not taken anything of late; `id` names it.
     * - `webhook_disabled`: a webhook was switched off since it failed; `id` names it.
     * - `key_unused`: a key that works was not used for 30 days; `id` names it.
     * - `results_leaving`: the results of a list leave within two days; `id` names it.
     * - `credits_low`: credits are running low.
     */
    kind: string
    /**
     * What it is about; null where it is the account.
     */
    id: string | null
    /**
     * What that is called.
     */
    name: string | null
    /**
     * Since when a webhook fails or is off, when a key was last used or else made, when results leave (RFC 3339, UTC); null for the account.
     */
    at: string | null
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
   * What the policy is called: up to 50 lower-case letters, digits, `-` and `_`.
   */
  name: string
  /**
   * What the policy is for, up to 200 characters.
   */
  description: string
  /**
   * True for the policies that every account has. An own one of the same name takes the place of it.
   */
  built_in: boolean
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
       * - `disposable`: addresses that are thrown away after use.
       * - `role`: addresses of a function, such as info or sales, rather than of a person.
       * - `machine_generated`: addresses whose text looks made by a machine.
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
 * Policies
 *
 * The policies that the account has, by name: the built-in ones, and its own.
 */
export type Policies = Array<Policy>

/**
 * Policy to create
 *
 * The rules of a new policy, and what is decided where none applies.
 */
export type PolicyToCreate = {
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
        | 'policy_refused'
        | 'provider_unverifiable'
        | 'smtputf8_unsupported'
        | 'address_literal'
        | 'server_error'
        | 'internal_error'
        | 'sandbox_unmapped'
      >
      /**
       * The address is at least one of these.
       * - `disposable`: addresses that are thrown away after use.
       * - `role`: addresses of a function, such as info or sales, rather than of a person.
       * - `machine_generated`: addresses whose text looks made by a machine.
       * - `free`: addresses at free mail providers.
       * - `privacy_relay`: addresses that forward to a mailbox they hide.
       * - `tagged`: addresses with a tag, as in ada+news.
       */
      traits?: Array<'disposable' | 'role' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
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
 * Policy changes
 *
 * What to change, at least one thing; `rules` are replaced as a whole. What is left out stays as it is.
 */
export type PolicyChanges = {
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
        | 'policy_refused'
        | 'provider_unverifiable'
        | 'smtputf8_unsupported'
        | 'address_literal'
        | 'server_error'
        | 'internal_error'
        | 'sandbox_unmapped'
      >
      /**
       * The address is at least one of these.
       * - `disposable`: addresses that are thrown away after use.
       * - `role`: addresses of a function, such as info or sales, rather than of a person.
       * - `machine_generated`: addresses whose text looks made by a machine.
       * - `free`: addresses at free mail providers.
       * - `privacy_relay`: addresses that forward to a mailbox they hide.
       * - `tagged`: addresses with a tag, as in ada+news.
       */
      traits?: Array<'disposable' | 'role' | 'machine_generated' | 'free' | 'privacy_relay' | 'tagged'>
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
 * Listing
 *
 * An address or a domain on one of the lists of the account. Fields may be added.
 */
export type Listing = {
  /**
   * Names the entry.
   */
  id: string
  /**
   * The address or the domain, as it is compared: in lower case, an internationalised domain as A-labels. A domain stands for all its addresses, and not for those of its subdomains.
   */
  entry: string
  /**
   * Which list it is on.
   */
  list: 'allow' | 'block'
  /**
   * Why it is there, up to 200 characters.
   */
  note: string
  /**
   * The name of the person or of the key that put it there; null where that is not known.
   */
  added_by: string | null
  /**
   * When it was put there (RFC 3339, UTC).
   */
  added_at: string
}

/**
 * Listings
 *
 * One page of the entries, in the order of their text.
 */
export type Listings = Array<Listing>

/**
 * Listing sheet
 *
 * All entries that were asked for, in the order of their text, each cell in quotes.
 */
export type ListingSheet = string

/**
 * Listings to add
 *
 * What to put on a list.
 */
export type ListingsToAdd = {
  /**
   * Which list:
   * - `allow`: the account vouches for it.
   * - `block`: the account does not want it.
   */
  list: 'allow' | 'block'
  /**
   * Addresses and domains, up to 1000 in one request. A domain may have an @ before it.
   */
  entries: Array<string>
  /**
   * Why it is there, up to 200 characters.
   */
  note?: string
}

/**
 * Added listings
 *
 * What became of the entries. Repeated ones count once.
 */
export type AddedListings = {
  /**
   * Entries that were on no list.
   */
  added: number
  /**
   * Entries that were on the other list, and are on this one now.
   */
  moved: number
  /**
   * Entries that were on this list already. Their note is the new one where the request has one.
   */
  unchanged: number
  /**
   * Entries on both lists now; there may be 10000.
   */
  total: number
}

/**
 * API key
 *
 * An API key without its secret, which cannot be shown again. Fields may be added.
 */
export type ApiKey = {
  /**
   * Names the key. It is no secret and cannot be used to sign in.
   */
  id: string
  /**
   * What the key is called, from 1 to 100 characters.
   */
  name: string
  /**
   * `live` asks real mail servers and costs credits; `test` answers from the sandbox. It never changes.
   */
  mode: 'live' | 'test'
  /**
   * Enough of the key to recognise it: the prefix of its mode and its last four characters.
   */
  hint: string
  /**
   * What the key may do. The list is open.
   * - `validation`: validate single addresses and JSON lists, and report what became of mail to them.
   * - `bulk`: upload files, start jobs and read their results.
   * - `account`: read plan, credits, limits and policies of the account, and how well predictions hold for it.
   * - `keys`: create, list, change and revoke API keys.
   * - `webhooks`: say where events are sent, look at what was sent, and set when credits count as low.
   * - `settings`: change the name of the account, for how long it keeps results, and its policies.
   */
  scopes: Array<KeyScope>
  /**
   * Whether the key works: only an `active` one does. A key that is several things at once shows `revoked` before `expired` before `paused`.
   */
  status: 'active' | 'paused' | 'revoked' | 'expired'
  /**
   * When the key was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the key stops working (RFC 3339, UTC); null when it never does.
   */
  expires_at: string | null
  /**
   * When the key was last used, give or take a few minutes (RFC 3339, UTC); null when it never was.
   */
  last_used_at: string | null
  /**
   * What the key was last used for, within a few seconds; null when it never was. `verdict` is there where it validated a single address.
   */
  last_request: {
    /**
     * When it came (RFC 3339, UTC).
     */
    at: string
    /**
     * Its HTTP method.
     */
    method: string
    /**
     * What was asked for, as a pattern without ids or addresses.
     */
    route: string
    /**
     * The HTTP status of the answer.
     */
    status: number
    /**
     * How long the answer took, in milliseconds.
     */
    duration_ms: number
    verdict?: Status
  } | null
  /**
   * When the key was revoked (RFC 3339, UTC); null when it was not.
   */
  revoked_at: string | null
  /**
   * The `id` of the key whose place this one took when that was rotated; null where there is none.
   */
  replaces: string | null
  /**
   * The `id` of the key that took its place when it was rotated; null when it was not.
   */
  replaced_by: string | null
  /**
   * Whether the key is switched off for the time being.
   */
  paused: boolean
  /**
   * The network addresses that may use the key, single or as CIDR ranges; empty when all may.
   */
  ip_allow_list: Array<string>
  /**
   * Credits that the key, its predecessors and the keys that it created can use together in a calendar month (UTC); null if there is no cap.
   */
  monthly_cap: number | null
  /**
   * A `secret` key stays on your servers. A `publishable` one (`pb_pub_…`) stands in web pages: it works from the allowed origins only, validates one address at a time by POST, and is told a decision and nothing that tells whether a mailbox exists. It never changes.
   */
  type: 'secret' | 'publishable'
  /**
   * The origins whose pages may use a publishable key; empty for a secret one.
   */
  allowed_origins: Array<string>
  /**
   * The policies that pages may name, for a publishable key; the first one applies if they name none. Empty for a secret key.
   */
  allowed_policies: Array<string>
  /**
   * How many requests in an hour one network address may make with a publishable key; null for a secret one.
   */
  visitor_cap: number | null
  /**
   * A publishable key itself, which stands in pages for everybody to read; null for a secret one, and for those made before this field was.
   */
  public_key: string | null
}

/**
 * API keys
 *
 * One page of the API keys of the account, newest first.
 */
export type ApiKeys = Array<ApiKey>

/**
 * API key to create
 *
 * The settings of a new API key. Only the name is needed.
 */
export type ApiKeyToCreate = {
  /**
   * What the key is called, from 1 to 100 characters.
   */
  name: string
  /**
   * `live` asks real mail servers and costs credits; `test` answers from the sandbox. It never changes.
   */
  mode?: 'live' | 'test'
  /**
   * What the key may do; no more than the calling key may do itself.
   * - `validation`: validate single addresses and JSON lists, and report what became of mail to them.
   * - `bulk`: upload files, start jobs and read their results.
   * - `account`: read plan, credits, limits and policies of the account, and how well predictions hold for it.
   * - `keys`: create, list, change and revoke API keys.
   * - `webhooks`: say where events are sent, look at what was sent, and set when credits count as low.
   * - `settings`: change the name of the account, for how long it keeps results, and its policies.
   */
  scopes?: Array<'validation' | 'bulk' | 'account' | 'keys' | 'webhooks' | 'settings'>
  /**
   * When the key stops working (RFC 3339), a time in the future; null for never. No later than the calling key itself, whose expiry applies if left out.
   */
  expires_at?: string | null
  /**
   * The IPv4 and IPv6 addresses or CIDR ranges that may use the key, up to 50; an empty list lets all use it. No more than those of the calling key, whose list applies if left out.
   */
  ip_allow_list?: Array<string>
  /**
   * Credits that the key, its predecessors and the keys that it creates can use together in a calendar month (UTC); null for no cap. No more than what remains of the calling key's own cap, which applies if left out. A publishable key has 10,000 if left out.
   */
  monthly_cap?: number | null
  /**
   * A `secret` key stays on your servers. A `publishable` one (`pb_pub_…`) stands in web pages: it works from the allowed origins only, validates one address at a time by POST, and is told a decision and nothing that tells whether a mailbox exists. It never changes.
   */
  type?: 'secret' | 'publishable'
  /**
   * Of a publishable key, which needs at least one: the origins whose pages may use it, up to 20, exactly as browsers send them: scheme, host, and the port where it is not the usual one.
   */
  allowed_origins?: Array<string>
  /**
   * Of a publishable key: the names of the policies that pages may name, up to 20; the first one applies if they name none. `signup` if left out.
   */
  allowed_policies?: Array<string>
  /**
   * Of a publishable key: how many requests in an hour one network address may make; 30 if left out.
   */
  visitor_cap?: number
}

/**
 * Created API key
 *
 * A new API key with its secret. Fields may be added.
 */
export type CreatedApiKey = {
  /**
   * Names the key. It is no secret and cannot be used to sign in.
   */
  id: string
  /**
   * What the key is called, from 1 to 100 characters.
   */
  name: string
  /**
   * `live` asks real mail servers and costs credits; `test` answers from the sandbox. It never changes.
   */
  mode: 'live' | 'test'
  /**
   * Enough of the key to recognise it: the prefix of its mode and its last four characters.
   */
  hint: string
  /**
   * What the key may do. The list is open.
   * - `validation`: validate single addresses and JSON lists, and report what became of mail to them.
   * - `bulk`: upload files, start jobs and read their results.
   * - `account`: read plan, credits, limits and policies of the account, and how well predictions hold for it.
   * - `keys`: create, list, change and revoke API keys.
   * - `webhooks`: say where events are sent, look at what was sent, and set when credits count as low.
   * - `settings`: change the name of the account, for how long it keeps results, and its policies.
   */
  scopes: Array<KeyScope>
  /**
   * Whether the key works: only an `active` one does. A key that is several things at once shows `revoked` before `expired` before `paused`.
   */
  status: 'active' | 'paused' | 'revoked' | 'expired'
  /**
   * When the key was created (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When the key stops working (RFC 3339, UTC); null when it never does.
   */
  expires_at: string | null
  /**
   * When the key was last used, give or take a few minutes (RFC 3339, UTC); null when it never was.
   */
  last_used_at: string | null
  /**
   * What the key was last used for, within a few seconds; null when it never was. `verdict` is there where it validated a single address.
   */
  last_request: {
    /**
     * When it came (RFC 3339, UTC).
     */
    at: string
    /**
     * Its HTTP method.
     */
    method: string
    /**
     * What was asked for, as a pattern without ids or addresses.
     */
    route: string
    /**
     * The HTTP status of the answer.
     */
    status: number
    /**
     * How long the answer took, in milliseconds.
     */
    duration_ms: number
    verdict?: Status
  } | null
  /**
   * When the key was revoked (RFC 3339, UTC); null when it was not.
   */
  revoked_at: string | null
  /**
   * The `id` of the key whose place this one took when that was rotated; null where there is none.
   */
  replaces: string | null
  /**
   * The `id` of the key that took its place when it was rotated; null when it was not.
   */
  replaced_by: string | null
  /**
   * Whether the key is switched off for the time being.
   */
  paused: boolean
  /**
   * The network addresses that may use the key, single or as CIDR ranges; empty when all may.
   */
  ip_allow_list: Array<string>
  /**
   * Credits that the key, its predecessors and the keys that it created can use together in a calendar month (UTC); null if there is no cap.
   */
  monthly_cap: number | null
  /**
   * A `secret` key stays on your servers. A `publishable` one (`pb_pub_…`) stands in web pages: it works from the allowed origins only, validates one address at a time by POST, and is told a decision and nothing that tells whether a mailbox exists. It never changes.
   */
  type: 'secret' | 'publishable'
  /**
   * The origins whose pages may use a publishable key; empty for a secret one.
   */
  allowed_origins: Array<string>
  /**
   * The policies that pages may name, for a publishable key; the first one applies if they name none. Empty for a secret key.
   */
  allowed_policies: Array<string>
  /**
   * How many requests in an hour one network address may make with a publishable key; null for a secret one.
   */
  visitor_cap: number | null
  /**
   * A publishable key itself, which stands in pages for everybody to read; null for a secret one, and for those made before this field was.
   */
  public_key: string | null
  /**
   * The secret itself, to be sent as X-API-Key. It is shown this once: we keep only its hash.
   */
  key: string
}

/**
 * API key changes
 *
 * The settings to change, at least one; those left out stay as they are.
 */
export type ApiKeyChanges = {
  /**
   * What the key is called, from 1 to 100 characters.
   */
  name?: string
  /**
   * What the key may do; no more than the calling key may do itself.
   * - `validation`: validate single addresses and JSON lists, and report what became of mail to them.
   * - `bulk`: upload files, start jobs and read their results.
   * - `account`: read plan, credits, limits and policies of the account, and how well predictions hold for it.
   * - `keys`: create, list, change and revoke API keys.
   * - `webhooks`: say where events are sent, look at what was sent, and set when credits count as low.
   * - `settings`: change the name of the account, for how long it keeps results, and its policies.
   */
  scopes?: Array<'validation' | 'bulk' | 'account' | 'keys' | 'webhooks' | 'settings'>
  /**
   * When the key stops working (RFC 3339), a time in the future; null for never. No later than the calling key itself, whose expiry applies if left out.
   */
  expires_at?: string | null
  /**
   * The IPv4 and IPv6 addresses or CIDR ranges that may use the key, up to 50; an empty list lets all use it. No more than those of the calling key, whose list applies if left out.
   */
  ip_allow_list?: Array<string>
  /**
   * Credits that the key, its predecessors and the keys that it creates can use together in a calendar month (UTC); null for no cap. No more than what remains of the calling key's own cap, which applies if left out. A publishable key has 10,000 if left out.
   */
  monthly_cap?: number | null
  /**
   * Of a publishable key, which needs at least one: the origins whose pages may use it, up to 20, exactly as browsers send them: scheme, host, and the port where it is not the usual one.
   */
  allowed_origins?: Array<string>
  /**
   * Of a publishable key: the names of the policies that pages may name, up to 20; the first one applies if they name none. `signup` if left out.
   */
  allowed_policies?: Array<string>
  /**
   * Of a publishable key: how many requests in an hour one network address may make; 30 if left out.
   */
  visitor_cap?: number
  /**
   * True switches the key off until further notice, false on again.
   */
  paused?: boolean
}

/**
 * API key rotation
 *
 * How a key is replaced. An empty object will do.
 */
export type ApiKeyRotation = {
  /**
   * For how many seconds the old key goes on working: a day if left out, a week at most, 0 for not at all.
   */
  overlap_s?: number
}

/**
 * Webhook
 *
 * Where events are sent, without the secret, which cannot be shown again. Fields may be added.
 */
export type Webhook = {
  /**
   * Names the webhook.
   */
  id: string
  /**
   * Where events are sent, by POST: `https`, port 443, a public host name. An address instead of a name, a user or a password in it and a fragment are refused.
   */
  url: string
  /**
   * What the webhook is for, up to 200 characters.
   */
  description: string
  /**
   * That of the key that made it: `live` is told of what live keys do, `test` of the sandbox.
   */
  mode: 'live' | 'test'
  /**
   * What it is told of; empty when of everything. The list is open.
   */
  events: Array<string>
  /**
   * Whether anything is sent.
   */
  enabled: boolean
  /**
   * Why nothing is sent; null when it is. The list is open.
   * - `by_owner`: it was switched off.
   * - `gone`: it answered 410.
   * - `failing`: it had failed for five days without a success.
   */
  disabled_reason: string | null
  /**
   * Since when nothing is sent (RFC 3339, UTC); null when it is.
   */
  disabled_at: string | null
  /**
   * The first failure that no success has followed (RFC 3339, UTC); null when there is none.
   */
  failing_since: string | null
  /**
   * Until when the secret before the last rotation signs as well (RFC 3339, UTC); null when there was none.
   */
  previous_secret_until: string | null
  /**
   * When the webhook was made (RFC 3339, UTC).
   */
  created_at: string
}

/**
 * Webhooks
 *
 * One page of the webhooks of the account, newest first.
 */
export type Webhooks = Array<Webhook>

/**
 * Webhook to create
 *
 * Where to send events, and which. Only the URL is needed.
 */
export type WebhookToCreate = {
  /**
   * Where events are sent, by POST: `https`, port 443, a public host name. An address instead of a name, a user or a password in it and a fragment are refused.
   */
  url: string
  /**
   * What the webhook is for, up to 200 characters.
   */
  description?: string
  /**
   * What to be told of; an empty list is all of it, also what may be added one day.
   * - `job.completed`: every address of a list has its result; `data` is the job.
   * - `job.failed`: a list was given up and its unused credits are back; `data` is the job.
   * - `job.cancelled`: a list was canceled and its unused credits are back; `data` is the job.
   * - `job.paused`: a list was paused; `data` is the job.
   * - `validation.resolved`: an address that was answered with `retry_at` has its final answer; `data` is the answer, which holds the address.
   * - `credits.low`: the balance fell below the threshold of the account; `data` has `available`, `threshold` and `reserved`.
   * - `key.created`: an API key was made; `data` is the key without its secret.
   * - `key.revoked`: an API key was revoked; `data` is the key without its secret.
   * - `webhook.disabled`: we stopped sending to an endpoint, because it said 410 or failed for five days; `data` has its `id`, `url` and the `reason`.
   */
  events?: Array<
    | 'job.completed'
    | 'job.failed'
    | 'job.cancelled'
    | 'job.paused'
    | 'validation.resolved'
    | 'credits.low'
    | 'key.created'
    | 'key.revoked'
    | 'webhook.disabled'
  >
}

/**
 * Webhook with secret
 *
 * A webhook whose secret was just made. Fields may be added.
 */
export type WebhookWithSecret = {
  /**
   * Names the webhook.
   */
  id: string
  /**
   * Where events are sent, by POST: `https`, port 443, a public host name. An address instead of a name, a user or a password in it and a fragment are refused.
   */
  url: string
  /**
   * What the webhook is for, up to 200 characters.
   */
  description: string
  /**
   * That of the key that made it: `live` is told of what live keys do, `test` of the sandbox.
   */
  mode: 'live' | 'test'
  /**
   * What it is told of; empty when of everything. The list is open.
   */
  events: Array<string>
  /**
   * Whether anything is sent.
   */
  enabled: boolean
  /**
   * Why nothing is sent; null when it is. The list is open.
   * - `by_owner`: it was switched off.
   * - `gone`: it answered 410.
   * - `failing`: it had failed for five days without a success.
   */
  disabled_reason: string | null
  /**
   * Since when nothing is sent (RFC 3339, UTC); null when it is.
   */
  disabled_at: string | null
  /**
   * The first failure that no success has followed (RFC 3339, UTC); null when there is none.
   */
  failing_since: string | null
  /**
   * Until when the secret before the last rotation signs as well (RFC 3339, UTC); null when there was none.
   */
  previous_secret_until: string | null
  /**
   * When the webhook was made (RFC 3339, UTC).
   */
  created_at: string
  /**
   * What signs every request, in the form of Standard Webhooks. It is shown this once; when it is lost, rotate it.
   */
  secret: string
}

/**
 * Webhook changes
 *
 * The settings to change, at least one; those left out stay as they are.
 */
export type WebhookChanges = {
  /**
   * Where events are sent, by POST: `https`, port 443, a public host name. An address instead of a name, a user or a password in it and a fragment are refused.
   */
  url?: string
  /**
   * What the webhook is for, up to 200 characters.
   */
  description?: string
  /**
   * What to be told of; an empty list is all of it, also what may be added one day.
   * - `job.completed`: every address of a list has its result; `data` is the job.
   * - `job.failed`: a list was given up and its unused credits are back; `data` is the job.
   * - `job.cancelled`: a list was canceled and its unused credits are back; `data` is the job.
   * - `job.paused`: a list was paused; `data` is the job.
   * - `validation.resolved`: an address that was answered with `retry_at` has its final answer; `data` is the answer, which holds the address.
   * - `credits.low`: the balance fell below the threshold of the account; `data` has `available`, `threshold` and `reserved`.
   * - `key.created`: an API key was made; `data` is the key without its secret.
   * - `key.revoked`: an API key was revoked; `data` is the key without its secret.
   * - `webhook.disabled`: we stopped sending to an endpoint, because it said 410 or failed for five days; `data` has its `id`, `url` and the `reason`.
   */
  events?: Array<
    | 'job.completed'
    | 'job.failed'
    | 'job.cancelled'
    | 'job.paused'
    | 'validation.resolved'
    | 'credits.low'
    | 'key.created'
    | 'key.revoked'
    | 'webhook.disabled'
  >
  /**
   * False sends nothing more, and what is on its way has failed. True sends again from now on; what failed can be recovered.
   */
  enabled?: boolean
}

/**
 * Webhook delivery
 *
 * One event on its way to one webhook. Fields may be added.
 */
export type WebhookDelivery = {
  /**
   * Names the delivery: one event to one webhook.
   */
  id: string
  /**
   * Where it goes.
   */
  webhook_id: string
  /**
   * Names the event, and is sent as `webhook-id` in every try: a receiver that has seen it has the event.
   */
  event_id: string
  /**
   * What happened. The list is open.
   */
  type: string
  /**
   * How far it has got. The list is open.
   * - `pending`: it is tried, or will be at `next_at`.
   * - `delivered`: it was answered with a status of 2xx.
   * - `failed`: it was given up: after ten tries, because the webhook was disabled, or because the event has left.
   */
  state: string
  /**
   * How often it was tried.
   */
  attempts: number
  /**
   * When it is tried next (RFC 3339, UTC); null when it is not.
   */
  next_at: string | null
  /**
   * When the event happened (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When it was delivered or given up (RFC 3339, UTC); null until then.
   */
  finished_at: string | null
}

/**
 * Webhook deliveries
 *
 * One page of the deliveries to a webhook, newest first.
 */
export type WebhookDeliveries = Array<WebhookDelivery>

/**
 * Recovery
 *
 * From when on failed deliveries are sent again.
 */
export type Recovery = {
  /**
   * Everything that failed and happened at this time or later is sent again (RFC 3339).
   */
  since: string
}

/**
 * Recovered
 *
 * What a recovery set going. Fields may be added.
 */
export type Recovered = {
  /**
   * How many deliveries are sent again.
   */
  count: number
}

/**
 * Whole webhook delivery
 *
 * A delivery with what is sent and what came of each try. Fields may be added.
 */
export type WholeWebhookDelivery = {
  /**
   * Names the delivery: one event to one webhook.
   */
  id: string
  /**
   * Where it goes.
   */
  webhook_id: string
  /**
   * Names the event, and is sent as `webhook-id` in every try: a receiver that has seen it has the event.
   */
  event_id: string
  /**
   * What happened. The list is open.
   */
  type: string
  /**
   * How far it has got. The list is open.
   * - `pending`: it is tried, or will be at `next_at`.
   * - `delivered`: it was answered with a status of 2xx.
   * - `failed`: it was given up: after ten tries, because the webhook was disabled, or because the event has left.
   */
  state: string
  /**
   * How often it was tried.
   */
  attempts: number
  /**
   * When it is tried next (RFC 3339, UTC); null when it is not.
   */
  next_at: string | null
  /**
   * When the event happened (RFC 3339, UTC).
   */
  created_at: string
  /**
   * When it was delivered or given up (RFC 3339, UTC); null until then.
   */
  finished_at: string | null
  /**
   * What is sent.
   */
  request: {
    /**
     * The headers of the last try; none before the first. `webhook-signature` is over id, timestamp and body.
     */
    headers: {
      [key: string]: string
    }
    /**
     * The body, byte for byte; null once it has been removed, as the retention of the account says.
     */
    body: string | null
  }
  /**
   * What came of each try, the first one first.
   */
  tries: Array<{
    /**
     * When it was sent, to the second, as `webhook-timestamp` said (RFC 3339, UTC).
     */
    at: string
    /**
     * The HTTP status of the answer; null where there was none. Nothing else of an answer is kept.
     */
    status: number | null
    /**
     * Why there was no answer; null where there was one. The list is open.
     * - `dns_failed`: DNS gave no answer about the host.
     * - `no_address`: the host has no address.
     * - `not_routable`: the host is at no address that is public.
     * - `refused`: the connection was refused.
     * - `unreachable`: no connection came about.
     * - `timeout`: the answer was not there after 15 seconds.
     * - `tls_failed`: the host showed no certificate that is valid for its name.
     * - `connection_lost`: the connection broke off before the answer.
     * - `not_http`: the answer was not HTTP.
     * - `url_refused`: the URL is one that we do not send to.
     * - `event_removed`: what was to be sent has been removed.
     * - `not_finished`: we broke off ourselves, again and again.
     */
    error: string | null
    /**
     * How long it took, in milliseconds.
     */
    duration_ms: number
  }>
}

/**
 * Webhook event
 *
 * The body of every request to a webhook, in the form of Standard Webhooks. Its signature is over these very bytes: verify it before you read them.
 */
export type WebhookEvent = {
  /**
   * What happened. The list is open.
   * - `job.completed`: every address of a list has its result; `data` is the job.
   * - `job.failed`: a list was given up and its unused credits are back; `data` is the job.
   * - `job.cancelled`: a list was canceled and its unused credits are back; `data` is the job.
   * - `job.paused`: a list was paused; `data` is the job.
   * - `validation.resolved`: an address that was answered with `retry_at` has its final answer; `data` is the answer, which holds the address.
   * - `credits.low`: the balance fell below the threshold of the account; `data` has `available`, `threshold` and `reserved`.
   * - `key.created`: an API key was made; `data` is the key without its secret.
   * - `key.revoked`: an API key was revoked; `data` is the key without its secret.
   * - `webhook.disabled`: we stopped sending to an endpoint, because it said 410 or failed for five days; `data` has its `id`, `url` and the `reason`.
   * - `webhook.test`: somebody asked for it.
   */
  type: string
  /**
   * When it happened (RFC 3339, UTC). The same in every try.
   */
  timestamp: string
  /**
   * True for what live keys did, false in the sandbox.
   */
  livemode: boolean
  /**
   * What it happened to, as the interface shows it at that moment; at most 20 KB. Where it would be more, only its `id` and `omitted` are there.
   */
  data: {
    [key: string]: unknown
  }
}

/**
 * A value that was added after this version was made.
 */
export type Unlisted = string & {}
