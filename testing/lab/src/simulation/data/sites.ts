/**
 * How the mail hosts of one operator behave on a connection, independent of the recipient. Replies are templates:
 * `{host}`, `{client}`, `{rcpt}` and `{domain}` are filled in, and lines are separated by `\n` and include their codes.
 */
export type Site = {
  banner: string
  /** EHLO capabilities; null when the server supports HELO only. */
  capabilities: readonly string[] | null
  /** Accepts connections and never replies. */
  silent?: true
  /** A delay before the banner. A client that sends during it is rejected. */
  greetsAfterMs?: number
  /** Every nth connection receives this banner instead and is closed. */
  busy?: { every: number; banner: string }
  /** Refuses connections for a part of every period. */
  outages?: { everyMs: number; forMs: number }
  /** Closes every connection after its greeting. */
  closesAfterGreeting?: true
  /** This share of its connections ends with this reply to the recipient after the first ones. */
  drops?: { share: number; afterRecipients: number; reply: string }
  /** The reply to MAIL, if it is not 250. */
  mail?: string
  /**
   * Rejected recipients that a connection tolerates (`bears`); after `closesAfter` the server sends its last reply, if
   * any, and disconnects.
   */
  errors?: { bears: number; closesAfter: number; lastWords: string | null }
  /** Recipients of one transaction, and the reply to each further one. */
  recipients?: { max: number; reply: string }
  /** The reply to a recipient in another domain than the first of its transaction. */
  oneDomain?: string
  /** Replies are delayed after `afterErrors` rejected recipients; `refusalsOnly` excludes accepted ones. */
  slow?: { afterErrors: number; baseMs: number; perErrorMs: number; maxMs: number; refusalsOnly?: true }
}

const MODERN = ['PIPELINING', 'SIZE 52428800', 'ENHANCEDSTATUSCODES', '8BITMIME', 'SMTPUTF8', 'CHUNKING'] as const
const OLDER = ['PIPELINING', 'SIZE 20480000', 'ENHANCEDSTATUSCODES', '8BITMIME'] as const

/**
 * Postfix's default limits: a second for each reply from the tenth error on, so nine are tolerated; the end at the
 * twentieth.
 */
const POSTFIX = {
  banner: '220 {host} ESMTP Postfix',
  capabilities: MODERN,
  errors: { bears: 9, closesAfter: 20, lastWords: '421 4.7.0 {host} Error: too many errors' },
  slow: { afterErrors: 10, baseMs: 1_000, perErrorMs: 0, maxMs: 1_000 },
} as const satisfies Partial<Site>

const EXIM = {
  banner:
    '220-{host} ESMTP Exim 4.98\n220-We do not authorize the use of this system to transport unsolicited,\n220 and/or bulk e-mail.',
  capabilities: ['SIZE 52428800', '8BITMIME', 'PIPELINING', 'PIPECONNECT'],
} as const satisfies Partial<Site>

const MICROSOFT = {
  banner: '220 {host} Microsoft ESMTP MAIL Service ready',
  capabilities: MODERN,
  recipients: { max: 1, reply: '452 4.5.3 Too many recipients (AS780090) [{host}]' },
} as const satisfies Partial<Site>

