import { type Behaviour, MICROSOFT365_REPLIES, OWN, OWN_TWO, POSTFIX_REPLIES } from './behaviours.ts'

/** A lie that a resolver tells whatever the question: no name exists, every query fails, every name has an address. */
export type ResolverLie = 'nxdomain' | 'servfail' | 'wildcard'

/** Domains whose servers mislead a validator, with the limits of a correct one. */
export type World = {
  about: string
  /** The largest share of addresses whose result is unknown. In a world with 0, no result may be. */
  unknownMax: number
  /** The most RCPT commands per address, control recipients included. */
  rcptPerAddressMax: number
  /**
   * The addresses are validated in two rounds with a pause, so that what the first one taught counts in the second. The
   * first has only existing addresses.
   */
  rounds?: 2
  resolver?: ResolverLie
  /** How many times faster everything waits and expires: the servers, and the engine that a benchmark runs. */
  timeFactor?: number
  /** How long a block suspends a site. As long as for a real provider, where other domains must not notice it. */
  suspendS?: number
}

export const WORLDS = {
  backup_accepts_all_0: {
    about: 'A truthful server, and a backup that accepts every recipient.',
    unknownMax: 0,
    rcptPerAddressMax: 1.3,
  },
  backup_accepts_all_50: {
    about: 'A backup that accepts every recipient, for a truthful server that refuses connections half of the time.',
    unknownMax: 0.05,
    rcptPerAddressMax: 1.3,
    rounds: 2,
  },
  backup_accepts_all_100: {
    about: 'A backup that accepts every recipient, for a truthful server that always refuses connections.',
    unknownMax: 1,
    rcptPerAddressMax: 1.3,
  },
  backup_true: {
    about: 'The first server refuses connections, its backup is truthful.',
    unknownMax: 0,
    rcptPerAddressMax: 1.2,
  },
  ban_text: {
    about: 'A truthful server that rejects every recipient of a client after the first twelve.',
    unknownMax: 0.6,
    rcptPerAddressMax: 1.5,
    rounds: 2,
  },
  ban_text_catch_all: {
    about: 'A catch-all that rejects every recipient of a client after the first twelve.',
    unknownMax: 1,
    rcptPerAddressMax: 1.5,
  },
  relay_one: {
    about: 'One mailbox of a domain is rejected as if the domain were not hosted.',
    unknownMax: 0.05,
    rcptPerAddressMax: 1.1,
  },
  not_hosted: {
    about: 'No mail host of a domain hosts it.',
    unknownMax: 0,
    rcptPerAddressMax: 1.6,
  },
  control_only: {
    about: 'A truthful server that blocks recipients on no list.',
    unknownMax: 0.05,
    rcptPerAddressMax: 1.2,
  },
  control_only_catch_all: {
    about: 'A catch-all that blocks names on no list.',
    unknownMax: 1,
    rcptPerAddressMax: 1.2,
  },
  gibberish_filter: {
    about: 'A catch-all that rejects names without a vowel as unknown.',
    unknownMax: 0,
    rcptPerAddressMax: 1.1,
  },
  catch_all_left: {
    about: 'A catch-all that rejects a few names that have left.',
    unknownMax: 0,
    rcptPerAddressMax: 1.1,
  },
  partial_outage: {
    about: 'One of two equal hosts closes after its greeting, and the other ends three in ten sessions with 421.',
    unknownMax: 0.02,
    rcptPerAddressMax: 1.5,
  },
  hosts_disagree_accepts: {
    about: 'One of two equal hosts is truthful, the other one accepts every recipient.',
    unknownMax: 0.1,
    rcptPerAddressMax: 1.6,
  },
  hosts_disagree_rejects: {
    about: 'One of two equal hosts is truthful, the other one knows no recipient.',
    unknownMax: 0.1,
    rcptPerAddressMax: 1.6,
  },
  tenant_block: {
    about: 'One of thirty customers of Microsoft 365 blocks us by a rule of its own.',
    unknownMax: 1 / 30,
    rcptPerAddressMax: 1.1,
    rounds: 2,
    suspendS: 3_600,
  },
  resolver_lies_nxdomain: {
    about: 'The resolver answers every query with NXDOMAIN.',
    unknownMax: 1,
    rcptPerAddressMax: 0,
    resolver: 'nxdomain',
  },
  resolver_lies_servfail: {
    about: 'The resolver answers every query with SERVFAIL.',
    unknownMax: 1,
    rcptPerAddressMax: 0,
    resolver: 'servfail',
  },
  resolver_lies_wildcard: {
    about: 'The resolver has an address for every name, as a captive portal does.',
    unknownMax: 1,
    rcptPerAddressMax: 0,
    resolver: 'wildcard',
  },
} as const satisfies Record<string, World>

