import type { SubStatus } from '../validations.ts'

/** Prior for addresses of one class, used until outcomes are reported. */
type BaseRate = {
  /** Probability that a message sent now does not hard-bounce. */
  p: number
  /** Share of such domains that never bounce any message, whatever the recipient. */
  swallow: number
}

/**
 * The initial deliverability by reason. A definite reply of the mail server is close to its end of the scale; reasons without an SMTP
 * result are
 * in between. These are estimates until outcomes are reported, which then outweigh them. A new sub_status does not compile until it
 * has a rate.
 */
export const BASE_RATES: Record<SubStatus, BaseRate> = {
  // Servers that reject unknown recipients rarely accept a mailbox and bounce it later; some do, behind a filtering gateway.
  '': { p: 0.985, swallow: 0 },

  syntax_error: { p: 0.001, swallow: 0 },
  domain_not_found: { p: 0.005, swallow: 0 },
  no_mail_server: { p: 0.01, swallow: 0 },
  null_mx: { p: 0.001, swallow: 0 },
  domain_not_hosted: { p: 0.02, swallow: 0 },
  mailbox_not_found: { p: 0.01, swallow: 0 },
  mailbox_disabled: { p: 0.02, swallow: 0 },
  mailbox_moved: { p: 0.05, swallow: 0 },

  // A third of catch-all domains deliver mail for every address; in the others about a quarter of the addresses is invalid.
  catch_all: { p: 0.8, swallow: 0.35 },
  catch_all_untested: { p: 0.9, swallow: 0.1 },
  mailbox_full: { p: 0.4, swallow: 0 },
  disposable: { p: 0.75, swallow: 0.35 },

  // Not probed, or no reply about the mailbox: about the average of an uncleaned list.
  not_probed: { p: 0.8, swallow: 0.1 },
  timeout: { p: 0.7, swallow: 0.1 },
  greylisted: { p: 0.8, swallow: 0.1 },
  rate_limited: { p: 0.8, swallow: 0.1 },
  blocked: { p: 0.8, swallow: 0.1 },
  policy_rejected: { p: 0.6, swallow: 0.05 },
  provider_unverifiable: { p: 0.8, swallow: 0 },
  server_error: { p: 0.6, swallow: 0.05 },
  internal_error: { p: 0.8, swallow: 0.1 },
  // Nothing was checked, not even the syntax.
  not_started: { p: 0.5, swallow: 0 },
  sandbox_unmapped: { p: 0.5, swallow: 0 },

  // A technical problem that may affect other senders as well.
  dns_failed: { p: 0.4, swallow: 0 },
  connection_failed: { p: 0.35, swallow: 0 },
  not_routable: { p: 0.1, swallow: 0 },
  smtputf8_unsupported: { p: 0.2, swallow: 0 },
  address_literal: { p: 0.3, swallow: 0 },
}

/** Rates of providers whose mailboxes are known to differ from the average. */
export const PROVIDER_RATES: Partial<Record<SubStatus, Record<string, number>>> = {
  // Companies that pay per mailbox keep few unused ones, and addresses of former employees often remain as aliases.
  catch_all: { google: 0.85, microsoft365: 0.85 },
  // They accept every recipient and bounce later, and their addresses come from sign-up forms.
  provider_unverifiable: { yahoo: 0.75 },
}

/** The other parameters of the model. */
export const MODEL_PARAMETERS = {
  /** Bounds of every probability. */
  p_min: 0.001,
  p_max: 0.999,
  /** Probability of delivery to an existing mailbox, or to a domain that never bounces. */
  p_delivered: 0.99,
  /**
   * The weight of a prior, in reported outcomes: for the rate of a class, for the rate of a domain, and for the share of domains that never
   * bounce.
   */
  base_weight: 50,
  domain_weight: 3,
  swallow_weight: 50,
  /** Number of days after which an outcome counts half. */
  half_life_days: 180,
  /**
   * Shares among invalid addresses: machine-made or random ones while few bounces are known, the upper bound when many are known, and
   * addresses
   * that were guessed from a name.
   */
  machine_share: 0.1,
  machine_share_max: 0.7,
  guess_share: 0.25,
  /** Limit of the log-odds that the string model contributes. */
  string_clip: 6,
  /** Minimum number of known deliveries at a domain before its address pattern is used. */
  pattern_min: 5,
  pattern_weight: 4,
  /** Limit of the likelihood ratio between two shapes. */
  pattern_ratio_max: 8,
  /** Log-odds from which the model counts as used in a result. */
  used_min: 0.05,
  /** Without a decisive SMTP reply, the minimum number of outcomes at the domain for an address to be safe to send. */
  safe_outcomes_min: 5,
  /** Maximum weight of one account's outcomes at a domain for other accounts, if the operator shares feedback. */
  shared_weight_max: 5,
  /** With a larger calibration error over this many outcomes, predictions are replaced by the base rates. */
  ece_max: 0.05,
  ece_outcomes_min: 500,
} as const

/** Minimum deliverability of an address that is safe to send by default: a bounce tolerance of three percent. */
export const SEND_THRESHOLD_DEFAULT = 0.97
