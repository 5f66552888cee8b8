type Check = { meaning: string; outcomes: Record<string, string> }

const DNS_FAILURES = {
  timeout: 'DNS did not respond in time.',
  servfail: 'The DNS server failed (SERVFAIL).',
  refused: 'The DNS server rejected the query (REFUSED).',
  malformed: 'The DNS response was malformed.',
  unreachable: 'The DNS server could not be reached.',
  canceled: 'The DNS query was canceled.',
  bad_name: 'The domain cannot be queried in DNS.',
  query_limit_reached: 'The validation, or all validations of this domain, reached the limit of DNS queries.',
  unresolved_alias: 'The name is an alias (CNAME) that does not lead to a record of this type.',
  resolver_untrusted:
    'The resolver of this installation failed its check, so its response that there is no domain or no mail server does not count.',
  inconsistent: 'DNS responses contradicted each other.',
  other: 'The DNS query failed for another reason.',
} as const

/** Effect of reported deliveries and bounces, and of the pattern of the local part, on `deliverability`. */
const DIRECTIONS = {
  positive: 'It increased `deliverability`.',
  negative: 'It decreased `deliverability`.',
  neutral: 'It changed `deliverability` by little or nothing.',
} as const

const POLICY_RECORD = {
  found: 'The domain publishes a record.',
  absent: 'The domain does not publish a record.',
  failed: 'The DNS query failed.',
} as const

/** The reply to the recipient, classified, or the reason why there is none. */
const RECIPIENT = {
  accepted: 'The mail server accepted the recipient.',
  mailbox_not_found: 'The mail server reported that the mailbox does not exist.',
  mailbox_disabled: 'The mail server reported that the mailbox is disabled.',
  mailbox_full: 'The mail server reported that the mailbox is full.',
  mailbox_moved: 'The mail server reported that the mailbox has moved to another address.',
  mailbox_busy: 'The mailbox exists and currently receives too much mail.',
  policy_rejected: 'The mail server rejected the recipient by a policy. The mailbox may exist.',
  domain_not_hosted: 'The mail server reported that it does not host this domain.',
  greylisted: 'The mail server temporarily rejected the probe (greylisting).',
  verification_pending: 'The mail server is still verifying the recipient itself.',
  rate_limited: 'The mail server limits the rate of probes.',
  too_many_recipients: 'The mail server accepts no further recipients on this connection.',
  too_many_errors: 'The mail server ended the session after too many rejected recipients.',
  ip_blocked: 'The mail server blocks our IP address.',
  ptr_required: 'The mail server requires a PTR record for our IP address.',
  sender_rejected: 'The mail server rejected the sender of the probe.',
  spf_required: 'The mail server requires an SPF pass for the sender of the probe.',
  tls_required: 'The mail server requires TLS.',
  geo_blocked: 'The mail server blocks the country of our IP address.',
  smtputf8_unsupported: 'The address requires SMTPUTF8, which the mail server does not support.',
  server_error: 'The mail server reported an error of its own.',
  unclassified: 'No rule classifies the reply of the mail server.',
  unverifiable: 'The mail server accepted the recipient without verifying it (reply 252).',
  connection_failed: 'No connection to a mail server could be established.',
  not_routable: 'The mail servers have addresses that are not on the public internet.',
  dns_failed: 'The address of the mail server could not be looked up.',
  timeout: 'The mail server did not respond in time.',
  connection_closed: 'The mail server closed the connection before it replied.',
  protocol_error: 'The mail server violated the SMTP protocol.',
  throttled: 'Our own rate limits for this provider delayed the probe.',
  unconfirmed_rejection:
    'Only a backup mail server, or one of several equal ones, rejected the recipient, and nothing shows that it knows its recipients.',
  provider_unverifiable:
    'The provider sends the same reply to RCPT whether or not the mailbox exists, so no probe was made.',
  known_catch_all: 'An earlier probe showed that the domain accepts every recipient, so no probe was made.',
  unencodable: 'The address cannot be encoded safely in an SMTP command, so no probe was made.',
  no_egress: 'This installation cannot reach mail servers at present, so no probe was made.',
  opted_out: 'The owner of the domain opted out of probes, so no probe was made.',
  domain_limit: 'The account has validated as many addresses of the domain today as it may, so no probe was made.',
} as const

