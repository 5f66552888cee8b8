import type { SubStatus } from '../validations.ts'

/** What is assumed of addresses of one class before anybody has reported an outcome. */
type BaseRate = {
  /** The chance that a message sent now draws no hard bounce. */
  p: number
  /** The share of such domains that never bounce anything, whoever is written to. */
  swallow: number
}

/**
 * What the chance starts from, by what the checks came to. The mail server's own yes or no stands near its end of the scale and
 * stays there; in between are those that nobody could ask. These are judgements until outcomes are reported, which then outweigh
 * them. A new sub_status does not compile until it has a rate.
 */
export const BASE_RATES: Record<SubStatus, BaseRate> = {
  // Servers that refuse others rarely accept a mailbox and bounce it later; some do, behind a filter in front of the real one.
  '': { p: 0.985, swallow: 0 },

  syntax_error: { p: 0.001, swallow: 0 },
  domain_not_found: { p: 0.005, swallow: 0 },
  no_mail_server: { p: 0.01, swallow: 0 },
  null_mx: { p: 0.001, swallow: 0 },
  domain_not_hosted: { p: 0.02, swallow: 0 },
  mailbox_not_found: { p: 0.01, swallow: 0 },
  mailbox_disabled: { p: 0.02, swallow: 0 },
  mailbox_moved: { p: 0.05, swallow: 0 },

  // A third of domains that accept everybody deliver everything to somebody; in the others about a quarter is bad.
  catch_all: { p: 0.8, swallow: 0.35 },
  catch_all_untested: { p: 0.9, swallow: 0.1 },
  mailbox_full: { p: 0.4, swallow: 0 },
  disposable: { p: 0.75, swallow: 0.35 },

  // Nobody was asked, or said anything of the mailbox: about what a list has that nobody has cleaned.
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

  // Something is broken on the way, and may be so for whoever sends, too.
  dns_failed: { p: 0.4, swallow: 0 },
  connection_failed: { p: 0.35, swallow: 0 },
  not_routable: { p: 0.1, swallow: 0 },
  smtputf8_unsupported: { p: 0.2, swallow: 0 },
  address_literal: { p: 0.3, swallow: 0 },
}

/** Where a provider's mailboxes are known to differ from everybody's. */
export const PROVIDER_RATES: Partial<Record<SubStatus, Record<string, number>>> = {
  // Companies that rent mailboxes let few of them go stale; who leaves is often kept as an alias.
  catch_all: { google: 0.85, microsoft365: 0.85 },
  // They accept every recipient and bounce later, and their addresses come from sign-up forms.
  provider_unverifiable: { yahoo: 0.75 },
}

/** What else the chance is made of. */
export const MODEL_PARAMETERS = {
  /** No claim is surer than this. */
  p_min: 0.001,
  p_max: 0.999,
  /** A message to a mailbox that is there, or to a domain that swallows everything, still fails this seldom. */
  p_delivered: 0.99,
  /** For so many reported outcomes of its class a base rate counts, for so many of its domain, and if it swallows everything. */
  base_weight: 50,
  domain_weight: 3,
  swallow_weight: 50,
  /** After so many days an outcome counts half. */
  half_life_days: 180,
  /**
   * Of addresses that are bad: the share that a machine or a fist made, as long as few bounces are known, and its bound when many
   * are; and the share that somebody guessed from a name.
   */
  machine_share: 0.1,
  machine_share_max: 0.7,
  guess_share: 0.25,
  /** The string model is believed up to these log-odds. */
  string_clip: 6,
  /** Before so many deliveries are known of a domain, how it names its mailboxes is nobody's business. */
  pattern_min: 5,
  pattern_weight: 4,
  /** One shape may be so many times likelier or less likely than another, and no more. */
  pattern_ratio_max: 8,
  /** The model had a part in a result from so many log-odds on. */
  used_min: 0.05,
  /** Where the mail server did not decide, so many outcomes of the domain are the least that makes an address safe to send to. */
  safe_outcomes_min: 5,
  /** What one account's outcomes may weigh at a domain for the others, where the operator has them shared. */
  shared_weight_max: 5,
  /** Predictions that are further off than this, over so many outcomes, are given up for the base rates. */
  ece_max: 0.05,
  ece_outcomes_min: 500,
} as const

/** From this chance on an address is safe to send to, where an account has not said otherwise: three bounces in a hundred. */
export const SEND_THRESHOLD_DEFAULT = 0.97
