import type { Static } from 'typebox'
import Type from 'typebox'
import { nullableInteger, nullableString } from './nullable.ts'
import { STATUSES, type Status, SUB_STATUSES, type SubStatus } from './status.ts'
import { TRAIT_NAMES, TRAITS, type Trait } from './traits.ts'
import { openList, valueList } from './value-list.ts'

/** What a policy says of an address. */
const DECISIONS = {
  allow: 'take the address.',
  review: 'take it with care: ask the person, look again later, or let somebody decide.',
  block: 'do not take it.',
} as const satisfies Record<string, string>

export type Decision = keyof typeof DECISIONS
export const DECISION_NAMES = Object.keys(DECISIONS) as Decision[]

/** Of one account; the ones that are built in do not count. */
export const POLICIES_MAX = 50
export const POLICY_RULES_MAX = 50
/** In answers and on the page that explains them, so no longer than a sentence or two. */
const REASON_LENGTH_MAX = 200

const STATUS_NAMES = Object.keys(STATUSES) as Status[]
const SUB_STATUS_NAMES = Object.keys(SUB_STATUSES) as SubStatus[]
const RULE_REASON = 'The domain of this address takes no mail.'

export const PolicyNameField = Type.String({
  maxLength: 50,
  pattern: '^[a-z0-9][a-z0-9_-]*$',
  description: 'What the policy is called: up to 50 lower-case letters, digits, `-` and `_`.',
  examples: ['signup', 'partners'],
})

/** Open in answers, where a client must survive a new one. */
export const DecisionField = Type.String({
  title: 'Decision',
  ...openList(DECISIONS),
  description: `What to do with the address. The list is open: treat a value you do not know like \`review\`.${valueList(DECISIONS)}`,
})

const decisionInput = Type.Enum(DECISION_NAMES, {
  type: 'string',
  description: `What to do with the address:${valueList(DECISIONS)}`,
  examples: ['block'],
})

const reason = Type.String({
  minLength: 1,
  maxLength: REASON_LENGTH_MAX,
  description: `Why, in a sentence of up to ${REASON_LENGTH_MAX} characters. It stands in the answer as it is.`,
  examples: [RULE_REASON],
})

const chance = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description, examples: [0.9] }))

const BOUNDS = {
  safe_to_send: Type.Optional(Type.Boolean({ description: 'The result has this `safe_to_send`.', examples: [false] })),
  deliverability_from: chance('The result has this `deliverability` or a higher one.'),
  deliverability_below: chance('The result has a lower `deliverability` than this.'),
}

const WHEN = 'What a result must be like for the rule to apply: all that is named here, and at least one thing is.'

const When = Type.Object(
  {
    status: Type.Optional(
      Type.Array(Type.String(), { description: 'Its status is one of these.', examples: [['invalid']] }),
    ),
    sub_status: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Its `sub_status` is one of these.',
        examples: [['domain_not_found', 'null_mx']],
      }),
    ),
    traits: Type.Optional(
      Type.Array(Type.String(), {
        description: `The address is at least one of these. The list is open.${valueList(TRAITS)}`,
        examples: [['disposable', 'role_based']],
      }),
    ),
    ...BOUNDS,
  },
  { description: WHEN },
)

// Closed, unlike what is answered: a word that was misspelt would never match, and nobody would notice.
const WhenInput = Type.Object(
  {
    status: oneOf(STATUS_NAMES, 'Its status is one of these.', ['invalid']),
    sub_status: oneOf(SUB_STATUS_NAMES, 'Its `sub_status` is one of these.', ['domain_not_found', 'null_mx']),
    traits: oneOf(TRAIT_NAMES, `The address is at least one of these.${valueList(TRAITS)}`, ['disposable']),
    ...BOUNDS,
  },
  { description: WHEN, additionalProperties: false, minProperties: 1 },
)

function oneOf<Name extends string>(names: Name[], description: string, example: Name[]) {
  const items = Type.Enum(names, { type: 'string' })
  const options = { minItems: 1, maxItems: names.length, uniqueItems: true, description, examples: [example] }
  return Type.Optional(Type.Array(items, options))
}

const RULES = `The rules in their order: the first that applies decides. Up to ${POLICY_RULES_MAX}.`
const DEFAULT = 'What is decided where no rule applies.'

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
  description: 'What the policy is for, up to 200 characters.',
  examples: ['For partners, who are known by name'],
})

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

const RULES_EXAMPLE = [
  {
    when: { sub_status: ['domain_not_found', 'no_mail_server', 'null_mx'] },
    decision: 'block',
    reason: RULE_REASON,
  },
  { when: { traits: ['role_based'] }, decision: 'review', reason: 'A person is asked for, not a function.' },
]
const DEFAULT_EXAMPLE = { decision: 'allow', reason: 'Nothing speaks against it.' }
const POLICY_EXAMPLE = {
  id: '0198f2f4-7e02-7c55-8a3d-51b0c9d4e6f8',
  name: 'partners',
  description: 'For partners, who are known by name',
  is_built_in: false,
  rules: RULES_EXAMPLE,
  default: DEFAULT_EXAMPLE,
}

export type Policy = Static<typeof Policy>
export const Policy = Type.Object(
  {
    id: nullableString({
      format: 'uuid',
      description: 'Identifies the policy; null for a built-in one. Requests name a policy by its `name`.',
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
    description: 'Rules that turn a result into a decision. Fields may be added.',
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
    description: 'The rules of a new policy, and what is decided where none applies.',
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
      'What to change, at least one thing; `rules` are replaced as a whole. What is left out stays as it is.',
    minProperties: 1,
    additionalProperties: false,
    examples: [{ default: { decision: 'review', reason: 'Somebody looks at every new partner.' } }],
  },
)

export type PolicyParams = Static<typeof PolicyParams>
export const PolicyParams = Type.Object(
  { name: PolicyNameField },
  { title: 'Policy path', description: 'Which policy is meant.', examples: [{ name: 'partners' }] },
)

export type PolicyList = Static<typeof PolicyList>
export const PolicyList = Type.Array(Policy, {
  title: 'Policy list',
  description: 'The policies that the account has, by name: the built-in ones, and its own.',
  examples: [[POLICY_EXAMPLE]],
})

export type PolicyDecision = Static<typeof PolicyDecisionField>
/** What a policy made of one result. */
export const PolicyDecisionField = Type.Object(
  {
    name: PolicyNameField,
    decision: DecisionField,
    reason,
    rule: nullableInteger({
      minimum: 1,
      description: 'Which rule decided, counted from 1; null where none applied, or where a list of the account did.',
      examples: [2, null],
    }),
  },
  { description: 'What the policy that was asked for decides. Only there where the request named one.' },
)

/** Of a request: by which policy the result is to be decided on. */
export const POLICY_OPTION = {
  policy: Type.Optional(
    Type.With(PolicyNameField, {
      description:
        'The name of a policy, built in (`signup`, `newsletter`, `transactional`) or of the account, to turn the result into `allow`, `review` or `block`.',
    }),
  ),
}