const SYNTAX = {
  passed: 'The address is well formed.',
  empty: 'The text is empty.',
  too_long: 'The address is longer than 254 octets.',
  no_at: 'There is no @ between a local part and a domain.',
  display_name: 'Display names and angle brackets are not allowed; send the bare address.',
  comment: 'The address contains a comment in parentheses, which is allowed in message headers only.',
  folding_white_space: 'The address contains a space or a tab.',
  control_character: 'The address contains a control character, such as a line break.',
  invisible_character: 'The address contains an invisible character, such as a zero-width space.',
  bad_character: 'The address contains a character that is not allowed at that position.',
  leading_dot: 'The local part starts with a dot.',
  trailing_dot: 'The local part or the domain ends with a dot.',
  double_dot: 'The local part contains two consecutive dots.',
  unclosed_quote: 'The opening quotation mark has no closing one.',
  text_after_quote: 'There is text between the closing quotation mark and the @.',
  local_empty: 'The local part is empty.',
  local_too_long: 'The local part is longer than 64 octets.',
  domain_empty: 'The domain is empty.',
  domain_too_long: 'The domain is longer than 253 characters.',
  label_empty: 'The domain starts with a dot or contains two consecutive dots.',
  label_too_long: 'A label of the domain is longer than 63 characters.',
  label_hyphen: 'A label of the domain starts or ends with a hyphen, or has hyphens in positions 3 and 4.',
  bad_idna: 'The domain is not a valid internationalized domain name.',
  single_label: 'The domain has no dot, so it is not a public domain name.',
  numeric_tld: 'The top-level domain is numeric.',
  bad_literal: 'The text in brackets after the @ is not an IPv4 or IPv6 address in SMTP form.',
} as const

/** All checks that produce evidence, and all outcomes of each. Producers use `evidenceItem`, which accepts no others. */
export const EVIDENCE_CHECKS = {
  worker: {
    meaning: 'A worker process claims the address and runs the checks.',
    outcomes: { not_claimed: 'No worker claimed the address before the timeout, so validation did not start.' },
  },
  syntax: { meaning: 'The syntax of the address by RFC 5321, RFC 5322 and RFC 6531.', outcomes: SYNTAX },
  mx: {
    meaning: 'The mail servers of the domain in DNS.',
    outcomes: {
      found: 'DNS names at least one mail server.',
      domain_not_found: 'The domain does not exist (NXDOMAIN).',
      no_mail_server: 'The domain exists but has no mail server.',
      null_mx: 'The domain declares that it does not accept mail (null MX, RFC 7505).',
      not_routable: 'The mail servers are not on the public internet.',
      ...DNS_FAILURES,
    },
  },
  spf: { meaning: 'The SPF record of the domain. It does not affect the verdict.', outcomes: POLICY_RECORD },
  dmarc: { meaning: 'The DMARC record of the domain. It does not affect the verdict.', outcomes: POLICY_RECORD },
  domain_class: {
    meaning: 'The entry of the domain in the lists of disposable, privacy relay and free domains.',
    outcomes: {
      disposable: 'The domain provides disposable addresses.',
      privacy_relay: 'The domain forwards mail to mailboxes that it hides.',
      free: 'The domain belongs to a free mailbox provider.',
      not_listed: 'The domain is in none of the lists.',
    },
  },
  recipient: { meaning: 'The SMTP probe of this address.', outcomes: RECIPIENT },
  catch_all: {
    meaning: 'The test whether the domain accepts every recipient (catch-all).',
    outcomes: {
      detected: 'The mail server accepted a recipient that does not exist.',
      not_detected: 'The mail server rejects recipients that do not exist, or the provider is known to do so.',
      not_tested: 'The test was not made or had no conclusive result.',
    },
  },
  domain_history: { meaning: 'Reported deliveries and bounces of mail to this domain.', outcomes: DIRECTIONS },
  address_text: {
    meaning: 'The text model’s estimate whether a person chose the local part.',
    outcomes: {
      human_like: 'The text looks as if a person chose it.',
      machine_like: 'The text looks auto-generated or typed at random.',
      neutral: 'The text says little either way.',
      abstained: 'The model gave no estimate for this text.',
    },
  },
  address_pattern: {
    meaning: 'The pattern of the local part compared with addresses of this domain that received mail.',
    outcomes: DIRECTIONS,
  },
  override: {
    meaning: 'The account’s own allowlist and blocklist. It decides `safe_to_send` and leaves the verdict unchanged.',
    outcomes: { allow: 'The address or its domain is allowed.', block: 'The address or its domain is blocked.' },
  },
  model: {
    meaning: 'The state of the scoring model for the provider.',
    outcomes: { fallback: 'Reports contradicted the model for this provider, so only the base rate counts.' },
  },
  sandbox: {
    meaning: 'Test mode. No DNS query and no probe was made.',
    outcomes: {
      mapped: 'The local part selects this result.',
      unmapped: 'The local part selects no result of the sandbox.',
    },
  },
} as const satisfies Record<string, Check>
