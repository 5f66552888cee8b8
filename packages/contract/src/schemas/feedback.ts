import type { Static } from 'typebox'
import Type from 'typebox'
import {
  DELIVERY_WEIGHT_MAX,
  EMAIL_LENGTH_MAX,
  MESSAGES_PER_REPORT_MAX,
  SENT_DAYS_AGO_MAX,
} from '../constants/limits.ts'
import { count, LivemodeField, nullableString } from './fields.ts'
import { SubStatusField } from './validations/fields.ts'

const sentTotal = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description:
    'Number of messages sent in total, including those that are not reported. If only some of the deliveries are reported, each counts for several.',
  examples: [1000],
})

const sentOn = Type.String({
  format: 'date',
  description: `Day the mail was sent (UTC), at most ${SENT_DAYS_AGO_MAX} days ago. Default: today. Messages of the same day to the same address count once.`,
  examples: ['2026-11-02'],
})

const jobId = Type.String({
  format: 'uuid',
  description:
    'The job whose results were used for the mail, so that its predictions can be compared with the outcomes.',
  examples: ['0198f2c9-1c44-7d03-b7a5-2f6f4e8d9a10'],
})

export type ReportedMessage = Static<typeof ReportedMessage>
const ReportedMessage = Type.Object(
  {
    email: Type.String({
      maxLength: EMAIL_LENGTH_MAX,
      description: 'The address that the message was sent to. It is not stored.',
      examples: ['ada@example.com'],
    }),
    delivery: Type.Enum(['delivered', 'bounced'], {
      type: 'string',
      description: '`delivered` if no bounce arrived within about three days, `bounced` if one did.',
      examples: ['delivered'],
    }),
    code: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'For a bounce: its SMTP code or enhanced status code, or the whole reply line. Only bounces that concern the mailbox count.',
        examples: ['550 5.1.1 User unknown'],
      }),
    ),
    id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The `id` of the validation result that the message was based on.',
        examples: ['0198f2c4-7b20-7a16-8e04-51c09d3e7f42'],
      }),
    ),
  },
  { description: 'Delivery outcome of one message.', additionalProperties: false },
)

export type FeedbackReport = Static<typeof FeedbackReport>
export const FeedbackReport = Type.Object(
  {
    messages: Type.Array(ReportedMessage, {
      minItems: 1,
      maxItems: MESSAGES_PER_REPORT_MAX,
      description: `From 1 to ${MESSAGES_PER_REPORT_MAX} messages, delivered and bounced.`,
    }),
    sent_total: Type.Optional(sentTotal),
    sent_on: Type.Optional(sentOn),
    job_id: Type.Optional(jobId),
  },
  {
    title: 'Feedback report',
    description: 'Delivery outcomes of messages.',
    additionalProperties: false,
    examples: [
      {
        messages: [
          { email: 'ada@example.com', delivery: 'delivered' },
          { email: 'grace@example.org', delivery: 'bounced', code: '550 5.1.1 User unknown' },
        ],
        sent_total: 2,
        sent_on: '2026-11-02',
      },
    ],
  },
)

/** For the OpenAPI document: a CSV is parsed by its header and then validated against the schema of a report. */
export const FeedbackSheet = Type.String({
  title: 'Feedback CSV',
  description: `The report as CSV: a header with the columns \`email\` and \`delivery\`, and optionally \`code\` and \`id\`, in any order, and up to ${MESSAGES_PER_REPORT_MAX} rows.`,
  examples: ['email,delivery,code\nada@example.com,delivered,\ngrace@example.org,bounced,550 5.1.1 User unknown\n'],
})

export type FeedbackQuery = Static<typeof FeedbackQuery>
export const FeedbackQuery = Type.Object(
  { sent_total: Type.Optional(sentTotal), sent_on: Type.Optional(sentOn), job_id: Type.Optional(jobId) },
  {
    title: 'Feedback query',
    description: 'Other fields of a CSV report. In a JSON report they are part of the body.',
    examples: [{ sent_total: 1000, sent_on: '2026-11-02' }],
  },
)

export type FeedbackSummary = Static<typeof FeedbackSummary>
export const FeedbackSummary = Type.Object(
  {
    received: count('Messages in the report.', 4),
    counted: Type.Object(
      {
        delivered: count('New deliveries.', 1),
        bounced: count('New bounces, including messages that were reported as delivered before.', 1),
      },
      { description: 'Outcomes that were counted.' },
    ),
    not_counted: Type.Object(
      {
        duplicate: count('Reported before, or more than once in this report.', 0),
        not_a_mailbox_bounce: count('Bounces without a code, or with a code that does not concern the mailbox.', 1),
        not_an_address: count('Values that are not email addresses.', 1),
        no_prediction: count(
          'Bounces without a stored result, in a report with `sent_total` and no deliveries: they cannot be weighted.',
          0,
        ),
      },
      { description: 'Outcomes that were not counted, by reason.' },
    ),
    delivered_weight: Type.Number({
      minimum: 1,
      maximum: DELIVERY_WEIGHT_MAX,
      description: 'Weight of each reported delivery, derived from `sent_total`; 1 without it.',
      examples: [1],
    }),
    predictions_found: count('Messages that were matched with an earlier validation result.', 2),
    livemode: LivemodeField,
  },
  {
    title: 'Feedback summary',
    description: 'The result of a report. Fields may be added.',
    examples: [
      {
        received: 4,
        counted: { delivered: 1, bounced: 1 },
        not_counted: { duplicate: 0, not_a_mailbox_bounce: 1, not_an_address: 1, no_prediction: 0 },
        delivered_weight: 1,
        predictions_found: 2,
        livemode: true,
      },
    ],
  },
)

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
