import type { SubStatus } from '../validations.ts'

/** The recommended action for each reason. A new reason does not compile until it has a row here. */
export const NEXT_STEPS = {
  '': 'Send if `safe_to_send` is true. If it is false, the settings of the account exclude the address: do not send, or send with care.',

  syntax_error: 'Do not send. Request the address again; `did_you_mean` may have a correction.',
  domain_not_found: 'Do not send. Check the domain for a typo; `did_you_mean` may have a correction.',
  no_mail_server: 'Do not send. Request another address.',
  null_mx: 'Do not send. The domain accepts no mail, so request another address.',
  domain_not_hosted:
    'Do not send. The domain may have moved, so validate again in a few days before you remove the address.',
  mailbox_not_found: 'Do not send, and remove the address: bounces of this kind harm your sender reputation.',
  mailbox_disabled: 'Do not send. Request another address.',
  mailbox_moved: 'Do not send. Request the new address.',

  catch_all:
    'Use `deliverability`: send to likely addresses in small numbers, and report bounces to improve later estimates.',
  catch_all_untested: 'Validate again with `catchall` on, or use `deliverability` as it is.',
  mailbox_full: 'Keep the address and validate again in a week. A mailbox that stays full is probably abandoned.',
  disposable: 'Do not rely on the address. In a sign-up form, request a permanent address.',

  not_probed:
    'Validate again later, or contact the operator: the installation cannot reach mail servers, does not probe, or the domain owner opted out (`opted_out` in the evidence). With `domain_limit` in the evidence, validate again on the next UTC day. The credit is refunded if a probe was to be made.',
  not_started:
    'Send the request again, with a new `Idempotency-Key` if you use one. If it happens again, no worker is running or all workers are busy: contact the operator.',
  dns_failed:
    'Validate again later. If it fails for days, the domain is not maintained. If the evidence has `resolver_untrusted`, contact the operator: the resolver of the installation is broken.',
  not_routable: 'Request another address: this one cannot be reached from the public internet.',
  connection_failed: 'Validate again later. If it fails for days, the domain no longer accepts mail.',
  timeout: 'Validate the same address again, or set a longer `timeout`: the validation continues in the meantime.',
  greylisted: 'Validate again from `retry_at` on. A job does this automatically.',
  rate_limited: 'Validate again later. A job does this automatically.',
  blocked:
    'Contact the operator, who should check the reputation of the egress IP addresses. Do not remove the address.',
  policy_rejected: 'Do not remove the address. Send with care if you know the recipient.',
  provider_unverifiable: 'No validation can determine the result. Send a message that requests a confirmation.',
  smtputf8_unsupported: 'Request an ASCII address: most senders cannot reach this one either.',
  address_literal: 'Request an address with a domain name.',
  server_error: 'Validate again later.',
  internal_error: 'Validate again later. If it happens again, send the id of the result to the operator.',
  sandbox_unmapped: 'Use a live key for real addresses, or an address that the sandbox maps.',
} as const satisfies Record<SubStatus, string>
