import type { Static } from 'typebox'
import Type from 'typebox'
import { LivemodeField } from './livemode.ts'
import { nullableString } from './nullable.ts'
import { DecisionField, POLICY_OPTION } from './policies.ts'
import { EMAIL_INPUT } from './validation.ts'

/** A visitor waits at a form, and DNS responds quickly. */
export const DECISION_TIMEOUT_DEFAULT_S = 5

export type DecisionRequest = Static<typeof DecisionRequest>
export const DecisionRequest = Type.Object(
  {
    email: Type.String(EMAIL_INPUT),
    timeout: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        default: DECISION_TIMEOUT_DEFAULT_S,
        description: 'Number of seconds to wait. Without a result by then, the policy decides about `unknown`.',
        examples: [5],
      }),
    ),
    ...POLICY_OPTION,
  },
  {
    title: 'Decision request',
    description: 'One address to decide about.',
    additionalProperties: false,
    examples: [{ email: 'ada@example.com' }, { email: 'ada@example.com', policy: 'newsletter' }],
  },
)

export type DecisionResult = Static<typeof DecisionResult>
export const DecisionResult = Type.Object(
  {
    decision: DecisionField,
    reason: Type.String({
      description: 'The reason that the rule of the policy gives.',
      examples: ['Disposable email addresses are not accepted.'],
    }),
    did_you_mean: nullableString({
      description: 'The address that was probably intended, if this one looks mistyped; null otherwise.',
      examples: ['ada@example.com', null],
    }),
    livemode: LivemodeField,
  },
  {
    title: 'Decision result',
    description:
      'The decision about an address. It contains nothing that shows whether a mailbox exists. Fields may be added.',
    examples: [
      {
        decision: 'block',
        reason: 'Disposable email addresses are not accepted.',
        did_you_mean: null,
        livemode: true,
      },
    ],
  },
)
