/** One mail server with its public name and address. */
export type MailHost = {
  host: string
  /** Its name in banner and DNS. */
  name: string
  /** Rejected recipients that it tolerates per connection; null when it has no limit that a client must respect. */
  errorsMax: number | null
}

/**
 * Postfix delays replies after ten errors (smtpd_soft_error_limit), so nine have no effect. Our strict Exim drops the
 * connection at the fourth rejected recipient; Exim with default settings and OpenSMTPD do not count them.
 */
export const MAIL_HOSTS = {
  postfix: { host: '127.25.0.1', name: 'mx.postfix.example', errorsMax: 9 },
  postfixCatchAll: { host: '127.25.0.2', name: 'mx.postfix-catch-all.example', errorsMax: 9 },
  postfixGreylisting: { host: '127.25.0.3', name: 'mx.postfix-greylisting.example', errorsMax: 9 },
  postfixVerifying: { host: '127.25.0.4', name: 'mx.postfix-verifying.example', errorsMax: 9 },
  postfixBlocking: { host: '127.25.0.5', name: 'mx.postfix-blocking.example', errorsMax: 9 },
  postfixStarttls: { host: '127.25.0.6', name: 'mx.postfix-starttls.example', errorsMax: 9 },
  postfixTlsOnly: { host: '127.25.0.7', name: 'mx.postfix-tls-only.example', errorsMax: 9 },
  postfixAscii: { host: '127.25.0.8', name: 'mx.postfix-ascii.example', errorsMax: 9 },
  exim: { host: '127.25.0.10', name: 'mx.exim.example', errorsMax: null },
  eximStrict: { host: '127.25.0.11', name: 'mx.exim-strict.example', errorsMax: 3 },
  opensmtpd: { host: '127.25.0.20', name: 'mx.opensmtpd.example', errorsMax: null },
} as const satisfies Record<string, MailHost>

export type MailHostId = keyof typeof MAIL_HOSTS

export type MailDomain = {
  at: MailHostId
  /** Whether the server accepts every recipient of the domain. */
  catchAll?: boolean
  mailboxes: Mailbox[]
}

/** The real state of a mailbox, independent of the server's replies. */
export type Standing = 'exists' | 'absent' | 'full' | 'disabled' | 'moved' | 'elsewhere' | 'in_trouble'

export type Mailbox = {
  local: string
  is: Standing
  /** The complete reply to the first RCPT, or to MAIL when the server requires TLS before it. */
  reply: string
  /** The reply after a retry, when it differs. */
  later?: string
}

