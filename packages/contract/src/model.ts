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
      description: 'The provider that the prior applies to; null for all others.',
      examples: ['google', null],
    }),
    p: share('Probability that a message is not hard-bounced.', 0.8),
    swallow: share('Fraction of these domains that never bounce.', 0.35),
  },
  { description: 'Prior of one class of addresses, used until outcomes are reported.' },
)

const Bin = Type.Object(
  {
    from: share('Lower bound of the probability.', 0.8),
    to: share('Upper bound of the probability.', 0.9),
    outcomes: count('Number of outcomes in the bin, time-weighted.', 412),
    predicted: share('Mean predicted probability.', 0.853),
    observed: share('Fraction that was delivered.', 0.846),
  },
  { description: 'One calibration bin, a tenth of the scale.' },
)

const ProviderReliability = Type.Object(
  {
    provider: Type.String({
      description: 'Mailbox provider, as in a result; empty if it is not known.',
      examples: ['google'],
    }),
    kind: Type.Enum(['decided', 'weighed'], {
      type: 'string',
      description: '`decided` for the statuses `valid` and `invalid`, `weighed` for `risky` and `unknown`.',
      examples: ['weighed'],
    }),
    outcomes: count('Number of outcomes that predictions were compared with, time-weighted.', 612),
    brier: share('Mean squared difference between prediction and outcome (Brier score).', 0.1062),
    ece: share('Mean difference between prediction and outcome over all bins (expected calibration error).', 0.0124),
    fallen_back: Type.Boolean({
      description: 'Whether base rates replace the predictions because the calibration error is too high.',
      examples: [false],
    }),
    bins: Type.Array(Bin, { description: 'The bins with outcomes, in ascending order.' }),
  },
  { description: 'Calibration of the predictions for one provider.' },
)

const Calibration = Type.Object(
  {
    scope: Type.Enum(['account', 'shared'], {
      type: 'string',
      description: 'Origin of the outcomes: the account, or all accounts if the operator shares outcomes.',
      examples: ['account'],
    }),
    last_outcome_at: nullableString({
      format: 'date-time',
      description: 'When the last outcome was counted (RFC 3339, UTC); null if there is none.',
      examples: ['2026-11-02T12:00:00.000Z', null],
    }),
    providers: Type.Array(ProviderReliability, { description: 'Calibration by provider and kind.' }),
  },
  { description: 'Predictions compared with reported outcomes.' },
)

export type Model = Static<typeof Model>
export const Model = Type.Object(
  {
    name: Type.String({ description: 'Name of the text model for local parts.', examples: ['probity-local'] }),
    version: Type.String({ description: 'Version of the text model.', examples: ['1'] }),
    hash: Type.String({
      description: 'SHA-256 hash of its weights.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    parameters: Type.Object(
      {},
      {
        description: 'Weights of the scoring model, by name.',
        additionalProperties: Type.Number({ description: 'One weight.', examples: [180] }),
        examples: [{ half_life_days: 180, ece_max: 0.05 }],
      },
    ),
    base_rates: Type.Array(BaseRateRow, { description: 'Prior probabilities.' }),
    calibration: Calibration,
  },
  {
    title: 'Model',
    description: 'The scoring model behind `deliverability` and its calibration. Fields may be added.',
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
