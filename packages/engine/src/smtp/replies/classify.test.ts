import { expect, test } from 'vitest'
import { PROVIDERS } from '../../domain/data/providers.ts'
import { createReplyReader, type Reply, type Stage } from '../protocol/reply-reader.ts'
import { classifyReply, findRule, type ReplyContext } from './classify.ts'
import { REPLY_FIXTURES } from './data/reply-fixtures.ts'
import { MISLEADING_REPLIES } from './data/reply-fixtures-negative.ts'
import { PROVIDER_REPLY_FIXTURES } from './data/reply-fixtures-providers.ts'
import { LAST_RESORT_RULES } from './data/reply-rules-codes.ts'
import { MAILBOX_RULES } from './data/reply-rules-mailbox.ts'
import { PROVIDER_RULES } from './data/reply-rules-providers.ts'
import { OWN_FAULT_RULES } from './data/reply-rules-us.ts'
import { textOf, withoutAddresses } from './reply-text.ts'
import { isForStage, type Reason } from './rules.ts'

const STAGES: Stage[] = ['greeting', 'ehlo', 'starttls', 'mail', 'rcpt']
const RULES = [...PROVIDER_RULES, ...OWN_FAULT_RULES, ...MAILBOX_RULES, ...LAST_RESORT_RULES]
const FIXTURES = [...REPLY_FIXTURES, ...PROVIDER_REPLY_FIXTURES]
const RECIPIENT = 'ada@example.com'
const IDENTITY = {
  addresses: ['192.0.2.25', '2001:db8::25'],
  heloName: 'probe.verify.example',
  senderDomain: 'verify.example',
}
/** Providers with their own rules, and the default. */
const RULE_PROVIDERS = ['', ...new Set(RULES.flatMap(({ provider = [] }) => provider))]
const INVALIDATING: Reason[] = ['mailbox_not_found', 'mailbox_disabled', 'mailbox_moved', 'domain_not_hosted']

function parse(text: string): Reply {
  const { replies, fault } = createReplyReader().push(Buffer.from(`${text.replaceAll('\n', '\r\n')}\r\n`))
  const [reply] = replies
  if (!reply || replies.length > 1 || fault !== null) throw new Error(`not one reply: ${text}`)
  return reply
}

function context(stage: Stage, provider = '', recipient = RECIPIENT): ReplyContext {
  return { stage, provider, recipient, identity: IDENTITY }
}

function read(text: string, stage: Stage, provider = '', recipient = RECIPIENT) {
  return classifyReply(parse(text), context(stage, provider, recipient))
}

test.each(FIXTURES.flatMap(({ replies, ...expected }) => replies.map((reply) => ({ reply, ...expected }))))(
  '$provider $stage: $reply',
  ({ reply, stage, provider, reason, scope }) => {
    expect(read(reply, stage, provider)).toMatchObject({ reason, scope })
  },
)

test.each(MISLEADING_REPLIES.flatMap(({ replies, ...expected }) => replies.map((reply) => ({ reply, ...expected }))))(
  '$provider $stage: $reply is none of $never',
  ({ reply, stage, provider, recipient, never }) => {
    expect(never).not.toContain(read(reply, stage, provider, recipient).reason)
  },
)

test('the fixtures contain at least 250 replies and 60 misleading replies', () => {
  expect(FIXTURES.flatMap(({ replies }) => replies).length).toBeGreaterThanOrEqual(250)
  expect(MISLEADING_REPLIES.flatMap(({ replies }) => replies).length).toBeGreaterThanOrEqual(60)
})

test.each(RULES.map((rule) => [rule.seen, rule] as const))(
  '%s matches its own rule, at every stage of the rule',
  (seen, rule) => {
    const reply = parse(seen)
    const text = withoutAddresses(textOf(reply), RECIPIENT, '~')
    for (const stage of STAGES.filter((each) => isForStage(rule, each))) {
      for (const provider of rule.provider ?? ['']) {
        expect(findRule(reply, context(stage, provider), text)).toBe(rule)
      }
    }
  },
)

