import type { Status, SubStatus, Trait } from '../validations.ts'

/** Decisions of a policy. */
export const DECISIONS = {
  allow: 'accept the address.',
  review: 'accept it with care: request a confirmation, validate again later, or review it manually.',
  block: 'reject the address.',
} as const satisfies Record<string, string>

export type Decision = keyof typeof DECISIONS

/** The part of a policy that decides. */
export type PolicyRules = {
  readonly rules: readonly PolicyRule[]
  readonly default: { readonly decision: Decision; readonly reason: string }
}

export type PolicyRule = { readonly when: PolicyWhen; readonly decision: Decision; readonly reason: string }

export type PolicyWhen = {
  readonly status?: readonly Status[]
  readonly sub_status?: readonly SubStatus[]
  readonly traits?: readonly Trait[]
  readonly safe_to_send?: boolean
  readonly deliverability_from?: number
  readonly deliverability_below?: number
}

/** Built-in policies by purpose of the address. None blocks an address because its result is unknown. */
export const BUILT_IN_POLICIES = {
  // No rule uses the SMTP result: a form that did would reveal to any visitor whether a mailbox exists.
  signup: {
    description: 'For sign-up forms. Does not show whether the mailbox exists; use a confirmation email for that.',
    rules: [
      { when: { sub_status: ['syntax_error'] }, decision: 'block', reason: 'This is not an email address.' },
      {
        when: { sub_status: ['domain_not_found', 'no_mail_server', 'null_mx'] },
        decision: 'block',
        reason: 'This domain does not accept email.',
      },
      {
        when: { traits: ['disposable'] },
        decision: 'block',
        reason: 'Disposable email addresses are not accepted.',
      },
      {
        when: { traits: ['machine_generated'] },
        decision: 'review',
        reason: 'The address looks auto-generated.',
      },
    ],
    default: { decision: 'allow', reason: 'No issues found. Ask the user to confirm the address by email.' },
  },
  newsletter: {
    description: 'For newsletters and campaigns, where bounces harm the sender reputation.',
    rules: [
      { when: { status: ['invalid'] }, decision: 'block', reason: 'Mail to this address bounces.' },
      {
        when: { traits: ['disposable'] },
        decision: 'block',
        reason: 'The address is disposable; mail is unlikely to be read.',
      },
      {
        when: { traits: ['role_based'] },
        decision: 'review',
        reason: 'Role address: several people may read it, and not all of them subscribed.',
      },
      {
        when: { traits: ['machine_generated'] },
        decision: 'review',
        reason: 'The address looks auto-generated; it may be a spam trap or a fake sign-up.',
      },
      {
        when: { status: ['risky', 'unknown'], deliverability_from: 0.97 },
        decision: 'allow',
        reason: 'Not confirmed by the mail server, but mail to similar addresses is delivered.',
      },
      {
        when: { status: ['risky'] },
        decision: 'review',
        reason: 'Mail may be delivered, but there is a known risk.',
      },
      {
        when: { status: ['unknown'] },
        decision: 'review',
        reason: 'The address could not be validated. Validate it again before you send.',
      },
    ],
    default: { decision: 'allow', reason: 'The mail server accepts mail for this mailbox.' },
  },
  transactional: {
    description: 'For transactional email, such as receipts and password resets.',
    rules: [
      { when: { status: ['invalid'] }, decision: 'block', reason: 'Mail to this address bounces.' },
      {
        when: { sub_status: ['mailbox_full'] },
        decision: 'review',
        reason: 'The mailbox is full. Send later, or contact the recipient in another way.',
      },
    ],
    default: { decision: 'allow', reason: 'No evidence that delivery will fail.' },
  },
} as const satisfies Record<string, PolicyRules & { description: string }>
