import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { nullableString } from './nullable.ts'
import { SubStatusField } from './status-fields.ts'

const share = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, examples: [example] })

const BaseRateRow = Type.Object(
  {
    sub_status: SubStatusField,
    provider: nullableString({
      description: 'The provider that it holds for; null for all others.',
      examples: ['google', null],
    }),
    p: share('The chance of no hard bounce.', 0.8),
    swallow: share('The share of such domains that never bounce anything.', 0.35),
  },
  { description: 'What is assumed of one class of addresses before anybody has reported an outcome.' },
)

const Bin = Type.Object(
  {
    from: share('The least chance in it.', 0.8),
    to: share('The greatest.', 0.9),
    outcomes: count('Outcomes in it, each as far as it has not faded.', 412),
    predicted: share('The mean of what was predicted.', 0.853),
    observed: share('The share that was delivered.', 0.846),
  },
  { description: 'One tenth of the scale.' },
)

const ProviderReliability = Type.Object(
  {
    provider: Type.String({
      description: 'Who runs the mailboxes, as in a result; empty where that is not known.',
      examples: ['google'],
    }),
    kind: Type.Enum(['decided', 'weighed'], {
      type: 'string',
      description: '`decided` where the status was `valid` or `invalid`, `weighed` where it was `risky` or `unknown`.',
      examples: ['weighed'],
    }),
    outcomes: count('Outcomes that predictions were held against, each as far as it has not faded.', 612),
    brier: share('The mean squared distance between prediction and outcome.', 0.1062),
    ece: share('How far predictions are off on average, tenth by tenth (expected calibration error).', 0.0124),
    fallen_back: Type.Boolean({
      description: 'Whether predictions here were so far off that base rates are used in their place.',
      examples: [false],
    }),
    bins: Type.Array(Bin, { description: 'The tenths in which there are outcomes, in order.' }),
  },
  { description: 'How well predictions hold for one provider.' },
)

const Calibration = Type.Object(
  {
    scope: Type.Enum(['account', 'shared'], {
      type: 'string',
      description:
        'Whose outcomes these are: those of the account, or of all accounts where the operator has them shared.',
      examples: ['account'],
    }),
    last_outcome_at: nullableString({
      format: 'date-time',
      description: 'When the last of them was counted (RFC 3339, UTC); null when there is none.',
      examples: ['2026-11-02T12:00:00.000Z', null],
    }),
    providers: Type.Array(ProviderReliability, { description: 'By provider and kind.' }),
  },
  { description: 'What was predicted beside what came of it, from reported outcomes.' },
)

export type Model = Static<typeof Model>
export const Model = Type.Object(
  {
    name: Type.String({ description: 'The model that reads local parts.', examples: ['probity-local'] }),
    version: Type.String({ description: 'Its version.', examples: ['1'] }),
    hash: Type.String({
      description: 'What its weights come to (SHA-256): the same hash is the same model.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    parameters: Type.Object(
      {},
      {
        description: 'The numbers that chances are made with, by name.',
        additionalProperties: Type.Number({ description: 'One of them.', examples: [180] }),
        examples: [{ half_life_days: 180, ece_max: 0.05 }],
      },
    ),
    base_rates: Type.Array(BaseRateRow, { description: 'What chances begin with.' }),
    calibration: Calibration,
  },
  {
    title: 'Model',
    description: 'What the chance of delivery is made of, and how well it holds. Fields may be added.',
    examples: [
      {
        name: 'probity-local',
        version: '1',
        hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        parameters: { half_life_days: 180, ece_max: 0.05 },
        base_rates: [{ sub_status: 'catch_all', provider: null, p: 0.8, swallow: 0.35 }],
        calibration: {
          scope: 'account',
          last_outcome_at: '2026-11-02T12:00:00.000Z',
          providers: [
            {
              provider: 'google',
              kind: 'weighed',
              outcomes: 412,
              brier: 0.1262,
              ece: 0.007,
              fallen_back: false,
              bins: [{ from: 0.8, to: 0.9, outcomes: 412, predicted: 0.853, observed: 0.846 }],
            },
          ],
        },
      },
    ],
  },
)