test('rules refer to existing providers and match lower-case text', () => {
  const ids = new Set(PROVIDERS.map(({ id }) => id))
  expect(RULES.flatMap(({ provider = [] }) => provider).filter((id) => !ids.has(id))).toEqual([])
  const sources = RULES.flatMap(({ says }) => (says ? [says] : []))
  expect(
    sources.filter(({ source, flags }) => /[A-Z]/.test(source.replaceAll(/\\[A-Z]/g, '')) || flags !== ''),
  ).toEqual([])
})

test('no rule has an unbounded gap or a nested repetition', () => {
  const sources = RULES.flatMap(({ says }) => (says ? [says.source] : []))
  expect(sources.filter((source) => /\.[*+]|[\])][*+]|\w[*+]\)|\{\d+,\}/.test(source))).toEqual([])
})

test('rules for invalid addresses require a permanent code, with three known exceptions', () => {
  const temporary = RULES.filter(({ reason, code = '' }) => INVALIDATING.includes(reason) && !code.startsWith('5'))
  expect(temporary.map(({ seen }) => seen.slice(0, 40))).toEqual([
    '451 Invalid Recipient - https://communit',
    '450 4.1.1 <ada@example.com>: Recipient a',
    '450 4.1.1 <ada@example.com>: Recipient a',
  ])
})

test('a reply before RCPT is never about a mailbox or a domain', () => {
  const aboutMailbox: Reason[] = [
    ...INVALIDATING,
    'mailbox_full',
    'mailbox_busy',
    'policy_rejected',
    'verification_pending',
  ]
  const wrong: string[] = []
  for (const text of [...FIXTURES, ...MISLEADING_REPLIES].flatMap(({ replies }) => replies)) {
    for (const stage of STAGES.slice(0, -1)) {
      for (const provider of RULE_PROVIDERS) {
        const { reason, scope } = read(text, stage, provider)
        if (aboutMailbox.includes(reason) || ['mailbox', 'domain', 'tenant'].includes(scope)) wrong.push(text)
      }
    }
  }
  expect(wrong).toEqual([])
})

test('a temporary code never makes an address invalid, except by those three rules', () => {
  const invalidated = new Set<string>()
  for (const text of [...FIXTURES, ...MISLEADING_REPLIES].flatMap(({ replies }) => replies)) {
    for (const code of ['421', '450', '451', '452', '454', '471']) {
      const later = text.replaceAll(/^\d{3}/gm, code).replaceAll(/^(\d{3}[ -])5\./gm, '$14.')
      for (const provider of RULE_PROVIDERS) {
        if (INVALIDATING.includes(read(later, 'rcpt', provider).reason)) invalidated.add(later)
      }
    }
  }
  expect(invalidated.size).toBeGreaterThan(0)
  expect(
    [...invalidated].filter(
      (text) =>
        !/^450 .*(?:undeliverable address|unverified address: host .* said: 550 5\.1\.1)|^451 .*invalid recipient/is.test(
          text,
        ),
    ),
  ).toEqual([])
})

test('a permanent code with an unknown text is unclassified', () => {
  const words =
    'lorem ipsum dolor sit amet consectetur adipiscing elit sed eiusmod tempor incididunt labore magna'.split(' ')
  for (let seed = 0; seed < 5_000; seed += 1) {
    const text = Array.from(
      { length: 1 + (seed % 9) },
      (_, at) => words[(seed * 7 + at * (1 + (seed % 13))) % words.length],
    )
    for (const code of [550, 554]) {
      expect(read(`${code} ${text.join(' ')}`, 'rcpt')).toEqual({
        reason: 'unclassified',
        scope: 'connection',
        retryAfterMs: null,
      })
    }
  }
})

