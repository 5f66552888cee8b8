import type { SiteName } from './sites.ts'

/** The real state of an address. `full`, `disabled` and `moved` are mailboxes that exist and accept no mail now. */
export type Existence = 'yes' | 'no' | 'full' | 'disabled' | 'moved'

/** The sub_status values that this simulation can produce; each belongs to one status. */
export type SubStatus = keyof typeof STATUS_OF

/**
 * A mail host: its preference, its name (`{domain}`, or `{dashed}` for the domain with hyphens) and its location, if
 * not at the site of the domain, or how it differs from the other hosts.
 */
export type HostPlan = readonly [preference: number, name: string, at?: 'closed' | 'private' | 'ipv6' | HostRules]

/** The replies of a server to the recipients of a domain. */
export type RecipientRules = {
  /** The reply for each state of a mailbox. States that are missing do not occur, but `yes` and `no` always do. */
  replies?: Partial<Record<Existence, string>>
  /** The reply to every recipient. */
  always?: string
  /**
   * The reply to each new triplet of client, sender and recipient until its delay is over; `{seconds}` is the remaining
   * time.
   */
  greylist?: string
  /** The reply to every recipient of a client that sent too many of them, or too many that were rejected. */
  ban?: { after: number; of: 'recipients' | 'rejections'; forMs: number; reply: string }
  /** The reply to recipients on no list, to those of them that look like a name, or to any without a vowel. */
  filter?: { of: 'unlisted' | 'unlisted_name' | 'gibberish'; reply: string }
}

/** The site and the replies of one host, where they differ from those of its domain. */
export type HostRules = RecipientRules & { site?: SiteName }

/** Addresses of a domain that the server treats differently from all others. */
export type SpecialRecipients = { count: number; exists: Existence; reply: string; verdict: SubStatus }

export type Behaviour = RecipientRules & {
  about: string
  /** The kind of domain, which decides how many addresses it gets. Domains of the group `hard` are those of a world. */
  group: 'large' | 'tail' | 'typo' | 'disposable' | 'hard'
  /** Weight among the addresses of a large provider, else among the domains of the group; in a world the number of domains. */
  weight: number
  /** The domain names; without them, as many as needed are generated. */
  domains?: readonly string[]
  /** The mailbox provider of the mail hosts, as an engine provider id; `''` is any other. */
  provider: string
  /** The site whose servers reply, if any do. */
  site?: SiteName
  /** The DNS records: mail hosts, only an address, a null MX, a name without either, NXDOMAIN, or an error. */
  dns?: 'address' | 'parked' | 'null_mx' | 'nothing' | 'absent' | 'servfail'
  hosts?: readonly HostPlan[]
  /** The smallest and largest share of undeliverable addresses; the default is 0 to 0.4. */
  bad?: readonly [number, number]
  special?: readonly SpecialRecipients[]
  /** The share of addresses with non-ASCII characters. */
  utf8?: number
  /** The possible verdicts for all of its addresses; by default the real state of each address. */
  verdicts?: readonly SubStatus[]
  /** When all addresses are alike: no mailbox exists, or all mail is delivered. */
  everyAddress?: 'no' | 'yes'
}

export const STATUS_OF = {
  '': 'valid',
  syntax_error: 'invalid',
  domain_not_found: 'invalid',
  no_mail_server: 'invalid',
  null_mx: 'invalid',
  domain_not_hosted: 'invalid',
  mailbox_not_found: 'invalid',
  mailbox_disabled: 'invalid',
  mailbox_moved: 'invalid',
  catch_all: 'risky',
  mailbox_full: 'risky',
  disposable: 'risky',
  dns_failed: 'unknown',
  not_routable: 'unknown',
  connection_failed: 'unknown',
  timeout: 'unknown',
  blocked: 'unknown',
  provider_unverifiable: 'unknown',
  policy_rejected: 'unknown',
  smtputf8_unsupported: 'unknown',
  server_error: 'unknown',
} as const satisfies Record<string, 'valid' | 'invalid' | 'risky' | 'unknown'>

