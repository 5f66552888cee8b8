import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pendingResult } from '../schemas/validations/stored-result.ts'
import type { PolicyWhen } from './data/policies.ts'
import { BUILT_IN_POLICIES } from './data/policies.ts'
import {
  DECISION_NAMES,
  decideByPolicy,
  findBuiltInPolicy,
  type NamedPolicy,
  POLICY_RULES_MAX,
  type PolicyInput,
} from './policies.ts'
import { type Status, SUB_STATUSES, type SubStatus, TRAIT_NAMES, type Trait } from './validations.ts'

type Traits = Partial<Record<Trait, boolean>>
type Likeness = { subStatus?: SubStatus; traits?: Traits; safe?: boolean; chance?: number }

/** A result with these properties, as far as policies use it. */
function resultOf({ subStatus = '', traits = {}, safe = false, chance = 0.5 }: Likeness): PolicyInput {
  const { details, flags } = pendingResult('ada@example.com', 'not_probed')
  return {
    status: SUB_STATUSES[subStatus].status,
    sub_status: subStatus,
    safe_to_send: safe,
    deliverability: chance,
    details: { ...details, is_disposable: traits.disposable ?? false, is_role_based: traits.role_based ?? false },
    flags: {
      ...flags,
      is_free: traits.free ?? false,
      is_privacy_relay: traits.privacy_relay ?? false,
      is_tagged: traits.tagged ?? false,
      is_machine_generated: traits.machine_generated ?? false,
    },
  }
}

function builtIn(name: keyof typeof BUILT_IN_POLICIES): NamedPolicy {
  return { name, ...BUILT_IN_POLICIES[name] }
}

const ALL_SUB_STATUSES = Object.keys(SUB_STATUSES) as SubStatus[]
const BUILT_INS = Object.keys(BUILT_IN_POLICIES) as (keyof typeof BUILT_IN_POLICIES)[]

test.each<[keyof typeof BUILT_IN_POLICIES, Likeness, string, number | null]>([
  ['signup', { subStatus: 'syntax_error' }, 'block', 1],
  ['signup', { subStatus: 'domain_not_found' }, 'block', 2],
  ['signup', { subStatus: 'no_mail_server' }, 'block', 2],
  ['signup', { subStatus: 'null_mx' }, 'block', 2],
  ['signup', { subStatus: 'disposable', traits: { disposable: true } }, 'block', 3],
  ['signup', { subStatus: '', traits: { machine_generated: true } }, 'review', 4],
  ['signup', { subStatus: '' }, 'allow', null],
  ['signup', { subStatus: 'mailbox_not_found' }, 'allow', null],
  ['signup', { subStatus: 'timeout', traits: { role_based: true } }, 'allow', null],
  ['newsletter', { subStatus: 'mailbox_not_found' }, 'block', 1],
  ['newsletter', { subStatus: 'disposable', traits: { disposable: true } }, 'block', 2],
  ['newsletter', { subStatus: '', traits: { role_based: true }, chance: 0.99 }, 'review', 3],
  ['newsletter', { subStatus: '', traits: { machine_generated: true } }, 'review', 4],
  ['newsletter', { subStatus: 'catch_all', chance: 0.98 }, 'allow', 5],
  ['newsletter', { subStatus: 'catch_all', chance: 0.9 }, 'review', 6],
  ['newsletter', { subStatus: 'mailbox_full' }, 'review', 6],
  ['newsletter', { subStatus: 'greylisted', chance: 0.8 }, 'review', 7],
  ['newsletter', { subStatus: '', chance: 0.985 }, 'allow', null],
  ['transactional', { subStatus: 'mailbox_disabled' }, 'block', 1],
  ['transactional', { subStatus: 'mailbox_full' }, 'review', 2],
  ['transactional', { subStatus: 'disposable', traits: { disposable: true } }, 'allow', null],
  ['transactional', { subStatus: 'blocked' }, 'allow', null],
])('%s decides on %o: %s, by rule %s', (name, likeness, decision, rule) => {
  const decided = decideByPolicy(builtIn(name), resultOf(likeness))
  expect(decided).toMatchObject({ name, decision, rule })
  const { rules, default: fallback } = builtIn(name)
  expect(decided.reason).toBe((rule === null ? fallback : rules[rule - 1])?.reason)
})

test('no built-in policy blocks inconclusive results', () => {
  const unknown = ALL_SUB_STATUSES.filter((subStatus) => SUB_STATUSES[subStatus].status === 'unknown')
  for (const name of BUILT_INS) {
    for (const subStatus of unknown) {
      expect(decideByPolicy(builtIn(name), resultOf({ subStatus })).decision).not.toBe('block')
    }
  }
})

