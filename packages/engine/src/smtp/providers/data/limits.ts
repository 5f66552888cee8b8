import type { ProviderLimitsTable } from '../limits.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * Where no row says otherwise. What senders of wanted mail may do is known for many; we ask about people who may not exist,
 * so we stay well below it.
 */
const DEFAULTS = {
  recipientsPerTransaction: 25,
  recipientsPerConnection: 200,
  connectionsPerEgress: 2,
  connectionsPerMinute: 30,
  // Exchange hangs up at the fifth protocol error, and cPanel's rules against dictionary attacks at a handful.
  errorsPerConnection: 4,
  errorsPerHour: 200,
  // A handshake costs two round trips and some servers fail at it, so it is made for those who insist.
  tls: 'demanded' as const,
  // The second try is for short greylists, the third, six minutes on, for Postgrey's five; the rest are for the stubborn.
  retryDelaysS: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR],
  suspendS: {
    rate_limited: 10 * MINUTE,
    too_many_errors: 15 * MINUTE,
    ip_blocked: 2 * HOUR,
    // These are about how we are set up. They last until an operator has changed it, and asking meanwhile makes a bad name.
    ptr_required: 6 * HOUR,
    spf_required: 6 * HOUR,
    sender_rejected: HOUR,
    geo_blocked: DAY,
  },
  truthfulDomains: [],
}

/** How much a mailbox provider bears that nobody has measured yet is found out from below. */
const UNMEASURED = {
  ...DEFAULTS,
  probe: '?' as const,
  connectionsPerEgress: 1,
  connectionsPerMinute: 15,
  errorsPerConnection: 2,
  errorsPerHour: 60,
}

/**
 * Many customers behind the same hosts, each with rules and words of its own. What reads like a block may be the rule of a
 * single one, so it stops us for a short time; whom a customer's rules let in or keep out stops nothing.
 */
const MANY_CUSTOMERS = {
  ...DEFAULTS,
  probe: 'C' as const,
  suspendS: { rate_limited: 10 * MINUTE, too_many_errors: 15 * MINUTE, ip_blocked: 30 * MINUTE },
}

/** Acceptance tells nothing there, so nobody is asked. The limits hold for the one who tries it all the same. */
const NOT_ASKED = {
  ...DEFAULTS,
  probe: 'D' as const,
  recipientsPerTransaction: 1,
  recipientsPerConnection: 5,
  connectionsPerEgress: 1,
  connectionsPerMinute: 6,
  errorsPerConnection: 1,
  errorsPerHour: 10,
}

/** Five minutes of greylisting: a try after one minute would only be refused again. */
const AFTER_FIVE_MINUTES = [5.5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR]