/** The verdicts of a server that knows its recipients and rejects unknown ones. */
export const VERDICT_OF_TRUTH: Record<Existence, SubStatus> = {
  yes: '',
  no: 'mailbox_not_found',
  full: 'mailbox_full',
  disabled: 'mailbox_disabled',
  moved: 'mailbox_moved',
}

export const OWN: HostPlan[] = [[10, 'mx.{domain}']]
export const OWN_TWO: HostPlan[] = [
  [10, 'mx1.{domain}'],
  [20, 'mx2.{domain}'],
]
const GOOGLE: HostPlan[] = [
  [1, 'aspmx.l.google.com'],
  [5, 'alt1.aspmx.l.google.com'],
  [5, 'alt2.aspmx.l.google.com'],
  [10, 'alt3.aspmx.l.google.com'],
  [10, 'alt4.aspmx.l.google.com'],
]

export const POSTFIX_REPLIES = {
  no: '550 5.1.1 <{rcpt}>: Recipient address rejected: User unknown in virtual mailbox table',
  full: '452 4.2.2 <{rcpt}>: Recipient address rejected: Mailbox is full',
  disabled: '550 5.2.1 <{rcpt}>: Recipient address rejected: This account has been disabled',
  moved: '551 5.1.6 <{rcpt}>: Recipient address rejected: User has moved to another address',
} as const

const GOOGLE_REPLIES = {
  yes: '250 2.1.5 OK gsmtp',
  no: "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550 5.1.1 unnecessary spaces. NoSuchUser gsmtp",
  full: "452-4.2.2 The recipient's inbox is out of storage space. Please direct the\n452 4.2.2 recipient to free some. OverQuotaTemp gsmtp",
  disabled: '550-5.2.1 The email account that you tried to reach is inactive.\n550 5.2.1 DisabledUser gsmtp',
} as const

export const MICROSOFT365_REPLIES = {
  yes: '250 2.1.5 Recipient OK',
  no: '550 5.4.1 Recipient address rejected: Access denied. [AS(201806281)] [{host}]',
} as const