test('the signup policy decides the same for every mailbox, whatever its SMTP result', () => {
  const withoutMail = new Set(['syntax_error', 'domain_not_found', 'no_mail_server', 'null_mx'])
  const asked = ALL_SUB_STATUSES.filter((subStatus) => !withoutMail.has(subStatus))
  const answers = asked.flatMap((subStatus) =>
    [0.001, 0.5, 0.999].flatMap((chance) =>
      [true, false].map((safe) => decideByPolicy(builtIn('signup'), resultOf({ subStatus, chance, safe }))),
    ),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
})

test.each<[PolicyWhen, Likeness, Likeness]>([
  [{ status: ['invalid', 'risky'] }, { subStatus: 'catch_all' }, { subStatus: '' }],
  [{ sub_status: ['catch_all'] }, { subStatus: 'catch_all' }, { subStatus: 'mailbox_full' }],
  [{ traits: ['free', 'tagged'] }, { traits: { tagged: true } }, { traits: { role_based: true } }],
  [{ traits: ['privacy_relay'] }, { traits: { privacy_relay: true } }, { traits: { free: true } }],
  [{ safe_to_send: false }, { safe: false }, { safe: true }],
  [{ safe_to_send: true }, { safe: true }, { safe: false }],
  [{ deliverability_from: 0.5 }, { chance: 0.5 }, { chance: 0.499 }],
  [{ deliverability_below: 0.5 }, { chance: 0.499 }, { chance: 0.5 }],
  [
    { status: ['valid'], traits: ['role_based'] },
    { traits: { role_based: true } },
    { subStatus: 'blocked', traits: { role_based: true } },
  ],
])('%o applies to %o and not to %o', (when, likeness, other) => {
  const policy = {
    name: 'own',
    rules: [{ when, decision: 'block', reason: 'It applies.' }],
    default: { decision: 'allow', reason: 'It does not.' },
  } as const
  expect(decideByPolicy(policy, resultOf(likeness))).toMatchObject({ decision: 'block', rule: 1 })
  expect(decideByPolicy(policy, resultOf(other))).toMatchObject({ decision: 'allow', rule: null })
})

const someDecision = fc.constantFrom(...DECISION_NAMES)
const someWhen = fc.record(
  {
    status: fc.subarray<Status>(['valid', 'invalid', 'risky', 'unknown'], { minLength: 1 }),
    sub_status: fc.subarray(ALL_SUB_STATUSES, { minLength: 1 }),
    traits: fc.subarray(TRAIT_NAMES, { minLength: 1 }),
    safe_to_send: fc.boolean(),
    deliverability_from: fc.double({ min: 0, max: 1, noNaN: true }),
    deliverability_below: fc.double({ min: 0, max: 1, noNaN: true }),
  },
  { requiredKeys: [] },
)
const someRule = fc.record({ when: someWhen, decision: someDecision, reason: fc.string() })
const somePolicy: fc.Arbitrary<NamedPolicy> = fc.record({
  name: fc.constant('own'),
  rules: fc.array(someRule, { maxLength: POLICY_RULES_MAX }),
  default: fc.record({ decision: someDecision, reason: fc.string() }),
})
const someResult = fc
  .record({
    subStatus: fc.constantFrom(...ALL_SUB_STATUSES),
    traits: fc.dictionary(fc.constantFrom(...TRAIT_NAMES), fc.boolean()),
    safe: fc.boolean(),
    chance: fc.double({ min: 0.001, max: 0.999, noNaN: true }),
  })
  .map(resultOf)

test('every policy decides on every result: by the first matching rule, or else by its default', () => {
  fc.assert(
    fc.property(somePolicy, someResult, (policy, result) => {
      const alone = policy.rules.map((rule) => decideByPolicy({ ...policy, rules: [rule] }, result).rule === 1)
      const first = alone.indexOf(true)
      const expected = policy.rules[first] ?? policy.default
      expect(decideByPolicy(policy, result)).toEqual({
        name: 'own',
        decision: expected.decision,
        reason: expected.reason,
        rule: first < 0 ? null : first + 1,
      })
    }),
  )
})

test('a built-in policy is found by its name, and properties of Object.prototype are not', () => {
  expect(findBuiltInPolicy('signup')).toBe(BUILT_IN_POLICIES.signup)
  for (const name of ['constructor', 'toString', '__proto__', 'partners']) {
    expect(findBuiltInPolicy(name)).toBeUndefined()
  }
})

test('every built-in rule is listed in docs/policies.md with its number and reason', () => {
  const page = readFileSync(new URL('../../../../docs/policies.md', import.meta.url), 'utf8')
  for (const name of BUILT_INS) {
    const [, part = ''] = page.split(`### \`${name}\``)
    const { rules, default: fallback } = builtIn(name)
    for (const [n, { decision, reason }] of rules.entries()) {
      expect(part).toMatch(new RegExp(`^\\| ${n + 1} \\| .* \\| \`${decision}\` \\| ${reason} \\|$`, 'm'))
    }
    expect(part).toContain(`| | otherwise | \`${fallback.decision}\` | ${fallback.reason} |`)
  }
})

test('an override decides before all rules', () => {
  fc.assert(
    fc.property(somePolicy, someResult, fc.constantFrom('allow', 'block'), (policy, result, override) => {
      const reason = expect.stringContaining(`${override}list`)
      const decided = decideByPolicy(policy, { ...result, override })
      expect(decided).toEqual({ name: 'own', decision: override, reason, rule: null })
    }),
  )
})
