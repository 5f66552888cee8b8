import type { SubStatus } from '@probity/contract/constants/validations'
import type { BehaviourName } from '@probity/lab/simulation/data/behaviours'

/** One stop of the tour: a verdict, and the kind of domain that produces it. */
export type Stop = { subStatus: SubStatus; at: BehaviourName | 'broken' }

/** In the order of the statuses. */
export const STOPS: Stop[] = [
  { subStatus: '', at: 'gmail' },
  { subStatus: '', at: 'microsoft365' },

  { subStatus: 'syntax_error', at: 'broken' },
  { subStatus: 'domain_not_found', at: 'typo_absent' },
  { subStatus: 'no_mail_server', at: 'no_mail_server' },
  { subStatus: 'null_mx', at: 'null_mx' },
  { subStatus: 'domain_not_hosted', at: 'not_hosted' },
  { subStatus: 'mailbox_not_found', at: 'gmail' },
  { subStatus: 'mailbox_not_found', at: 'microsoft365' },
  { subStatus: 'mailbox_disabled', at: 'gmail' },
  { subStatus: 'mailbox_moved', at: 'postfix' },

  { subStatus: 'catch_all', at: 'catch_all' },
  { subStatus: 'mailbox_full', at: 'gmail' },
  { subStatus: 'disposable', at: 'disposable' },

  { subStatus: 'blocked', at: 'blocked_by_list' },
  { subStatus: 'provider_unverifiable', at: 'yahoo' },
  { subStatus: 'smtputf8_unsupported', at: 'no_smtputf8' },
  { subStatus: 'not_routable', at: 'mx_private' },
  { subStatus: 'dns_failed', at: 'dns_broken' },
  { subStatus: 'connection_failed', at: 'mx_dead' },
]

/** Slow verdicts: a server with temporary errors is retried, greylisting defers, and a server that never responds times out. */
export const SLOW_STOPS: Stop[] = [
  { subStatus: 'server_error', at: 'temporary_for_ever' },
  { subStatus: '', at: 'greylisting' },
  { subStatus: 'mailbox_not_found', at: 'greylisting' },
  { subStatus: 'timeout', at: 'mx_silent' },
]
