import type { Static } from 'typebox'
import Type from 'typebox'
import { DECISIONS } from '../constants/data/policies.ts'
import { DECISION_NAMES, POLICY_RULES_MAX } from '../constants/policies.ts'
import { STATUSES, type Status, SUB_STATUSES, type SubStatus, TRAIT_NAMES, TRAITS } from '../constants/validations.ts'
import { extensibleEnum, nullableInteger, nullableString, valueList } from './fields.ts'

/** Reasons are part of responses and documentation, so they are limited to a sentence or two. */
const REASON_LENGTH_MAX = 200

const STATUS_NAMES = Object.keys(STATUSES) as Status[]
const SUB_STATUS_NAMES = Object.keys(SUB_STATUSES) as SubStatus[]
const RULE_REASON = 'This domain does not accept email.'

export const PolicyNameField = Type.String({
  maxLength: 50,
  pattern: '^[a-z0-9][a-z0-9_-]*$',
  description: 'Name of the policy: up to 50 lower-case letters, digits, `-` and `_`.',
  examples: ['signup', 'partners'],
})

/** An extensible enum in responses. */
export const DecisionField = Type.String({
  title: 'Decision',
  ...extensibleEnum(DECISIONS),
  description: `The decision about the address. Values may be added: treat unrecognized values as \`review\`.${valueList(DECISIONS)}`,
})

const decisionInput = Type.Enum(DECISION_NAMES, {
  type: 'string',
  description: `The decision about the address:${valueList(DECISIONS)}`,
  examples: ['block'],
})

const reason = Type.String({
  minLength: 1,
  maxLength: REASON_LENGTH_MAX,
  description: `The reason, a sentence of up to ${REASON_LENGTH_MAX} characters. It is returned unchanged with the decision.`,
  examples: [RULE_REASON],
})

const chance = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description, examples: [0.9] }))

const BOUNDS = {
  safe_to_send: Type.Optional(
    Type.Boolean({ description: 'The `safe_to_send` of the result has this value.', examples: [false] }),
  ),
  deliverability_from: chance('The `deliverability` of the result is at least this value.'),
  deliverability_below: chance('The `deliverability` of the result is below this value.'),
}

const WHEN = 'Conditions of the rule, at least one. The rule applies if the result meets all of them.'

const When = Type.Object(
  {
    status: Type.Optional(
      Type.Array(Type.String(), { description: 'The status of the result is one of these.', examples: [['invalid']] }),
    ),
    sub_status: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The `sub_status` of the result is one of these.',
        examples: [['domain_not_found', 'null_mx']],
      }),
    ),
    traits: Type.Optional(
      Type.Array(Type.String(), {
        description: `The address has at least one of these traits. Values may be added.${valueList(TRAITS)}`,
        examples: [['disposable', 'role_based']],
      }),
    ),
    ...BOUNDS,
  },
  { description: WHEN },
)

// Closed, unlike in responses: a misspelled value would never match, without any notice.
const WhenInput = Type.Object(
  {
    status: oneOf(STATUS_NAMES, 'The status of the result is one of these.', ['invalid']),
    sub_status: oneOf(SUB_STATUS_NAMES, 'The `sub_status` of the result is one of these.', [
      'domain_not_found',
      'null_mx',
    ]),
    traits: oneOf(TRAIT_NAMES, `The address has at least one of these traits.${valueList(TRAITS)}`, ['disposable']),
    ...BOUNDS,
  },
  { description: WHEN, additionalProperties: false, minProperties: 1 },
)

function oneOf<Name extends string>(names: Name[], description: string, example: Name[]) {
  const items = Type.Enum(names, { type: 'string' })
  const options = { minItems: 1, maxItems: names.length, uniqueItems: true, description, examples: [example] }
  return Type.Optional(Type.Array(items, options))
}

const RULES = `Rules in order of evaluation; the first match decides. At most ${POLICY_RULES_MAX}.`
const DEFAULT = 'The decision if no rule matches.'

const rules = Type.Array(Type.Object({ when: When, decision: DecisionField, reason }, { description: 'One rule.' }), {
  maxItems: POLICY_RULES_MAX,
  description: RULES,
})