/** In the order of the providers' table. */
export const PROVIDER_LIMITS = {
  '': {
    ...DEFAULTS,
    probe: '?',
    // Postfix answers every further command a second late from the tenth error on (smtpd_soft_error_limit). Exim counts none by
    // itself, but the rules that come with cPanel drop whoever asks for a fourth stranger.
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
    // What senders are allowed; below it the largest provider of all would hold up every list.
    connectionsPerEgress: 5,
    connectionsPerMinute: 60,
    errorsPerHour: 300,
    // Google expects TLS of everybody.
    tls: 'offered',
    suspendS: {
      // 4.7.28, an unusual rate from our address, is over after half an hour to an hour.
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
    // The second recipient of a transaction is answered 452.
    recipientsPerTransaction: 1,
    recipientsPerConnection: 20,
    // “Server busy” passes in half an hour; a place on their block list does not pass soon.
    suspendS: { ...DEFAULTS.suspendS, rate_limited: 30 * MINUTE, ip_blocked: 2 * HOUR },
  },
  microsoft365: {
    ...MANY_CUSTOMERS,
    // Addresses without a name of their own get 452 from the second recipient on (AS780090).
    recipientsPerTransaction: 1,
    recipientsPerConnection: 20,
    connectionsPerEgress: 3,
    suspendS: { ...MANY_CUSTOMERS.suspendS, rate_limited: 30 * MINUTE, ip_blocked: HOUR },
  },
  proton: UNMEASURED,
  yahoo: NOT_ASKED,
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
    // Hangs up after the first error.
    errorsPerConnection: 1,
    tls: 'offered',
    // “Too many connections” is meant for the next half hour.
    suspendS: { ...DEFAULTS.suspendS, rate_limited: 30 * MINUTE },
  },
  infomaniak: UNMEASURED,
  libero: UNMEASURED,
  mailbox_org: { ...UNMEASURED, retryDelaysS: AFTER_FIVE_MINUTES },
  onet: UNMEASURED,
  // Two connections are all that a sender may have.
  orange: { ...DEFAULTS, probe: 'B', connectionsPerEgress: 1, connectionsPerMinute: 15 },
  // Users there may demand TLS each for himself, which would look like a refusal of the mailbox.
  posteo: { ...UNMEASURED, tls: 'offered' },
  runbox: UNMEASURED,
  seznam: UNMEASURED,
  sfr: UNMEASURED,
  t_online: {
    ...DEFAULTS,
    probe: 'B',
    connectionsPerEgress: 1,
    // Lets in whom it knows. Whoever is not known today will not be in an hour.
    suspendS: { ...DEFAULTS.suspendS, ip_blocked: DAY },
  },
  tuta: UNMEASURED,
  wp: UNMEASURED,

  // Mailboxes, east of it.
  mail_ru: NOT_ASKED,
  rambler: { ...DEFAULTS, probe: 'A' },
  ukr_net: {
    ...DEFAULTS,
    probe: 'B',
    connectionsPerEgress: 1,
    // Hangs up after an error.
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
    // Senders have four connections with seven recipients each; the frequency is counted by the hour.
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
    // Senders have four connections with eight recipients each; the frequency is counted by the hour.
    recipientsPerTransaction: 5,
    recipientsPerConnection: 5,
    suspendS: { ...DEFAULTS.suspendS, rate_limited: HOUR },
  },
  // Two connections are all that a sender may have; the one of the unmeasured is below that.
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
    // Too many unknown recipients put our address on the block list of a whole region.
    errorsPerConnection: 2,
    errorsPerHour: 30,
    // Greylists for about a minute, so that the try after exactly one would often come too early.
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
    // It asks the server behind for each recipient, up to half a minute: many at once would outlast a conversation.
    recipientsPerTransaction: 5,
    recipientsPerConnection: 20,
  },
  trellix: MANY_CUSTOMERS,
  trendmicro: MANY_CUSTOMERS,

  // Forwarders, privacy relays and mail for programs.
  addy: UNMEASURED,
  amazon: MANY_CUSTOMERS,
  // Demands reverse DNS of everybody, whoever the customer is.
  cloudflare: { ...MANY_CUSTOMERS, suspendS: { ...MANY_CUSTOMERS.suspendS, ptr_required: DAY } },
  duckduckgo: UNMEASURED,
  forward_email: { ...NOT_ASKED, retryDelaysS: AFTER_FIVE_MINUTES },
  improvmx: MANY_CUSTOMERS,
  mailgun: NOT_ASKED,
  postmark: NOT_ASKED,
  sendgrid: NOT_ASKED,
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
    // How many unknown recipients are too many is not told. The first time costs an hour (IB112), the next the day (IB113).
    errorsPerHour: 10,
    suspendS: { ...DEFAULTS.suspendS, too_many_errors: HOUR, ip_blocked: DAY },
  },
  hetzner: { ...DEFAULTS, probe: 'A' },
  hostinger: { ...DEFAULTS, probe: 'A' },
  hostpoint: UNMEASURED,
  intermedia: { ...DEFAULTS, probe: 'A' },
  // Believed to run the software of GMX, which hangs up after the first error.
  ionos: { ...DEFAULTS, probe: 'B', errorsPerConnection: 1 },
  locaweb: { ...DEFAULTS, probe: 'A' },
  loopia: { ...DEFAULTS, probe: 'A' },
  mailhostbox: { ...DEFAULTS, probe: 'A' },
  migadu: UNMEASURED,
  namecheap: { ...DEFAULTS, probe: 'A' },
  namecheap_forward: NOT_ASKED,
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
