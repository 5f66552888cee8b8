import type { ProviderLimitsTable } from '../limits.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * The limits of providers without a row. The limits for senders of wanted mail are known for many providers. We probe recipients that may
 * not exist, so we stay well below those limits.
 */
const DEFAULTS = {
  recipientsPerTransaction: 25,
  recipientsPerConnection: 200,
  connectionsPerEgress: 2,
  connectionsPerMinute: 30,
  // Exchange disconnects at the fifth protocol error, and cPanel's rules against dictionary attacks after a few.
  errorsPerConnection: 4,
  errorsPerHour: 200,
  // STARTTLS costs two round trips and fails with some servers, so it is used only if the server demands it.
  tls: 'demanded' as const,
  // The second attempt suits short greylists; the third, six minutes after the first, suits Postgrey's five; the others suit longer ones.
  retryDelaysS: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR],
  suspendS: {
    rate_limited: 10 * MINUTE,
    too_many_errors: 15 * MINUTE,
    ip_blocked: 2 * HOUR,
    // About our setup: these reasons last until an operator changes it, and further probes would harm our reputation.
    ptr_required: 6 * HOUR,
    spf_required: 6 * HOUR,
    sender_rejected: HOUR,
    geo_blocked: DAY,
  },
  truthfulDomains: [],
}

/** A mailbox provider whose limits are unknown: low limits, raised after measurements. */
const UNMEASURED = {
  ...DEFAULTS,
  probe: '?' as const,
  connectionsPerEgress: 1,
  connectionsPerMinute: 15,
  errorsPerConnection: 2,
  errorsPerHour: 60,
}

/**
 * Many customers on the same hosts, each with its own rules and texts. A reply that looks like a block may be the rule of one customer,
 * so the suspension is short. A reply by a customer's own allow or block rule causes no suspension.
 */
const MANY_CUSTOMERS = {
  ...DEFAULTS,
  probe: 'C' as const,
  suspendS: { rate_limited: 10 * MINUTE, too_many_errors: 15 * MINUTE, ip_blocked: 30 * MINUTE },
}

/** A reply to RCPT proves nothing there, so these providers are not probed. The limits apply if they are probed nevertheless. */
const NOT_PROBED = {
  ...DEFAULTS,
  probe: 'D' as const,
  recipientsPerTransaction: 1,
  recipientsPerConnection: 5,
  connectionsPerEgress: 1,
  connectionsPerMinute: 6,
  errorsPerConnection: 1,
  errorsPerHour: 10,
}

/** Greylisting for five minutes: an attempt after one minute would only be deferred again. */
const AFTER_FIVE_MINUTES = [5.5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR]

