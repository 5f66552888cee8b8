import type { SubStatus } from '../status.ts'

/** What somebody who was given this reason can do about it. A new reason does not compile until it has a row here. */
export const NEXT_STEPS = {
  '': 'Send where `safe_to_send` is true. Where it is not, the account leaves such addresses out: send with care, or not at all.',

  syntax_error: 'Do not send. Ask for the address again; `did_you_mean` may hold what was meant.',
  domain_not_found: 'Do not send. Look for a slip in the domain; `did_you_mean` may hold what was meant.',
  no_mail_server: 'Do not send. Ask for another address.',
  null_mx: 'Do not send. The owner of the domain wants no mail there, so ask for another address.',
  domain_not_hosted: 'Do not send. The domain may have moved, so ask again in a few days before you remove it.',
  mailbox_not_found: 'Do not send, and take the address off the list: each such bounce harms your standing.',
  mailbox_disabled: 'Do not send. Ask the person for another address.',
  mailbox_moved: 'Do not send. Ask the person for the new address.',

  catch_all:
    'Go by `deliverability`: send to likely ones a few at a time, and report bounces so that the next estimate is better.',
  catch_all_untested: 'Ask again with `catchall` on, or go by `deliverability` as it is.',
  mailbox_full: 'Keep the address and try again in a week. One that stays full is probably abandoned.',
  disposable: 'Do not count on it to last. At a sign-up, ask for an address that the person keeps.',

  not_probed:
    'Validate again later, or ask the operator: the installation cannot reach mail servers, does not probe, or the owner of the domain opted out (`opted_out` in the evidence). It costs nothing where it could not.',
  not_started:
    'Send the request again, with a new `Idempotency-Key` if you use one. If it happens again, no worker is running or all workers are busy: tell the operator.',
  dns_failed: 'Ask again later. If it goes on for days, the domain is neglected.',
  not_routable: 'Ask for another address: from the public internet nobody reaches this one.',
  connection_failed: 'Ask again later. If it goes on for days, the domain no longer takes mail.',
  timeout: 'Ask again for the same address, or with a longer `timeout`: the work goes on meanwhile.',
  greylisted: 'Ask again from `retry_at` on. In a list this happens by itself.',
  rate_limited: 'Ask again later. In a list this happens by itself.',
  blocked: 'Ask the operator to look at the reputation of the sending addresses. Do not remove the address for it.',
  policy_rejected: 'Do not remove the address for it. Send with care if you know the person.',
  provider_unverifiable: 'No check can tell. Send a message that asks for a confirmation.',
  smtputf8_unsupported: 'Ask for an address in plain ASCII: most senders cannot reach this one either.',
  address_literal: 'Ask for an address with a domain name.',
  server_error: 'Ask again later.',
  internal_error: 'Ask again later. If it goes on, tell the operator the id of the result.',
  sandbox_unmapped: 'Use a live key for real addresses, or one of the names that the sandbox knows.',
} as const satisfies Record<SubStatus, string>
