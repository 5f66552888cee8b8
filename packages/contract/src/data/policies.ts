import type { PolicyRules } from '../policies.ts'

/**
 * What the service itself would do with a result, by what the address is wanted for. None turns anybody away for what could not be
 * found out.
 */
export const BUILT_IN_POLICIES = {
  // Nothing here goes by what a mail server said of the mailbox: a form that did would tell everybody who has an account where.
  signup: {
    description: 'For a sign-up form. Says nothing of whether the mailbox exists: a message that asks to confirm does.',
    rules: [
      { when: { sub_status: ['syntax_error'] }, decision: 'block', reason: 'This is not an email address.' },
      {
        when: { sub_status: ['domain_not_found', 'no_mail_server', 'null_mx'] },
        decision: 'block',
        reason: 'The domain of this address takes no mail.',
      },
      {
        when: { traits: ['disposable'] },
        decision: 'block',
        reason: 'Addresses of this domain are thrown away after use.',
      },
      {
        when: { traits: ['machine_generated'] },
        decision: 'review',
        reason: 'The address looks made by a machine, as those of sign-ups by programs do.',
      },
    ],
    default: { decision: 'allow', reason: 'Nothing speaks against it. Ask the person to confirm it by mail.' },
  },
  newsletter: {
    description: 'For mail to many, where every bounce costs reputation.',
    rules: [
      { when: { status: ['invalid'] }, decision: 'block', reason: 'Mail to this address comes back.' },
      {
        when: { traits: ['disposable'] },
        decision: 'block',
        reason: 'The address is thrown away after use, so that nobody reads on.',
      },
      {
        when: { traits: ['role_based'] },
        decision: 'review',
        reason: 'Several people read this mailbox, and not all of them asked for the mail.',
      },
      {
        when: { traits: ['machine_generated'] },
        decision: 'review',
        reason: 'The address looks made by a machine, as traps and false sign-ups do.',
      },
      {
        when: { status: ['risky', 'unknown'], deliverability_from: 0.97 },
        decision: 'allow',
        reason: 'No mail server vouched for the mailbox, but mail to addresses like it arrives.',
      },
      {
        when: { status: ['risky'] },
        decision: 'review',
        reason: 'Mail may arrive, but there is a known reason to hesitate.',
      },
      {
        when: { status: ['unknown'] },
        decision: 'review',
        reason: 'Nobody could find out about this address. Ask again before the mail goes out.',
      },
    ],
    default: { decision: 'allow', reason: 'The mail server accepts mail for this mailbox.' },
  },
  transactional: {
    description: 'For a message that one person waits for, such as a receipt or a new password.',
    rules: [
      { when: { status: ['invalid'] }, decision: 'block', reason: 'Mail to this address comes back.' },
      {
        when: { sub_status: ['mailbox_full'] },
        decision: 'review',
        reason: 'The mailbox has no room at the moment. Send later, or reach the person in another way.',
      },
    ],
    default: { decision: 'allow', reason: 'Somebody waits for this message, and nothing shows that it cannot arrive.' },
  },
} as const satisfies Record<string, PolicyRules & { description: string }>