export type WorldName = keyof typeof WORLDS

type HardBehaviour = Behaviour & { group: 'hard'; world: WorldName }

/** Domains of each world, when all are alike. */
const DOMAINS = 20
const HALF = DOMAINS / 2

const HARD = { group: 'hard', weight: DOMAINS, provider: '', site: 'postfix', hosts: OWN } as const

const ACCEPTS_ALL = { replies: { no: '250 2.1.5 Ok' } } as const
const KNOWS_NONE = { always: '550 5.1.1 <{rcpt}>: Recipient address rejected: User unknown' } as const

const CATCH_ALL = { ...HARD, ...ACCEPTS_ALL, verdicts: ['catch_all'] } as const
const TRUTHFUL = { ...HARD, replies: { no: POSTFIX_REPLIES.no } } as const
const TENANT = {
  ...HARD,
  world: 'tenant_block',
  provider: 'microsoft365',
  site: 'microsoft365',
  hosts: [[0, '{dashed}.mail.protection.outlook.com']],
  replies: MICROSOFT365_REPLIES,
} as const

/**
 * The domains of the worlds. Those of one world have the same name as their world, or one that begins with it. Where equal hosts differ, half
 * of the domains have them in the other order: it must not matter which name a client tries first.
 */
export const HARD_BEHAVIOURS = {
  backup_accepts_all_0: {
    ...TRUTHFUL,
    about: 'A backup that accepts every recipient, and is not needed.',
    world: 'backup_accepts_all_0',
    hosts: [
      [10, 'mx1.{domain}'],
      [20, 'mx2.{domain}', ACCEPTS_ALL],
    ],
  },
  backup_accepts_all_50: {
    ...TRUTHFUL,
    about: 'A backup that accepts every recipient, and is needed half of the time.',
    world: 'backup_accepts_all_50',
    hosts: [
      [10, 'mx1.{domain}', { site: 'half_closed' }],
      [20, 'mx2.{domain}', ACCEPTS_ALL],
    ],
  },
  backup_accepts_all_100: {
    ...TRUTHFUL,
    about: 'A backup that accepts every recipient, and is always needed.',
    world: 'backup_accepts_all_100',
    hosts: [
      [10, 'mx1.{domain}', 'closed'],
      [20, 'mx2.{domain}', ACCEPTS_ALL],
    ],
    verdicts: ['connection_failed'],
  },
  backup_true: {
    ...TRUTHFUL,
    about: 'A truthful backup of a server that refuses connections.',
    world: 'backup_true',
    hosts: [
      [10, 'mx1.{domain}', 'closed'],
      [20, 'mx2.{domain}'],
    ],
  },
  ban_text: {
    ...TRUTHFUL,
    about: 'A truthful server that bans a client in reply to RCPT.',
    world: 'ban_text',
    ban: { after: 12, of: 'recipients', forMs: 600_000, reply: '550 Rejected' },
  },
  ban_text_catch_all: {
    ...CATCH_ALL,
    about: 'A catch-all that bans a client in reply to RCPT.',
    world: 'ban_text_catch_all',
    ban: { after: 12, of: 'recipients', forMs: 600_000, reply: '550 Blocked' },
  },
  relay_one: {
    ...TRUTHFUL,
    about: 'Hides the address of one mailbox behind the reply of a server that does not host the domain.',
    world: 'relay_one',
    hosts: [
      [10, 'mx1.{domain}'],
      [10, 'mx2.{domain}'],
    ],
    special: [
      { count: 1, exists: 'yes', reply: '554 5.7.1 <{rcpt}>: Relay access denied', verdict: 'policy_rejected' },
    ],
  },
  not_hosted_by_two: {
    ...HARD,
    about: 'Two mail hosts that have never heard of it.',
    world: 'not_hosted',
    hosts: OWN_TWO,
    always: '554 5.7.1 <{rcpt}>: Relay access denied',
    verdicts: ['domain_not_hosted'],
    everyAddress: 'no',
  },
  control_only: {
    ...TRUTHFUL,
    about: 'Rejects recipients on no list with the text of a block.',
    world: 'control_only',
    weight: HALF,
    filter: { of: 'unlisted', reply: '550 Blocked' },
  },
  control_only_by_network: {
    ...TRUTHFUL,
    about: 'Rejects recipients on no list with a text about our network.',
    world: 'control_only',
    weight: HALF,
    filter: { of: 'unlisted', reply: '554 Host network not allowed' },
  },
  control_only_catch_all: {
    ...CATCH_ALL,
    about: 'A catch-all that rejects names on no list with the text of a block.',
    world: 'control_only_catch_all',
    weight: HALF,
    filter: { of: 'unlisted_name', reply: '550 Blocked' },
  },
  control_only_catch_all_by_network: {
    ...CATCH_ALL,
    about: 'A catch-all that rejects names on no list with a text about our network.',
    world: 'control_only_catch_all',
    weight: HALF,
    filter: { of: 'unlisted_name', reply: '554 Host network not allowed' },
  },
  gibberish_filter: {
    ...CATCH_ALL,
    about: 'A catch-all that takes consonants for a machine.',
    world: 'gibberish_filter',
    filter: { of: 'gibberish', reply: '550 5.1.1 <{rcpt}>: Recipient address rejected: User unknown' },
  },
  catch_all_left: {
    ...CATCH_ALL,
    about: 'A hosting panel whose catch-all has a list of names to fail.',
    world: 'catch_all_left',
    special: [
      { count: 2, exists: 'no', reply: '550 No such user here', verdict: 'mailbox_not_found' },
      { count: 1, exists: 'disabled', reply: POSTFIX_REPLIES.disabled, verdict: 'mailbox_disabled' },
      { count: 1, exists: 'full', reply: POSTFIX_REPLIES.full, verdict: 'mailbox_full' },
    ],
  },
  partial_outage: {
    ...TRUTHFUL,
    about: 'Of two equal hosts the first is broken.',
    world: 'partial_outage',
    weight: HALF,
    hosts: [
      [10, 'mx1.{domain}', { site: 'closes_after_greeting' }],
      [10, 'mx2.{domain}', { site: 'drops_sessions' }],
    ],
  },
  partial_outage_of_second: {
    ...TRUTHFUL,
    about: 'Of two equal hosts the second is broken.',
    world: 'partial_outage',
    weight: HALF,
    hosts: [
      [10, 'mx1.{domain}', { site: 'drops_sessions' }],
      [10, 'mx2.{domain}', { site: 'closes_after_greeting' }],
    ],
  },
  hosts_disagree_accepts: {
    ...TRUTHFUL,
    about: 'Of two equal hosts the first accepts every recipient.',
    world: 'hosts_disagree_accepts',
    weight: HALF,
    hosts: [
      [10, 'mx1.{domain}', ACCEPTS_ALL],
      [10, 'mx2.{domain}'],
    ],
  },
  hosts_disagree_accepts_second: {
    ...TRUTHFUL,
    about: 'Of two equal hosts the second accepts every recipient.',
    world: 'hosts_disagree_accepts',
    weight: HALF,
    hosts: [
      [10, 'mx1.{domain}'],
      [10, 'mx2.{domain}', ACCEPTS_ALL],
    ],
  },
  hosts_disagree_rejects: {
    ...TRUTHFUL,
    about: 'Of two equal hosts the first knows no recipient.',
    world: 'hosts_disagree_rejects',
    weight: HALF,
    hosts: [
      [10, 'mx1.{domain}', KNOWS_NONE],
      [10, 'mx2.{domain}'],
    ],
  },
  hosts_disagree_rejects_second: {
    ...TRUTHFUL,
    about: 'Of two equal hosts the second knows no recipient.',
    world: 'hosts_disagree_rejects',
    weight: HALF,
    hosts: [
      [10, 'mx1.{domain}'],
      [10, 'mx2.{domain}', KNOWS_NONE],
    ],
  },
  tenant_block: {
    ...TENANT,
    about: 'A customer of Microsoft 365 whose rule blocks us.',
    weight: 1,
    always: '550 5.7.1 This message was blocked by your organization. [{host}]',
    verdicts: ['blocked'],
  },
  tenant_block_others: {
    ...TENANT,
    about: 'A customer of Microsoft 365 without that rule.',
    weight: 29,
  },
  resolver_lies_nxdomain: {
    ...TRUTHFUL,
    about: 'A truthful server that a resolver hides.',
    world: 'resolver_lies_nxdomain',
    verdicts: ['dns_failed'],
  },
  resolver_lies_servfail: {
    ...TRUTHFUL,
    about: 'A truthful server that a broken resolver does not find.',
    world: 'resolver_lies_servfail',
    verdicts: ['dns_failed'],
  },
  resolver_lies_wildcard: {
    ...TRUTHFUL,
    about: 'A truthful server in whose place a resolver names another.',
    world: 'resolver_lies_wildcard',
    verdicts: ['dns_failed', 'connection_failed'],
  },
} as const satisfies Record<string, HardBehaviour>

export type HardBehaviourName = keyof typeof HARD_BEHAVIOURS