/** The mailboxes of all domains. Other recipients do not exist, except at catch-all domains. */
export const MAIL_DOMAINS: Record<string, MailDomain> = {
  'postfix.example': {
    at: 'postfix',
    mailboxes: [
      { local: 'ada', is: 'exists', reply: '250 2.1.5 Ok' },
      { local: 'bob', is: 'exists', reply: '250 2.1.5 Ok' },
      { local: 'jürgen', is: 'exists', reply: '250 2.1.5 Ok' },
      {
        local: 'nobody-here',
        is: 'absent',
        reply:
          '550 5.1.1 <nobody-here@postfix.example>: Recipient address rejected: User unknown in virtual mailbox table',
      },
      {
        local: 'full',
        is: 'full',
        reply: '452 4.2.2 <full@postfix.example>: Recipient address rejected: Mailbox is full',
      },
      {
        local: 'disabled',
        is: 'disabled',
        reply: '550 5.2.1 <disabled@postfix.example>: Recipient address rejected: Mailbox is disabled',
      },
      {
        local: 'moved',
        is: 'moved',
        reply: '550 5.1.6 <moved@postfix.example>: Recipient address rejected: User has moved to new@elsewhere.example',
      },
    ],
  },
  'not-hosted.example': {
    at: 'postfix',
    mailboxes: [{ local: 'ada', is: 'elsewhere', reply: '454 4.7.1 <ada@not-hosted.example>: Relay access denied' }],
  },
  'postfix-catch-all.example': {
    at: 'postfixCatchAll',
    catchAll: true,
    mailboxes: [
      { local: 'ada', is: 'exists', reply: '250 2.1.5 Ok' },
      { local: 'nobody-here', is: 'absent', reply: '250 2.1.5 Ok' },
    ],
  },
  'not-hosted-either.example': {
    at: 'postfixCatchAll',
    mailboxes: [
      { local: 'ada', is: 'elsewhere', reply: '554 5.7.1 <ada@not-hosted-either.example>: Relay access denied' },
    ],
  },
  'postfix-greylisting.example': {
    at: 'postfixGreylisting',
    mailboxes: [
      {
        local: 'ada',
        is: 'exists',
        reply:
          '450 4.2.0 <ada@postfix-greylisting.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/postfix-greylisting.example.html',
        later: '250 2.1.5 Ok',
      },
      {
        local: 'nobody-here',
        is: 'absent',
        reply:
          '450 4.2.0 <nobody-here@postfix-greylisting.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/postfix-greylisting.example.html',
        later:
          '550 5.1.1 <nobody-here@postfix-greylisting.example>: Recipient address rejected: User unknown in virtual mailbox table',
      },
    ],
  },
  'postfix-verifying.example': {
    at: 'postfixVerifying',
    mailboxes: [
      {
        local: 'ada',
        is: 'exists',
        reply:
          '450 4.1.1 <ada@postfix-verifying.example>: Recipient address rejected: unverified address: Address verification in progress',
        later: '250 2.1.5 Ok',
      },
      {
        local: 'nobody-here',
        is: 'absent',
        reply:
          '450 4.1.1 <nobody-here@postfix-verifying.example>: Recipient address rejected: unverified address: Address verification in progress',
        later:
          '450 4.1.1 <nobody-here@postfix-verifying.example>: Recipient address rejected: unverified address: host 127.25.0.4[127.25.0.4] said: 550 5.1.1 <nobody-here@postfix-verifying.example>: Recipient address rejected: User unknown in relay recipient table (in reply to RCPT TO command)',
      },
    ],
  },
  'postfix-blocking.example': {
    at: 'postfixBlocking',
    mailboxes: [
      {
        local: 'ada',
        is: 'exists',
        reply: '554 5.7.1 <unknown[127.0.0.1]>: Client host rejected: Access denied',
      },
    ],
  },
  'postfix-starttls.example': {
    at: 'postfixStarttls',
    mailboxes: [{ local: 'ada', is: 'exists', reply: '250 2.1.5 Ok' }],
  },
  'postfix-tls-only.example': {
    at: 'postfixTlsOnly',
    mailboxes: [{ local: 'ada', is: 'exists', reply: '530 5.7.0 Must issue a STARTTLS command first' }],
  },
  'postfix-ascii.example': {
    at: 'postfixAscii',
    mailboxes: [{ local: 'ada', is: 'exists', reply: '250 2.1.5 Ok' }],
  },
  'exim.example': {
    at: 'exim',
    mailboxes: [
      { local: 'ada', is: 'exists', reply: '250 Accepted' },
      { local: 'nobody-here', is: 'absent', reply: '550 Unrouteable address' },
      { local: 'trouble', is: 'in_trouble', reply: '451 Temporary local problem - please try later' },
    ],
  },
  'exim-strict.example': {
    at: 'eximStrict',
    mailboxes: [
      { local: 'ada', is: 'exists', reply: '250 Accepted' },
      { local: 'nobody-here', is: 'absent', reply: '550 No Such User Here' },
    ],
  },
  'opensmtpd.example': {
    at: 'opensmtpd',
    mailboxes: [
      { local: 'ada', is: 'exists', reply: '250 2.1.5 Destination address valid: Recipient ok' },
      { local: 'nobody-here', is: 'absent', reply: '550 Invalid recipient: <nobody-here@opensmtpd.example>' },
    ],
  },
  'opensmtpd-virtual.example': {
    at: 'opensmtpd',
    mailboxes: [
      { local: 'ada', is: 'exists', reply: '250 2.1.5 Destination address valid: Recipient ok' },
      {
        local: 'nobody-here',
        is: 'absent',
        reply: '524 5.2.4 Mailing list expansion problem: <nobody-here@opensmtpd-virtual.example>',
      },
    ],
  },
  'opensmtpd-catch-all.example': {
    at: 'opensmtpd',
    catchAll: true,
    mailboxes: [
      { local: 'ada', is: 'exists', reply: '250 2.1.5 Destination address valid: Recipient ok' },
      { local: 'nobody-here', is: 'absent', reply: '250 2.1.5 Destination address valid: Recipient ok' },
    ],
  },
}
