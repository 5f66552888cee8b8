import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { EMAIL_LENGTH_MAX } from './validation.ts'

export type ErasureRequest = Static<typeof ErasureRequest>
export const ErasureRequest = Type.Object(
  {
    email: Type.String({
      maxLength: EMAIL_LENGTH_MAX,
      // An @ between two characters, as in addresses with a syntax error, which have results as well.
      pattern: '[^\\s@]@+[^\\s@]',
      description: `The email address to erase, up to ${EMAIL_LENGTH_MAX} characters. Every spelling that counts as a duplicate of it is erased too, for example in upper case.`,
      examples: ['ada@example.com'],
    }),
  },
  {
    title: 'Erasure request',
    description: 'One address whose data is deleted.',
    additionalProperties: false,
    examples: [{ email: 'ada@example.com' }],
  },
)

export type ErasureCounts = Static<typeof ErasureCounts>
const ErasureCounts = Type.Object(
  {
    validations: count('Deleted single and bulk validations, with their results.', 3),
    job_results: count('Job results without address, domain and evidence from now on. Their verdicts stay.', 2),
    job_batches: count('Deleted batches of ended jobs that contained the address.', 0),
    upload_rows: count('Rows of stored files whose cells were removed.', 2),
    uploads: count('Deleted uploads that were not confirmed, with their previews.', 1),
    recent_results: count('Deleted recent results.', 1),
    idempotency_records: count('Deleted responses to requests with an `Idempotency-Key`.', 1),
    feedback: count('Deleted marks of reported deliveries and bounces. Sums by domain stay.', 1),
    overrides: count('Deleted overrides for exactly this address. Overrides for its domain stay.', 0),
    webhook_events: count('Deleted webhook events, with their deliveries.', 1),
  },
  { title: 'Erasure counts', description: 'Number of deleted or changed objects by kind, of live and test mode.' },
)

export type Erasure = Static<typeof Erasure>
export const Erasure = Type.Object(
  {
    erased_at: Type.String({
      format: 'date-time',
      description: 'Time at which the erasure was completed.',
      examples: ['2026-11-02T09:30:12.345Z'],
    }),
    counts: ErasureCounts,
  },
  {
    title: 'Erasure',
    description: 'A completed erasure. It does not contain the address. Fields may be added.',
    examples: [
      {
        erased_at: '2026-11-02T09:30:12.345Z',
        counts: {
          validations: 3,
          job_results: 2,
          job_batches: 0,
          upload_rows: 2,
          uploads: 1,
          recent_results: 1,
          idempotency_records: 1,
          feedback: 1,
          overrides: 0,
          webhook_events: 1,
        },
      },
    ],
  },
)