const rulesInput = Type.Array(
  Type.Object(
    { when: WhenInput, decision: decisionInput, reason },
    { description: 'One rule.', additionalProperties: false },
  ),
  { maxItems: POLICY_RULES_MAX, description: RULES },
)

const defaultInput = Type.Object(
  { decision: decisionInput, reason },
  { description: DEFAULT, additionalProperties: false },
)

const description = Type.String({
  maxLength: 200,
  description: 'Description of the policy, up to 200 characters.',
  examples: ['For known partners'],
})

const RULES_EXAMPLE = [
  {
    when: { sub_status: ['domain_not_found', 'no_mail_server', 'null_mx'] },
    decision: 'block',
    reason: RULE_REASON,
  },
  {
    when: { traits: ['role_based'] },
    decision: 'review',
    reason: 'A personal address is required, not a role address.',
  },
]
const DEFAULT_EXAMPLE = { decision: 'allow', reason: 'No issues found.' }
const POLICY_EXAMPLE = {
  id: '0198f2f4-7e02-7c55-8a3d-51b0c9d4e6f8',
  name: 'partners',
  description: 'For known partners',
  is_built_in: false,
  rules: RULES_EXAMPLE,
  default: DEFAULT_EXAMPLE,
}

export type Policy = Static<typeof Policy>
export const Policy = Type.Object(
  {
    id: nullableString({
      format: 'uuid',
      description: 'Id of the policy; null for a built-in one. Requests refer to a policy by its `name`.',
      examples: [POLICY_EXAMPLE.id, null],
    }),
    name: PolicyNameField,
    description,
    is_built_in: Type.Boolean({
      description: 'Whether every account has the policy. A policy of the account with the same name replaces it.',
      examples: [false],
    }),
    rules,
    default: Type.Object({ decision: DecisionField, reason }, { description: DEFAULT }),
  },
  {
    title: 'Policy',
    description: 'Rules that map a result to a decision. Fields may be added.',
    examples: [POLICY_EXAMPLE],
  },
)

export type CreatePolicy = Static<typeof CreatePolicy>
export const CreatePolicy = Type.Object(
  {
    name: PolicyNameField,
    description: Type.Optional(description),
    rules: rulesInput,
    default: defaultInput,
  },
  {
    title: 'Create policy request',
    description: 'The rules of a new policy and its default decision.',
    additionalProperties: false,
    examples: [{ name: 'partners', rules: RULES_EXAMPLE, default: DEFAULT_EXAMPLE }],
  },
)

export type UpdatePolicy = Static<typeof UpdatePolicy>
export const UpdatePolicy = Type.Object(
  {
    description: Type.Optional(description),
    rules: Type.Optional(rulesInput),
    default: Type.Optional(defaultInput),
  },
  {
    title: 'Update policy request',
    description:
      'Settings to change, at least one. `rules` are replaced as a whole. Settings that are left out keep their value.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ default: { decision: 'review', reason: 'New partners are reviewed manually.' } }],
  },
)

export type PolicyParams = Static<typeof PolicyParams>
export const PolicyParams = Type.Object(
  { name: PolicyNameField },
  { title: 'Policy path', description: 'The policy.', examples: [{ name: 'partners' }] },
)

export type PolicyList = Static<typeof PolicyList>
export const PolicyList = Type.Array(Policy, {
  title: 'Policy list',
  description: 'The built-in policies and those of the account, sorted by name.',
  examples: [[POLICY_EXAMPLE]],
})
/** Decision of a policy about one result. */
export const PolicyDecisionField = Type.Object(
  {
    name: PolicyNameField,
    decision: DecisionField,
    reason,
    rule: nullableInteger({
      minimum: 1,
      description: 'Number of the rule that matched, counted from 1; null if none matched or an override decided.',
      examples: [2, null],
    }),
  },
  { description: 'The decision of the policy in the request. Absent if the request has none.' },
)

/** Policy of a request. */
export const POLICY_OPTION = {
  policy: Type.Optional(
    Type.With(PolicyNameField, {
      description:
        'Name of a policy that maps the result to `allow`, `review` or `block`: a built-in one (`signup`, `newsletter`, `transactional`) or one of the account.',
    }),
  ),
}