/** In the order of the table of providers. */
export const PROVIDER_LIMITS = {
  '': {
    ...DEFAULTS,
    probe: '?',
    // Postfix delays every further reply by a second from the tenth error on (smtpd_soft_error_limit). Exim counts no errors by default,
    // but the rules of cPanel disconnect at the fourth unknown recipient.
    errorsByFamily: { postfix: 9, exim: 3 },
  },

  // Mailboxes, worldwide.
  apple: {
    ...DEFAULTS,
    probe: 'B',
    // Senders are advised to end a connection after five.
    recipientsPerTransaction: 5,
    recipientsPerConnection: 5,
  },
  fastmail: { ...DEFAULTS, probe: 'A' },
  google: {
    ...DEFAULTS,
    probe: 'C',
    recipientsPerConnection: 50,
    // The limits for senders; lower ones would delay every list, because this is the largest provider.
    connectionsPerEgress: 5,
    connectionsPerMinute: 60,
    errorsPerHour: 300,
    // Google expects TLS from every client.
    tls: 'offered',
    suspendS: {
      // 4.7.28, an unusual rate from our IP address, ends after 30 to 60 minutes.
      rate_limited: HOUR,
      too_many_errors: HOUR,
      ip_blocked: 2 * HOUR,
      ptr_required: 6 * HOUR,
    },
    truthfulDomains: ['gmail.com', 'googlemail.com'],
  },
  microsoft: {
    ...DEFAULTS,
    probe: 'B',
    // The second recipient of a transaction gets 452.
    recipientsPerTransaction: 1,
    recipientsPerConnection: 20,
    // “Server busy” ends within half an hour; a listing on their blocklist lasts longer.
    suspendS: { ...DEFAULTS.suspendS, rate_limited: 30 * MINUTE, ip_blocked: 2 * HOUR },
  },
  microsoft365: {
    ...MANY_CUSTOMERS,
    // IP addresses without a PTR record get 452 from the second recipient on (AS780090).
    recipientsPerTransaction: 1,
    recipientsPerConnection: 20,
    connectionsPerEgress: 3,
    suspendS: { ...MANY_CUSTOMERS.suspendS, rate_limited: 30 * MINUTE, ip_blocked: HOUR },
  },
  proton: UNMEASURED,
  yahoo: NOT_PROBED,
  zoho: { ...DEFAULTS, probe: 'A' },

  // Mailboxes, Europe.
  abv: UNMEASURED,
  free_fr: {
    ...DEFAULTS,
    probe: 'B',
    // “Too many errors from your ip” is counted over connections.
    errorsPerConnection: 2,
    errorsPerHour: 40,
    suspendS: { ...DEFAULTS.suspendS, too_many_errors: HOUR },
  },
  gmx: {
    ...DEFAULTS,
    probe: 'B',
    recipientsPerTransaction: 10,
    recipientsPerConnection: 10,
    // Disconnects after the first error.
    errorsPerConnection: 1,
    tls: 'offered',
    // “Too many connections” lasts for half an hour.
    suspendS: { ...DEFAULTS.suspendS, rate_limited: 30 * MINUTE },
  },
  infomaniak: UNMEASURED,
  libero: UNMEASURED,
  mailbox_org: { ...UNMEASURED, retryDelaysS: AFTER_FIVE_MINUTES },
  onet: UNMEASURED,
  // A sender may have two connections.
  orange: { ...DEFAULTS, probe: 'B', connectionsPerEgress: 1, connectionsPerMinute: 15 },
  // Each user may require TLS, which would look like a rejection of the mailbox.
  posteo: { ...UNMEASURED, tls: 'offered' },
  runbox: UNMEASURED,
  seznam: UNMEASURED,
  sfr: UNMEASURED,
  t_online: {
    ...DEFAULTS,
    probe: 'B',
    connectionsPerEgress: 1,
    // Accepts known senders only, so a retry within hours is useless.
    suspendS: { ...DEFAULTS.suspendS, ip_blocked: DAY },
  },
  tuta: UNMEASURED,
  wp: UNMEASURED,

  // Mailboxes, east of it.
  mail_ru: NOT_PROBED,
  rambler: { ...DEFAULTS, probe: 'A' },
  ukr_net: {
    ...DEFAULTS,
    probe: 'B',
    connectionsPerEgress: 1,
    // Disconnects after an error.
    errorsPerConnection: 1,
    suspendS: { ...DEFAULTS.suspendS, spf_required: DAY },
  },
  yandex: {
    ...MANY_CUSTOMERS,
    truthfulDomains: ['yandex.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua', 'ya.ru'],
  },

  // Mailboxes, Asia.
  alibaba: { ...DEFAULTS, probe: 'B' },
  daum: UNMEASURED,
  docomo: UNMEASURED,
  naver: UNMEASURED,
  netease: {
    ...DEFAULTS,
    probe: 'B',
    // Senders may have four connections with seven recipients each; the rate is counted per hour.
    recipientsPerTransaction: 5,
    recipientsPerConnection: 5,
    suspendS: { ...DEFAULTS.suspendS, rate_limited: HOUR },
  },
  rediff: UNMEASURED,
  sina: UNMEASURED,
  sohu: UNMEASURED,
  tencent: {
    ...DEFAULTS,
    probe: 'B',
    // Senders may have four connections with eight recipients each; the rate is counted per hour.
    recipientsPerTransaction: 5,
    recipientsPerConnection: 5,
    suspendS: { ...DEFAULTS.suspendS, rate_limited: HOUR },
  },
  // A sender may have two connections; the limit of one for unmeasured providers is below that.
  yahoo_japan: UNMEASURED,

  // Mailboxes of access providers, the Americas.
  att: UNMEASURED,
  centurylink: UNMEASURED,
  charter: {
    ...DEFAULTS,
    probe: 'B',
    // AUP#1560 counts unknown recipients over connections.
    errorsPerConnection: 2,
    errorsPerHour: 30,
    suspendS: { ...DEFAULTS.suspendS, too_many_errors: 2 * HOUR },
  },
  // Senders may have 25 connections.
  comcast: { ...DEFAULTS, probe: 'B', connectionsPerEgress: 3 },
  cox: {
    ...DEFAULTS,
    probe: 'B',
    // Too many unknown recipients, counted over connections, lead to a block.
    errorsPerConnection: 2,
    errorsPerHour: 30,
    suspendS: { ...DEFAULTS.suspendS, too_many_errors: 2 * HOUR },
  },
  uol: UNMEASURED,

  // Gateways in front of other mailbox providers.
  barracuda: {
    ...MANY_CUSTOMERS,
    // Senders are advised to end a connection after fifteen.
    recipientsPerTransaction: 10,
    recipientsPerConnection: 10,
    retryDelaysS: AFTER_FIVE_MINUTES,
  },
  cisco: MANY_CUSTOMERS,
  forcepoint: MANY_CUSTOMERS,
  hornetsecurity: MANY_CUSTOMERS,
  mailchannels: MANY_CUSTOMERS,
  messagelabs: MANY_CUSTOMERS,
  mimecast: {
    ...MANY_CUSTOMERS,
    // Too many unknown recipients put our IP address on the blocklist of a whole region.
    errorsPerConnection: 2,
    errorsPerHour: 30,
    // Greylists for about a minute, so a retry after exactly one minute would often come too early.
    retryDelaysS: [1.5 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR],
    suspendS: { rate_limited: 30 * MINUTE, too_many_errors: 2 * HOUR, ip_blocked: 2 * HOUR },
  },
  mxlogic: MANY_CUSTOMERS,
  proofpoint: MANY_CUSTOMERS,
  proofpoint_essentials: MANY_CUSTOMERS,
  sophos: MANY_CUSTOMERS,
  spamexperts: {
    ...MANY_CUSTOMERS,
    probe: 'A',
    // Verifies each recipient with the server behind it, which takes up to 30 seconds: many at once would exceed the session timeout.
    recipientsPerTransaction: 5,
    recipientsPerConnection: 20,
  },
  trellix: MANY_CUSTOMERS,
  trendmicro: MANY_CUSTOMERS,

  // Forwarders, privacy relays and mail for programs.
  addy: UNMEASURED,
  amazon: MANY_CUSTOMERS,
  apple_private_relay: NOT_PROBED,
  // Requires a PTR record for all customers.
  cloudflare: { ...MANY_CUSTOMERS, suspendS: { ...MANY_CUSTOMERS.suspendS, ptr_required: DAY } },
  duckduckgo: UNMEASURED,
  forward_email: { ...NOT_PROBED, retryDelaysS: AFTER_FIVE_MINUTES },
  improvmx: MANY_CUSTOMERS,
  mailgun: NOT_PROBED,
  postmark: NOT_PROBED,
  sendgrid: NOT_PROBED,
  simplelogin: UNMEASURED,

  // Hosting providers.
  all_inkl: { ...DEFAULTS, probe: 'A' },
  aruba: { ...DEFAULTS, probe: 'A' },
  beget: UNMEASURED,
  dreamhost: { ...DEFAULTS, probe: 'A' },
  gandi: { ...DEFAULTS, probe: 'A' },
  godaddy: {
    ...DEFAULTS,
    probe: 'A',
    connectionsPerEgress: 1,
    connectionsPerMinute: 10,
    errorsPerConnection: 2,
    // The limit of unknown recipients is not published. The first block lasts an hour (IB112), the next one the rest of the day (IB113).
    errorsPerHour: 10,
    suspendS: { ...DEFAULTS.suspendS, too_many_errors: HOUR, ip_blocked: DAY },
  },
  hetzner: { ...DEFAULTS, probe: 'A' },
  hostinger: { ...DEFAULTS, probe: 'A' },
  hostpoint: UNMEASURED,
  intermedia: { ...DEFAULTS, probe: 'A' },
  // Assumed to run the software of GMX, which disconnects after the first error.
  ionos: { ...DEFAULTS, probe: 'B', errorsPerConnection: 1 },
  locaweb: { ...DEFAULTS, probe: 'A' },
  loopia: { ...DEFAULTS, probe: 'A' },
  mailhostbox: { ...DEFAULTS, probe: 'A' },
  migadu: UNMEASURED,
  namecheap: { ...DEFAULTS, probe: 'A' },
  namecheap_forward: NOT_PROBED,
  one_com: { ...DEFAULTS, probe: 'A' },
  ovh: { ...DEFAULTS, probe: 'A' },
  rackspace: { ...DEFAULTS, probe: 'A' },
  reg_ru: UNMEASURED,
  register_it: { ...DEFAULTS, probe: 'A' },
  stackmail: { ...DEFAULTS, probe: 'A' },
  strato: { ...DEFAULTS, probe: 'A' },
  timeweb: UNMEASURED,
  titan: { ...DEFAULTS, probe: 'A' },
  transip: { ...DEFAULTS, probe: 'A' },
  tucows: { ...DEFAULTS, probe: 'A' },
} satisfies ProviderLimitsTable
