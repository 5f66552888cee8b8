/** The four verdicts and what each one means for the caller. */
export const STATUSES = {
  valid: 'the mail server accepts mail for this mailbox.',
  invalid: 'mail to this address cannot be delivered; we were told so, or the address rules it out.',
  risky: 'mail may be accepted, but there is a known reason to hesitate.',
  unknown: 'we could not find out. This says nothing against the address.',
} as const satisfies Record<string, string>

export type Status = keyof typeof STATUSES

/** Why a status was given. Every reason belongs to exactly one status; a valid address needs none. */
export const SUB_STATUSES = {
  '': { status: 'valid', meaning: 'nothing to add: the address is valid.' },

  syntax_error: { status: 'invalid', meaning: 'the text is not an email address.' },
  domain_not_found: { status: 'invalid', meaning: 'DNS says that the domain does not exist.' },
  no_mail_server: { status: 'invalid', meaning: 'the domain exists but names no server that takes mail.' },
  null_mx: { status: 'invalid', meaning: 'the domain declares that it takes no mail (RFC 7505).' },
  domain_not_hosted: { status: 'invalid', meaning: 'the mail server says that it does not serve this domain.' },
  mailbox_not_found: { status: 'invalid', meaning: 'the mail server says that there is no such mailbox.' },
  mailbox_disabled: { status: 'invalid', meaning: 'the mailbox exists but has been switched off.' },
  mailbox_moved: { status: 'invalid', meaning: 'the mailbox has moved to another address.' },

  catch_all: { status: 'risky', meaning: 'the domain accepts every address, so this one cannot be told apart.' },
  catch_all_untested: {
    status: 'risky',
    meaning: 'the mail server accepted the address; whether it accepts every address was not tested, as asked.',
  },
  mailbox_full: { status: 'risky', meaning: 'the mailbox exists but has no room at the moment.' },
  disposable: { status: 'risky', meaning: 'the domain hands out addresses that are thrown away after use.' },

  not_probed: { status: 'unknown', meaning: 'the mail server was not asked.' },
  not_started: {
    status: 'unknown',
    meaning: 'no worker claimed the address before the timeout, so validation did not start. The credit is refunded.',
  },
  dns_failed: { status: 'unknown', meaning: 'DNS gave no usable answer for the domain.' },
  not_routable: {
    status: 'unknown',
    meaning: 'the mail servers have addresses that the public internet cannot reach.',
  },
  connection_failed: { status: 'unknown', meaning: 'no mail server of the domain could be connected to.' },
  timeout: { status: 'unknown', meaning: 'the time allowed ran out before the mail server answered.' },
  greylisted: {
    status: 'unknown',
    meaning: 'the mail server asked us to come back later, as it does with every newcomer.',
  },
  rate_limited: { status: 'unknown', meaning: 'the mail server takes no more questions from us for now.' },
  blocked: { status: 'unknown', meaning: 'the mail server refuses us, not the mailbox.' },
  policy_rejected: {
    status: 'unknown',
    meaning: 'the mail server rejected the probe for policy reasons unrelated to the mailbox.',
  },
  provider_unverifiable: {
    status: 'unknown',
    meaning: 'this provider gives the same answer whether or not a mailbox exists.',
  },
  smtputf8_unsupported: {
    status: 'unknown',
    meaning: 'the address needs SMTPUTF8 and the mail server does not offer it.',
  },
  address_literal: { status: 'unknown', meaning: 'the domain is a bare IP address, which we do not ask.' },
  server_error: { status: 'unknown', meaning: 'the mail server broke off or answered with an error of its own.' },
  internal_error: { status: 'unknown', meaning: 'something failed on our side.' },
  sandbox_unmapped: {
    status: 'unknown',
    meaning: 'a test key was used with an address that the sandbox has no answer for.',
  },
} as const satisfies Record<string, { status: Status; meaning: string }>

export type SubStatus = keyof typeof SUB_STATUSES

/** The reasons that go with one status, so that a wrong pair does not compile. */
export type SubStatusesOf<S extends Status> = {
  [Reason in SubStatus]: (typeof SUB_STATUSES)[Reason]['status'] extends S ? Reason : never
}[SubStatus]

/** The score of a status: the probability of delivery, or for `invalid` the probability of a hard bounce. */
export function confidenceIn(status: Status, deliverability: number): number {
  // Six digits, as `deliverability` has: digits beyond them are rounding errors of the subtraction.
  return status === 'invalid' ? Math.round((1 - deliverability) * 1e6) / 1e6 : deliverability
}