export const SITES = {
  // Large providers.
  google: {
    banner: '220 mx.google.com ESMTP gsmtp',
    capabilities: MODERN,
    oneDomain:
      '451-4.3.0 Multiple destination domains per transaction is unsupported. Please\n451 4.3.0 try again. gsmtp',
  },
  microsoft: { ...MICROSOFT },
  yahoo: {
    banner: '220 mtaproxy.mail.yahoo.example ESMTP ready',
    capabilities: OLDER,
    recipients: { max: 30, reply: '452 4.5.3 Too many recipients' },
  },
  apple: {
    banner: '220 iscream {host} ESMTP',
    capabilities: MODERN,
    errors: { bears: 9, closesAfter: 10, lastWords: '421 4.7.0 {host} Error: too many errors' },
  },
  gmx: {
    banner: '220 gmx.net (mxgmx016) Nemesis ESMTP Service ready',
    capabilities: ['8BITMIME', 'PIPELINING', 'SIZE 157286400'],
    errors: { bears: 1, closesAfter: 1, lastWords: null },
  },

  // Providers and hosting providers of the tail.
  microsoft365: { ...MICROSOFT },
  yandex: { banner: '220 {host} (Want to use Yandex.Mail for your domain?)', capabilities: OLDER },
  mail_ru: { banner: '220 Mail.Ru ESMTP', capabilities: OLDER },
  orange: {
    banner: '220 {host} ESMTP ABO **************************',
    capabilities: OLDER,
    errors: { bears: 5, closesAfter: 6, lastWords: '421 4.7.0 Trop d erreurs OFR_101 [101]' },
  },
  comcast: { banner: '220 {host} ESMTP server ready', capabilities: OLDER },
  t_online: {
    banner:
      '554 IP={client} - A problem occurred. (Ask your postmaster for help or to contact tosa@{host} to clarify.) (BL)',
    capabilities: OLDER,
  },
  rackspace: {
    banner: '220 {host} ESMTP - VA Code Section 18.2-152.3:1 forbids spam',
    capabilities: OLDER,
  },
  zoho: { banner: '220 mx.zohomail.example SMTP Server ready', capabilities: OLDER },
  godaddy: {
    banner: '220 {host} bizsmtp ESMTP server ready',
    capabilities: OLDER,
    errors: {
      bears: 4,
      closesAfter: 5,
      lastWords: '421 {host} bizsmtp Too many invalid recipients on this connection',
    },
  },
  ovh: { ...POSTFIX, banner: '220 {host} ESMTP Postfix (OVH)' },
  ionos: {
    banner: '220 kundenserver.de (mxeue011) Nemesis ESMTP Service ready',
    capabilities: ['8BITMIME', 'PIPELINING', 'SIZE 140000000'],
    errors: { bears: 1, closesAfter: 1, lastWords: null },
  },
  strato: { banner: '220 smtpin.rzone.de ESMTP RZmta ready', capabilities: OLDER },

  // Gateways.
  proofpoint: { banner: '220 {host} ESMTP mfa-m0', capabilities: OLDER },
  proofpoint_essentials: { banner: '220 {host} ESMTP Proofpoint Essentials', capabilities: OLDER },
  mimecast: {
    banner: '220 {host} ESMTP ready',
    capabilities: OLDER,
    recipients: { max: 100, reply: '452 Too many recipients' },
  },
  barracuda: { banner: '220 {host} ESMTP (barracuda)', capabilities: OLDER },
  messagelabs: { banner: '220 {host} ESMTP ready', capabilities: OLDER },
  cisco: { banner: '220 {host} ESMTP', capabilities: OLDER },
  trendmicro: { banner: '220 {host} Trend Micro Email Security Service ready', capabilities: OLDER },
  spamexperts: {
    ...EXIM,
    // It probes the customer's own server before it replies, which takes time.
    slow: { afterErrors: 1, baseMs: 200, perErrorMs: 0, maxMs: 200, refusalsOnly: true },
  },

  // Servers that businesses run themselves.
  postfix: { ...POSTFIX },
  exim: {
    ...EXIM,
    errors: { bears: 4, closesAfter: 5, lastWords: '421 {host} Too many failed recipients, count = 5' },
  },
  exchange: {
    banner: '220 {host} Microsoft ESMTP MAIL Service ready',
    capabilities: ['SIZE 37748736', 'PIPELINING', 'DSN', 'ENHANCEDSTATUSCODES', '8BITMIME', 'BINARYMIME', 'CHUNKING'],
    errors: {
      bears: 4,
      closesAfter: 5,
      lastWords: '421 4.7.0 Too many errors on this connection, closing transmission channel',
    },
    slow: { afterErrors: 1, baseMs: 300, perErrorMs: 0, maxMs: 300, refusalsOnly: true },
  },
  opensmtpd: {
    banner: '220 {host} ESMTP OpenSMTPD',
    capabilities: ['8BITMIME', 'ENHANCEDSTATUSCODES', 'SIZE 36700160', 'DSN'],
  },
  mailenable: {
    banner: '220 {host} ESMTP MailEnable Service ready',
    capabilities: ['SIZE', 'AUTH=LOGIN'],
  },
  mox: {
    banner: '220 {host} ESMTP mox',
    capabilities: [...MODERN, 'LIMITS RCPTMAX=1'],
    recipients: { max: 1, reply: '452 4.5.3 only one recipient allowed without spf pass' },
  },

  // Servers with an unusual behavior.
  one_recipient: {
    ...POSTFIX,
    recipients: { max: 1, reply: '452 4.5.3 Error: too many recipients' },
  },
  limits: {
    banner: '220 {host} ESMTP ready',
    capabilities: [...MODERN, 'LIMITS RCPTMAX=2 MAILMAX=50'],
    recipients: { max: 2, reply: '452 4.5.3 Too many recipients, see LIMITS' },
  },
  hangs_up: {
    banner: '220 {host} ESMTP ready',
    capabilities: OLDER,
    // A client cannot know this limit beforehand, so it may pipeline as many recipients as to any unknown server.
    errors: { bears: 4, closesAfter: 1, lastWords: null },
  },
  tarpit: {
    banner: '220 {host} ESMTP',
    capabilities: OLDER,
    slow: { afterErrors: 1, baseMs: 100, perErrorMs: 150, maxMs: 2_000 },
  },
  greet_pause: { ...POSTFIX, greetsAfterMs: 800 },
  no_pipelining: { banner: '220 {host} ESMTP ready', capabilities: ['SIZE 10240000', '8BITMIME'] },
  helo_only: { banner: '220 {host} SMTP ready', capabilities: null },
  sometimes_busy: {
    ...POSTFIX,
    busy: { every: 3, banner: '421 4.3.2 {host} Too many concurrent connections, please try again later' },
  },
  no_smtputf8: { banner: '220 {host} ESMTP Sendmail 8.17', capabilities: OLDER },
  silent: { banner: '', capabilities: null, silent: true },
  blocks_at_banner: {
    banner: '554 5.7.1 {host} Connection refused: your address has a poor reputation and is on our block list',
    capabilities: OLDER,
  },
  half_closed: { ...POSTFIX, outages: { everyMs: 6_000, forMs: 3_000 } },
  closes_after_greeting: { ...POSTFIX, closesAfterGreeting: true },
  drops_sessions: {
    ...POSTFIX,
    drops: { share: 0.3, afterRecipients: 5, reply: '421 4.3.2 {host} Service shutting down' },
  },
  blocks_at_mail: {
    ...POSTFIX,
    mail: '550 5.7.1 Mail from {client} refused, see the black list of {host}',
  },
} as const satisfies Record<string, Site>

export type SiteName = keyof typeof SITES