export const BEHAVIOURS = {
  // Five large providers.
  gmail: {
    about: 'Gmail: true answers, several recipients to a transaction but one domain only.',
    group: 'large',
    weight: 28,
    domains: ['gmail.com'],
    provider: 'google',
    site: 'google',
    hosts: [
      [5, 'gmail-smtp-in.l.google.com'],
      [10, 'alt1.gmail-smtp-in.l.google.com'],
      [20, 'alt2.gmail-smtp-in.l.google.com'],
      [30, 'alt3.gmail-smtp-in.l.google.com'],
    ],
    bad: [0.08, 0.08],
    replies: GOOGLE_REPLIES,
  },
  outlook: {
    about: 'Outlook.com and Hotmail: true answers, one recipient to a transaction.',
    group: 'large',
    weight: 14,
    domains: ['outlook.com', 'hotmail.com'],
    provider: 'microsoft',
    site: 'microsoft',
    hosts: [[5, '{dashed}.olc.protection.outlook.com']],
    bad: [0.08, 0.08],
    replies: {
      yes: '250 2.1.5 Recipient OK',
      no: '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
      full: '552 5.2.2 Requested mail action aborted: exceeded storage allocation, mailbox full',
    },
  },
  yahoo: {
    about: 'Yahoo: accepts every recipient and bounces later.',
    group: 'large',
    weight: 8,
    domains: ['yahoo.com'],
    provider: 'yahoo',
    site: 'yahoo',
    hosts: [
      [1, 'mta5.am0.yahoodns.net'],
      [1, 'mta6.am0.yahoodns.net'],
      [1, 'mta7.am0.yahoodns.net'],
    ],
    bad: [0.08, 0.08],
    replies: { yes: '250 recipient <{rcpt}> ok', no: '250 recipient <{rcpt}> ok' },
    verdicts: ['provider_unverifiable'],
  },
  icloud: {
    about: 'iCloud: true answers, and an end to the connection after ten errors.',
    group: 'large',
    weight: 4,
    domains: ['icloud.com'],
    provider: 'apple',
    site: 'apple',
    hosts: [
      [10, 'mx01.mail.icloud.com'],
      [10, 'mx02.mail.icloud.com'],
    ],
    bad: [0.08, 0.08],
    replies: {
      no: '550 5.1.1 <{rcpt}>: user does not exist',
      full: '552 5.2.2 <{rcpt}>: user is over quota',
      disabled: '550 5.2.1 <{rcpt}>: this account is disabled or discontinued',
    },
  },
  gmx: {
    about: 'GMX and WEB.DE: true answers, and hanging up after the first refusal.',
    group: 'large',
    weight: 6,
    domains: ['gmx.de', 'web.de'],
    provider: 'gmx',
    site: 'gmx',
    hosts: [
      [10, 'mx00.gmx.net'],
      [10, 'mx01.gmx.net'],
    ],
    bad: [0.08, 0.08],
    replies: {
      yes: '250 Requested mail action okay, completed',
      no: '550 Requested action not taken: mailbox unavailable',
      full: '552 Requested mail action aborted: exceeded storage allocation, Quota exceeded',
    },
  },

  // Providers with domains of their own.
  yandex: {
    about: 'Yandex: an unknown user in the words of a policy, 550 5.7.1.',
    group: 'tail',
    weight: 0,
    domains: ['yandex.ru'],
    provider: 'yandex',
    site: 'yandex',
    hosts: [[10, 'mx.yandex.ru']],
    replies: {
      yes: '250 2.1.5 <{rcpt}> recipient ok',
      no: '550 5.7.1 No such user!',
      full: '552 5.2.2 Mailbox size limit exceeded',
    },
  },
  mail_ru: {
    about: 'Mail.ru: accepts every recipient and decides after the message.',
    group: 'tail',
    weight: 0,
    domains: ['mail.ru'],
    provider: 'mail_ru',
    site: 'mail_ru',
    hosts: [[10, 'mxs.mail.ru']],
    replies: { no: '250 2.1.5 Ok' },
    verdicts: ['provider_unverifiable'],
  },
  orange: {
    about: 'Orange: OFR codes, and 5.1.1 even for a full mailbox.',
    group: 'tail',
    weight: 0,
    domains: ['orange.fr', 'wanadoo.fr'],
    provider: 'orange',
    site: 'orange',
    hosts: [[10, 'smtp-in.orange.fr']],
    replies: {
      no: '550 5.1.1 <{rcpt}> Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]',
      full: '552 5.1.1 <{rcpt}> Boite du destinataire pleine. Recipient overquota. OFR_417 [417]',
      disabled: '550 5.2.1 <{rcpt}> Boite du destinataire archivee. Archived recipient. OFR_420 [420]',
    },
  },
  comcast: {
    about: 'Comcast: replies that the recipient is not a customer.',
    group: 'tail',
    weight: 0,
    domains: ['comcast.net'],
    provider: 'comcast',
    site: 'comcast',
    hosts: [
      [5, 'mx1a1.comcast.net'],
      [5, 'mx2h1.comcast.net'],
    ],
    replies: { no: '550 5.1.1 Not our Customer', full: '452 4.2.2 Mailbox full' },
  },
  t_online: {
    about: 'T-Online: lets in whom it knows, and does not know us.',
    group: 'tail',
    weight: 0,
    domains: ['t-online.de'],
    provider: 't_online',
    site: 't_online',
    hosts: [
      [10, 'mx00.t-online.de'],
      [10, 'mx01.t-online.de'],
    ],
    verdicts: ['blocked'],
  },

  // Businesses at a provider.
  google_workspace: {
    about: 'A firm at Google Workspace that knows its recipients.',
    group: 'tail',
    weight: 11,
    provider: 'google',
    site: 'google',
    hosts: GOOGLE,
    replies: GOOGLE_REPLIES,
  },
  google_workspace_catch_all: {
    about: 'A firm at Google Workspace that routes everything to one mailbox.',
    group: 'tail',
    weight: 2,
    provider: 'google',
    site: 'google',
    hosts: [[1, 'smtp.google.com']],
    replies: { yes: '250 2.1.5 OK gsmtp', no: '250 2.1.5 OK gsmtp' },
    verdicts: ['catch_all'],
    everyAddress: 'yes',
  },
  microsoft365: {
    about: 'A firm at Microsoft 365 whose unknown recipients are denied access.',
    group: 'tail',
    weight: 12,
    provider: 'microsoft365',
    site: 'microsoft365',
    hosts: [[0, '{dashed}.mail.protection.outlook.com']],
    replies: MICROSOFT365_REPLIES,
  },
  microsoft365_hybrid: {
    about: 'A firm with half of its mailboxes elsewhere: Microsoft 365 accepts all, and bounces later.',
    group: 'tail',
    weight: 3,
    provider: 'microsoft365',
    site: 'microsoft365',
    hosts: [[0, '{dashed}.mail.protection.outlook.com']],
    replies: { yes: '250 2.1.5 Recipient OK', no: '250 2.1.5 Recipient OK' },
    verdicts: ['catch_all'],
  },
  rackspace: {
    about: 'A firm at Rackspace.',
    group: 'tail',
    weight: 1,
    provider: 'rackspace',
    site: 'rackspace',
    hosts: [
      [10, 'mx1.emailsrvr.com'],
      [20, 'mx2.emailsrvr.com'],
    ],
    replies: {
      no: '550 5.1.1 <{rcpt}>: Recipient address rejected: Email address could not be found, or was misspelled (G8)',
    },
  },
  zoho: {
    about: 'A firm at Zoho.',
    group: 'tail',
    weight: 1.5,
    provider: 'zoho',
    site: 'zoho',
    hosts: [
      [10, 'mx.zoho.com'],
      [20, 'mx2.zoho.com'],
      [50, 'mx3.zoho.com'],
    ],
    replies: { no: '550 5.1.1 User unknown <{rcpt}>' },
  },
  godaddy: {
    about: 'A firm at GoDaddy, which counts unknown recipients.',
    group: 'tail',
    weight: 2,
    provider: 'godaddy',
    site: 'godaddy',
    hosts: [
      [0, 'smtp.secureserver.net'],
      [10, 'mailstore1.secureserver.net'],
    ],
    replies: { no: '550 5.1.1 <{rcpt}> Recipient not found' },
  },
  ovh: {
    about: 'A firm at a hoster that runs Postfix.',
    group: 'tail',
    weight: 2,
    provider: 'ovh',
    site: 'ovh',
    hosts: [
      [1, 'mx1.mail.ovh.net'],
      [5, 'mx2.mail.ovh.net'],
      [100, 'mx3.mail.ovh.net'],
    ],
    replies: POSTFIX_REPLIES,
  },
  ionos: {
    about: 'A firm at a hoster that hangs up after the first refusal.',
    group: 'tail',
    weight: 1.5,
    provider: 'ionos',
    site: 'ionos',
    hosts: [
      [10, 'mx00.kundenserver.de'],
      [10, 'mx01.kundenserver.de'],
    ],
    replies: { no: '550 Requested action not taken: mailbox unavailable' },
  },
  strato: {
    about: 'A firm at a hoster that says no more than it must.',
    group: 'tail',
    weight: 1,
    provider: 'strato',
    site: 'strato',
    hosts: [[5, 'smtpin.rzone.de']],
    replies: { no: '550 5.1.1 User unknown', full: '452 4.2.2 Over quota' },
  },

  // Businesses behind a gateway.
  proofpoint: {
    about: 'A gateway that has the list of recipients.',
    group: 'tail',
    weight: 2,
    provider: 'proofpoint',
    site: 'proofpoint',
    hosts: [
      [10, 'mxa-{dashed}.gslb.pphosted.com'],
      [10, 'mxb-{dashed}.gslb.pphosted.com'],
    ],
    replies: { yes: '250 2.1.5 <{rcpt}>... Recipient ok', no: '550 5.1.1 <{rcpt}>... User Unknown' },
  },
  proofpoint_accepts_all: {
    about: 'The same gateway without a list: it accepts all and the firm bounces.',
    group: 'tail',
    weight: 1,
    provider: 'proofpoint',
    site: 'proofpoint',
    hosts: [
      [10, 'mxa-{dashed}.gslb.pphosted.com'],
      [10, 'mxb-{dashed}.gslb.pphosted.com'],
    ],
    replies: { no: '250 2.1.5 <{rcpt}>... Recipient ok' },
    verdicts: ['catch_all'],
  },
  proofpoint_essentials: {
    about: 'A gateway that says 5.7.1 for an unknown user.',
    group: 'tail',
    weight: 1,
    provider: 'proofpoint_essentials',
    site: 'proofpoint_essentials',
    hosts: [
      [10, 'mx1-eu1.ppe-hosted.com'],
      [10, 'mx2-eu1.ppe-hosted.com'],
    ],
    replies: { no: '550 5.7.1 <{rcpt}>: Recipient address rejected: User email address is marked as invalid' },
  },
  mimecast: {
    about: 'A gateway that greylists without saying so.',
    group: 'tail',
    weight: 2,
    provider: 'mimecast',
    site: 'mimecast',
    hosts: [
      [10, 'eu-smtp-inbound-1.mimecast.com'],
      [10, 'eu-smtp-inbound-2.mimecast.com'],
    ],
    replies: { no: '550 Invalid Recipient - https://community.mimecast.example/docs/DOC-1369#550' },
    greylist: '451 Internal resources are temporarily unavailable, please try again in {seconds} seconds',
  },
  barracuda: {
    about: 'A gateway with its own word for an unknown user.',
    group: 'tail',
    weight: 1.5,
    provider: 'barracuda',
    site: 'barracuda',
    hosts: [
      [10, 'd0001a.ess.barracudanetworks.com'],
      [20, 'd0001b.ess.barracudanetworks.com'],
    ],
    replies: { no: '550 5.1.1 <{rcpt}>: cuda_nsu User unknown' },
  },
  messagelabs: {
    about: 'A gateway that puts the enhanced code last.',
    group: 'tail',
    weight: 1,
    provider: 'messagelabs',
    site: 'messagelabs',
    hosts: [
      [10, 'cluster5.eu.messagelabs.com'],
      [20, 'cluster5a.eu.messagelabs.com'],
    ],
    replies: { no: '550 Invalid recipient <{rcpt}> (#5.1.1)' },
  },
  cisco: {
    about: 'A gateway that puts the enhanced code first, behind a hash.',
    group: 'tail',
    weight: 1,
    provider: 'cisco',
    site: 'cisco',
    hosts: [
      [10, 'mx1.hc1234-56.eu.iphmx.com'],
      [10, 'mx2.hc1234-56.eu.iphmx.com'],
    ],
    replies: { yes: '250 recipient <{rcpt}> ok', no: '550 #5.1.0 Address rejected.' },
  },
  trendmicro: {
    about: 'A gateway that says 554 5.7.1 for an unknown user.',
    group: 'tail',
    weight: 0.5,
    provider: 'trendmicro',
    site: 'trendmicro',
    hosts: [[10, '{dashed}.in.tmes-emea.trendmicro.eu']],
    replies: { no: '554 5.7.1 <{rcpt}>: Recipient address rejected: Invalid-Recipient' },
  },
  spamexperts: {
    about: 'A gateway that asks the firm before it answers.',
    group: 'tail',
    weight: 0.5,
    provider: 'spamexperts',
    site: 'spamexperts',
    hosts: [
      [10, 'mx.spamexperts.com'],
      [20, 'fallbackmx.spamexperts.eu.antispamcloud.com'],
    ],
    replies: { no: '550 Verification failed for <{rcpt}>: 550 No such user here' },
  },

  // Businesses with their own server.
  postfix: {
    about: 'Postfix with a list of recipients.',
    group: 'tail',
    weight: 15,
    provider: '',
    site: 'postfix',
    hosts: OWN_TWO,
    replies: POSTFIX_REPLIES,
    utf8: 0.02,
  },
  exim: {
    about: 'Exim as hosting panels set it up; it drops who guesses names.',
    group: 'tail',
    weight: 9,
    provider: '',
    site: 'exim',
    hosts: [[0, 'mail.{domain}']],
    replies: {
      yes: '250 Accepted',
      no: '550 No Such User Here',
      disabled: '550 <{rcpt}>: this account has been suspended',
    },
  },
  exchange: {
    about: 'Exchange with a short tarpit for refusals.',
    group: 'tail',
    weight: 3,
    provider: '',
    site: 'exchange',
    hosts: OWN,
    replies: { yes: '250 2.1.5 Recipient OK', no: '550 5.1.1 User unknown' },
  },
  opensmtpd: {
    about: 'OpenSMTPD, without pipelining.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'opensmtpd',
    hosts: OWN,
    replies: { yes: '250 2.1.5 Destination address valid: Recipient ok', no: '550 Invalid recipient: <{rcpt}>' },
  },
  mailenable: {
    about: 'MailEnable, without enhanced codes or pipelining.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'mailenable',
    hosts: OWN,
    replies: {
      yes: '250 Requested mail action okay, completed',
      no: '550 Requested action not taken: mailbox not found',
    },
  },
  french: {
    about: 'A server that speaks French.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'postfix',
    hosts: OWN,
    replies: {
      no: '550 5.1.1 <{rcpt}>: utilisateur inconnu',
      full: '552 5.2.2 <{rcpt}>: boite du destinataire pleine',
    },
  },
  verifies: {
    about: 'Postfix that asks another server first and says no with 450.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'postfix',
    hosts: OWN,
    replies: { no: '450 4.1.1 <{rcpt}>: Recipient address rejected: undeliverable address: user unknown' },
    greylist: '450 4.1.1 <{rcpt}>: Recipient address rejected: unverified address: Address verification in progress',
  },
  catch_all: {
    about: 'A server that takes mail for every name.',
    group: 'tail',
    weight: 5,
    provider: '',
    site: 'postfix',
    hosts: OWN,
    replies: { no: '250 2.1.5 Ok' },
    verdicts: ['catch_all'],
    everyAddress: 'yes',
  },
  mox: {
    about: 'mox: accepts one recipient at a time, known or not, and decides after the message.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'mox',
    hosts: OWN,
    replies: { no: '250 2.1.5 now on the list' },
    verdicts: ['catch_all', 'provider_unverifiable'],
  },
  greylisting: {
    about: 'Postgrey: every new triplet has to come again.',
    group: 'tail',
    weight: 3,
    provider: '',
    site: 'postfix',
    hosts: OWN_TWO,
    replies: POSTFIX_REPLIES,
    greylist:
      '450 4.2.0 <{rcpt}>: Recipient address rejected: Greylisted for {seconds} seconds, see https://greylisting.example/help/{domain}',
  },
  quota: {
    about: 'A server with small mailboxes, many of them full, which it says with 452.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'postfix',
    hosts: OWN,
    bad: [0.3, 0.4],
    replies: { no: POSTFIX_REPLIES.no, full: '452 4.2.2 <{rcpt}>: Recipient address rejected: User is over quota' },
  },
  one_recipient: {
    about: 'A server that takes one recipient to a transaction.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'one_recipient',
    hosts: OWN,
    replies: POSTFIX_REPLIES,
  },
  limits: {
    about: 'A server that says in EHLO that it takes two recipients (RFC 9422), and means it.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'limits',
    hosts: OWN,
    replies: { no: '550 5.1.1 No such mailbox' },
  },
  hangs_up: {
    about: 'A server that hangs up after the first refusal.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'hangs_up',
    hosts: OWN,
    replies: { no: '550 5.1.1 No such user' },
  },
  tarpit: {
    about: 'A server that gets slower with each refusal.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'tarpit',
    hosts: OWN,
    replies: { no: '550 5.1.1 Mailbox does not exist' },
  },
  greet_pause: {
    about: 'A server that lets us wait for its greeting and turns away who does not.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'greet_pause',
    hosts: OWN,
    replies: POSTFIX_REPLIES,
  },
  no_pipelining: {
    about: 'A server that does not offer pipelining and punishes it.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'no_pipelining',
    hosts: OWN,
    replies: { no: '550 5.1.1 Unknown user' },
  },
  helo_only: {
    about: 'A server that has never heard of EHLO.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'helo_only',
    hosts: OWN,
    replies: { yes: '250 Recipient ok', no: '550 User unknown' },
  },
  sometimes_busy: {
    about: 'A server that has no time for every third connection.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'sometimes_busy',
    hosts: OWN,
    replies: POSTFIX_REPLIES,
  },
  no_smtputf8: {
    about: 'A server that cannot take addresses beyond ASCII, some of which are on the list.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'no_smtputf8',
    hosts: OWN,
    replies: { yes: '250 2.1.5 <{rcpt}>... Recipient ok', no: '550 5.1.1 <{rcpt}>... User unknown' },
    utf8: 0.3,
  },
  first_mx_dead: {
    about: 'The first mail host is gone, the second answers.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'postfix',
    hosts: [
      [10, 'mx1.{domain}', 'closed'],
      [20, 'mx2.{domain}'],
    ],
    replies: POSTFIX_REPLIES,
  },
  address_only: {
    about: 'No MX: the domain is its own mail host (RFC 5321 §5.1).',
    group: 'tail',
    weight: 1.5,
    provider: '',
    site: 'exim',
    dns: 'address',
    replies: { yes: '250 Accepted', no: '550 No Such User Here' },
  },

  // Servers whose replies do not depend on the mailbox.
  blocked_at_banner: {
    about: 'Turns our address away before we say a word.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'blocks_at_banner',
    hosts: OWN,
    verdicts: ['blocked'],
  },
  blocked_at_mail: {
    about: 'Turns our address away at MAIL.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'blocks_at_mail',
    hosts: OWN,
    verdicts: ['blocked'],
  },
  blocked_at_rcpt: {
    about: 'Turns our address away at RCPT, as Postfix does unless told otherwise.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'postfix',
    hosts: OWN,
    always: '554 5.7.1 <unknown[{client}]>: Client host rejected: Access denied',
    verdicts: ['blocked'],
  },
  blocked_by_list: {
    about: 'Names our address and the list it is on.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'postfix',
    hosts: OWN,
    always: '550 5.7.1 Service unavailable; client host [{client}] blocked using dnsbl.example',
    verdicts: ['blocked'],
  },
  temporary_for_ever: {
    about: 'A server whose look-up of recipients is broken, today and tomorrow.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'postfix',
    hosts: OWN,
    always: '451 4.3.0 <{rcpt}>: Temporary lookup failure',
    verdicts: ['server_error'],
  },
  mx_dead: {
    about: 'No server listens at its mail hosts.',
    group: 'tail',
    weight: 2,
    provider: '',
    hosts: [
      [10, 'mx1.{domain}', 'closed'],
      [20, 'mx2.{domain}', 'closed'],
    ],
    verdicts: ['connection_failed'],
  },
  mx_silent: {
    about: 'Its mail host takes the connection and never says a word.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    site: 'silent',
    hosts: OWN,
    verdicts: ['timeout', 'connection_failed'],
  },
  mx_private: {
    about: 'Its mail host has an address in a private network.',
    group: 'tail',
    weight: 0.5,
    provider: '',
    hosts: [[10, 'mx.{domain}', 'private']],
    verdicts: ['not_routable'],
  },
  mx_ipv6: {
    about: 'Its mail host has an IPv6 address only, one that leads nowhere (RFC 3849).',
    group: 'tail',
    weight: 0.5,
    provider: '',
    hosts: [[10, 'mx.{domain}', 'ipv6']],
    verdicts: ['not_routable'],
  },
  dns_broken: {
    about: 'Its name servers answer with an error.',
    group: 'tail',
    weight: 1,
    provider: '',
    dns: 'servfail',
    verdicts: ['dns_failed'],
  },

  // Domains without mail.
  not_hosted: {
    about: 'Its mail host has never heard of it.',
    group: 'tail',
    weight: 1,
    provider: '',
    site: 'postfix',
    hosts: OWN,
    always: '554 5.7.1 <{rcpt}>: Relay access denied',
    verdicts: ['domain_not_hosted'],
    everyAddress: 'no',
  },
  null_mx: {
    about: 'It declares that it takes no mail (RFC 7505).',
    group: 'tail',
    weight: 1,
    provider: '',
    dns: 'null_mx',
    verdicts: ['null_mx'],
    everyAddress: 'no',
  },
  no_mail_server: {
    about: 'It exists and has neither mail host nor address.',
    group: 'tail',
    weight: 1,
    provider: '',
    dns: 'nothing',
    verdicts: ['no_mail_server'],
    everyAddress: 'no',
  },
  no_such_domain: {
    about: 'It has lapsed: DNS knows no such name.',
    group: 'tail',
    weight: 5,
    provider: '',
    dns: 'absent',
    verdicts: ['domain_not_found'],
    everyAddress: 'no',
  },

  // Typos of well-known domains.
  typo_absent: {
    about: 'A misspelled, unregistered provider domain.',
    group: 'typo',
    weight: 1,
    domains: [
      'gmial.com',
      'gmai.con',
      'gmaill.con',
      'hotnail.con',
      'hotmial.com',
      'outlok.con',
      'yaho.con',
      'yhaoo.com',
      'iclod.con',
      'gmx.dee',
    ],
    provider: '',
    dns: 'absent',
    verdicts: ['domain_not_found'],
    everyAddress: 'no',
  },
  typo_parked: {
    about: 'A misspelt provider with a page of advertisements and no mail host.',
    group: 'typo',
    weight: 1,
    domains: ['gamil.com', 'hotmal.com', 'outlok.com', 'yahho.com'],
    provider: '',
    dns: 'parked',
    verdicts: ['connection_failed'],
    everyAddress: 'no',
  },
  typo_squatter: {
    about: 'A misspelt provider whose owner reads what people send there.',
    group: 'typo',
    weight: 1,
    domains: ['gmqil.com', 'hotmaik.com', 'yaoo.com', 'outloook.com'],
    provider: '',
    site: 'postfix',
    hosts: OWN,
    replies: { no: '250 2.1.5 Ok' },
    verdicts: ['catch_all'],
    everyAddress: 'yes',
  },

  // Disposable addresses.
  disposable: {
    about: 'A domain that hands out mailboxes for ten minutes and takes mail for every name.',
    group: 'disposable',
    weight: 1,
    domains: [
      'mailinator.com',
      'guerrillamail.com',
      '10minutemail.com',
      'yopmail.com',
      'trashmail.com',
      'temp-mail.org',
      'sharklasers.com',
      'getnada.com',
      'maildrop.cc',
      'dispostable.com',
    ],
    provider: '',
    site: 'postfix',
    hosts: OWN,
    replies: { no: '250 2.1.5 Ok' },
    verdicts: ['disposable'],
    everyAddress: 'yes',
  },
} as const satisfies Record<string, Behaviour>

export type BehaviourName = keyof typeof BEHAVIOURS
