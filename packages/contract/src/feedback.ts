import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { LivemodeField } from './livemode.ts'
import { EMAIL_LENGTH_MAX } from './validation.ts'

export const MESSAGES_PER_REPORT_MAX = 10_000

/** Mail of so many days ago may still be reported. */
export const SENT_DAYS_AGO_MAX = 60

/** No delivery stands for more than so many, however few of them are reported. */
export const DELIVERY_WEIGHT_MAX = 100

const sentTotal = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description:
    'Number of messages sent in total, including those that are not reported. If fewer deliveries are reported than there were, each counts for several.',
  examples: [1000],
})

const sentOn = Type.String({
  format: 'date',
  description: `The day the mail was sent (UTC), at most ${SENT_DAYS_AGO_MAX} days ago; today if left out. A message of the same day to the same address counts once, however often it is reported.`,
  examples: ['2026-11-02'],
})

const jobId = Type.String({
  format: 'uuid',
  description: 'The job whose results the mail was sent by, so that they can be held against what came of it.',
  examples: ['0198f2c9-1c44-7d03-b7a5-2f6f4e8d9a10'],
})

export type ReportedMessage = Static<typeof ReportedMessage>
const ReportedMessage = Type.Object(
  {
    email: Type.String({
      maxLength: EMAIL_LENGTH_MAX,
      description: 'The address that the message was sent to. It is not kept.',
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
          'Of a bounce: its SMTP or enhanced status code, or the line that it came in. Only bounces that tell of the mailbox count.',
        examples: ['550 5.1.1 User unknown'],
      }),
    ),
    id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The `id` of the result that the message was sent by.',
        examples: ['0198f2c4-7b20-7a16-8e04-51c09d3e7f42'],
      }),
    ),
  },
  { description: 'What became of one message.', additionalProperties: false },
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
    description: 'What became of mail that was sent.',
    additionalProperties: false,
    examples: [
      {
        messages: [
          { email: 'ada@example.com', delivery: 'delivered' },
          { email: 'nobody@example.org', delivery: 'bounced', code: '550 5.1.1 User unknown' },
        ],
        sent_total: 2,
        sent_on: '2026-11-02',
      },
    ],
  },
)

/** For readers of the API document: a sheet is read by its header, and then held against the schema of a report. */
export const FeedbackSheet = Type.String({
  title: 'Feedback CSV',
  description: `The same as CSV: a header with the columns \`email\` and \`delivery\`, and \`code\` and \`id\` where there are any, in any order, and up to ${MESSAGES_PER_REPORT_MAX} rows.`,
  examples: ['email,delivery,code\nada@example.com,delivered,\nnobody@example.org,bounced,550 5.1.1 User unknown\n'],
})

export type FeedbackQuery = Static<typeof FeedbackQuery>
export const FeedbackQuery = Type.Object(
  { sent_total: Type.Optional(sentTotal), sent_on: Type.Optional(sentOn), job_id: Type.Optional(jobId) },
  {
    title: 'Feedback query',
    description: 'The other fields of a report in CSV. A report in JSON has them in its body.',
    examples: [{ sent_total: 1000, sent_on: '2026-11-02' }],
  },
)

export type FeedbackSummary = Static<typeof FeedbackSummary>
export const FeedbackSummary = Type.Object(
  {
    received: count('Messages in the report.', 4),
    counted: Type.Object(
      {
        delivered: count('Deliveries that count from now on.', 1),
        bounced: count('Bounces that do. One that was counted as delivered before has changed sides.', 1),
      },
      { description: 'What was new.' },
    ),
    not_counted: Type.Object(
      {
        duplicate: count('Known already, or more than once in this report.', 0),
        not_a_mailbox_bounce: count('Bounces whose code tells nothing of the mailbox, or that have none.', 1),
        not_an_address: count('Texts that are no address.', 1),
        no_prediction: count(
          'Bounces with `sent_total` and without a single delivery, of which we have no result: there is nothing to set them against.',
          0,
        ),
      },
      { description: 'What was left out, and why.' },
    ),
    delivered_weight: Type.Number({
      minimum: 1,
      maximum: DELIVERY_WEIGHT_MAX,
      description: 'For how many deliveries each reported one stands, by `sent_total`; 1 without it.',
      examples: [1],
    }),
    predictions_found: count(
      'Messages for which an earlier result of the address was found, so that the two can be compared.',
      2,
    ),
    livemode: LivemodeField,
  },
  {
    title: 'Feedback summary',
    description: 'What was made of a report. Fields may be added.',
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