test.each([
  ['550 5.1.1 192.0.2.25: User unknown', 'ip_blocked'],
  ['550 5.1.1 User unknown [192.0.2.25]:25', 'ip_blocked'],
  ['550 5.1.1 User unknown ip=192.0.2.25:25', 'ip_blocked'],
  ['550 no, [IPv6:2001:DB8::25]', 'ip_blocked'],
  ['550 no, Probe.Verify.Example', 'sender_rejected'],
  ['550 no, <probe@verify.example>', 'sender_rejected'],
  ['550 no, verify.example.', 'sender_rejected'],
  ['552 5.2.2 192.0.2.25: mailbox full', 'ip_blocked'],
  ['450 4.2.0 Greylisted: 192.0.2.25', 'greylisted'],
  ['450 4.7.1 192.0.2.25, try again later', 'greylisted'],
  ['451 4.3.0 192.0.2.25', 'ip_blocked'],
  ['421 4.7.0 Too many connections from 192.0.2.25', 'rate_limited'],
  ['550 5.7.23 SPF of verify.example', 'spf_required'],
])('a reply that names us is about us: %s', (text, reason) => {
  expect(read(text, 'rcpt').reason).toBe(reason)
})

test.each([
  ['550 5.7.1 Message blocked by your organization', 'microsoft365', 'rcpt', 'tenant'],
  ['550 5.7.1 Message blocked by your organization', 'microsoft365', 'mail', 'egress'],
  ['550 5.7.1 Message blocked by your organization', 'microsoft', 'rcpt', 'egress'],
  ['550 5.7.1 Message blocked by your organization', '', 'rcpt', 'egress'],
  ['550 5.7.1 192.0.2.25: blocked by your organization', 'microsoft365', 'rcpt', 'egress'],
  ['550 5.7.1 [203.0.113.7]: blocked by your organization', 'microsoft365', 'rcpt', 'egress'],
  ['550 5.7.1 Blocked by us: 203.0.113.7.', 'microsoft365', 'rcpt', 'egress'],
  ['550 5.7.1 Your IP address is blocked', 'microsoft365', 'rcpt', 'egress'],
  ['550 5.7.1 Message blocked by your organization', 'google', 'rcpt', 'egress'],
  ['550 5.7.1 2001:db8::7 blocked by your organization', 'microsoft365', 'rcpt', 'egress'],
  ['550 5.7.1 probe.verify.example blocked by your organization', 'microsoft365', 'rcpt', 'egress'],
  ['550 5.7.1 Blocked by us [mx.example.net 2026-08-20T14:30:59.801Z 08DD:4]', 'microsoft365', 'rcpt', 'tenant'],
] as const)('%s from “%s” at %s has the scope %s', (text, provider, stage, scope) => {
  expect(read(text, stage, provider)).toMatchObject({ reason: 'ip_blocked', scope })
})

test('an empty identity is never named', () => {
  const identity = { addresses: [''], heloName: '', senderDomain: '' }
  const reading = classifyReply(parse('550 5.1.1 User unknown'), { stage: 'rcpt', provider: '', identity })
  expect(reading).toEqual({ reason: 'mailbox_not_found', scope: 'mailbox', retryAfterMs: null })
})

test.each([
  ['550 Your host is blocked. IB112', 'godaddy', 3_600_000],
  ['550 No more today. IB113', 'godaddy', 86_400_000],
  ['550 Blocked for 2 hours. IB112', 'godaddy', 7_200_000],
  ['451 Internal resource temporarily unavailable', 'mimecast', 60_000],
  ['450 4.2.0 Greylisted, retry in 300 seconds', '', 300_000],
  ['450 4.2.0 Greylisted', '', null],
  ['450 4.1.1 unverified address: Address verification in progress', '', 10_000],
  ['550 5.1.1 User unknown for 5 minutes', '', null],
  ['450 Sorry, not for 5 minutes', '', 300_000],
])('the retry delay of %s from %s is read', (text, provider, ms) => {
  expect(read(text, 'rcpt', provider).retryAfterMs).toBe(ms)
})
