import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import { expect, test } from 'vitest'
import { parseAddress } from '../address/parse.ts'
import type { MailHosts } from '../domain/mail-hosts.ts'
import type { Finding, ProbeResult } from '../smtp/probe/result.ts'
import type { Reason } from '../smtp/replies/rules.ts'
import { decide, type Findings } from './decide.ts'

const HOSTS: MailHosts = { kind: 'hosts', source: 'mx', hosts: [{ name: 'mx.example.com', preference: 10 }] }
const NONE = (reason: 'domain_not_found' | 'no_mail_server' | 'null_mx'): MailHosts => ({ kind: 'none', reason })
const FAILED: MailHosts = { kind: 'unknown', reason: 'dns_failed', failure: 'timeout' }
const UNROUTABLE: MailHosts = { kind: 'unroutable', reason: 'not_routable' }

function findings(email: string, more: Partial<Findings> = {}): Findings {
  return { address: parseAddress(email), isRole: false, ...more }
}

test.each<[string, Findings, SubStatus]>([
  ['what is no address', findings('nonsense'), 'syntax_error'],
  ['a domain that does not exist', findings('a@example.com', { mail: NONE('domain_not_found') }), 'domain_not_found'],
  ['a domain without a mail server', findings('a@example.com', { mail: NONE('no_mail_server') }), 'no_mail_server'],
  ['a domain with a null MX', findings('a@example.com', { mail: NONE('null_mx') }), 'null_mx'],
  ['a domain that accepts mail', findings('a@example.com', { mail: HOSTS }), 'not_probed'],
  ['a failed DNS query', findings('a@example.com', { mail: FAILED }), 'dns_failed'],
  ['mail hosts with private addresses', findings('a@example.com', { mail: UNROUTABLE }), 'not_routable'],
  ['an address literal', findings('a@[192.0.2.1]'), 'address_literal'],
  ['a disposable domain', findings('a@example.com', { mail: HOSTS, isDisposable: true }), 'disposable'],
  // Precedence: invalid before disposable before unknown.
  [
    'a disposable domain with a null MX',
    findings('a@example.com', { mail: NONE('null_mx'), isDisposable: true }),
    'null_mx',
  ],
  [
    'a disposable domain while DNS fails',
    findings('a@example.com', { mail: FAILED, isDisposable: true }),
    'disposable',
  ],
])('%s', (_name, found, expected) => {
  const verdict = decide(found)
  expect(verdict.subStatus).toBe(expected)
  expect(verdict.status).toBe(SUB_STATUSES[expected].status)
})

/** The findings with this result of a probe. */
function probed(finding: Finding, more: Partial<ProbeResult> = {}): Findings {
  const mailbox: ProbeResult = {
    finding,
    acceptAll: 'no',
    acceptAllSource: 'live',
    host: 'mx.example.com',
    transcript: [],
    at: 1,
    ms: 1,
    ...more,
  }
  return findings('a@example.com', { mail: HOSTS, mailbox })
}

const refused = (reason: Reason, code = 550): Finding => ({ kind: 'refused', reason, code })
const ACCEPTED: Finding = { kind: 'accepted', code: 250 }

test.each<[string, Findings, SubStatus]>([
  ['accepted by a server that rejects others', probed(ACCEPTED), ''],
  ['accepted by a catch-all', probed(ACCEPTED, { acceptAll: 'yes' }), 'catch_all'],
  ['accepted, catch-all test without a result', probed(ACCEPTED, { acceptAll: 'untested' }), 'server_error'],
  [
    'accepted, no time for the catch-all test',
    probed(ACCEPTED, { acceptAll: 'untested', untestedFor: 'timeout' }),
    'timeout',
  ],
  [
    'accepted, catch-all test not requested',
    probed(ACCEPTED, { acceptAll: 'untested', untestedFor: 'not_wanted' }),
    'catch_all_untested',
  ],
  [
    'accepted, control recipient deferred',
    probed(ACCEPTED, { acceptAll: 'untested', untestedFor: 'greylisted' }),
    'greylisted',
  ],
  [
    'accepted, control recipient rejected for another mailbox',
    probed(ACCEPTED, { acceptAll: 'untested', untestedFor: 'mailbox_not_found' }),
    'server_error',
  ],
  ['a mailbox that does not exist', probed(refused('mailbox_not_found')), 'mailbox_not_found'],
  ['a disabled mailbox', probed(refused('mailbox_disabled')), 'mailbox_disabled'],
  ['a mailbox that has moved', probed(refused('mailbox_moved', 551)), 'mailbox_moved'],
  ['a full mailbox', probed(refused('mailbox_full', 452)), 'mailbox_full'],
  ['a mailbox that gets too much mail', probed(refused('mailbox_busy', 450)), ''],
  ['a server that does not serve the domain', probed(refused('domain_not_hosted')), 'domain_not_hosted'],
  ['an unclassified permanent rejection', probed(refused('unclassified', 550)), 'policy_rejected'],
  ['an unclassified temporary rejection', probed(refused('unclassified', 451)), 'server_error'],
  ['a reply 252 that confirms nothing', probed({ kind: 'unverifiable', code: 252 }), 'provider_unverifiable'],
  ['our own rate limiter', probed({ kind: 'unanswered', why: 'throttled' }), 'rate_limited'],
  ['a provider that decides later', probed({ kind: 'unasked', why: 'provider_unverifiable' }), 'provider_unverifiable'],
  ['a known catch-all', probed({ kind: 'unasked', why: 'known_catch_all' }), 'catch_all'],
  // Precedence: invalid before disposable before unknown and valid.
  [
    'a disposable domain whose mailbox does not exist',
    { ...probed(refused('mailbox_not_found')), isDisposable: true },
    'mailbox_not_found',
  ],
  ['a disposable domain whose mailbox exists', { ...probed(ACCEPTED), isDisposable: true }, 'disposable'],
  ['a disposable domain that blocks us', { ...probed(refused('ip_blocked')), isDisposable: true }, 'disposable'],
])('the mail server: %s', (_name, found, expected) => {
  const verdict = decide(found)
  expect([verdict.subStatus, verdict.status]).toEqual([expected, SUB_STATUSES[expected].status])
})

test('a rejection that is about us or temporary never makes an address invalid', () => {
  const ABOUT_US: Partial<Record<Reason, SubStatus>> = {
    policy_rejected: 'policy_rejected',
    greylisted: 'greylisted',
    verification_pending: 'greylisted',
    rate_limited: 'rate_limited',
    too_many_recipients: 'rate_limited',
    too_many_errors: 'rate_limited',
    ip_blocked: 'blocked',
    ptr_required: 'blocked',
    sender_rejected: 'blocked',
    spf_required: 'blocked',
    tls_required: 'policy_rejected',
    geo_blocked: 'blocked',
    smtputf8_unsupported: 'smtputf8_unsupported',
    server_error: 'server_error',
    unclassified: 'policy_rejected',
  }
  for (const [reason, subStatus] of Object.entries(ABOUT_US)) {
    const verdict = decide(probed(refused(reason as Reason)))
    expect([reason, verdict]).toMatchObject([reason, { status: 'unknown', subStatus }])
  }
})

test('an address that was not probed is never invalid', () => {
  for (const mail of [HOSTS, FAILED, UNROUTABLE]) {
    expect(decide(findings('a@example.com', { mail })).status).toBe('unknown')
  }
})
