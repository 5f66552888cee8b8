import type { Static } from 'typebox'
import Type from 'typebox'
import { JOB_ID } from '../../constants/data/examples.ts'
import { count } from '../fields.ts'

const EARLIER_ID = '0198f2d1-93a8-7b05-8f17-04e5d6c2b9a2'

export type ComparisonQuery = Static<typeof ComparisonQuery>
export const ComparisonQuery = Type.Object(
  {
    with: Type.String({
      format: 'uuid',
      description: 'The `id` of the earlier job: any other job of the account in the same mode.',
      examples: [EARLIER_ID],
    }),
  },
  { title: 'Comparison query', description: 'The earlier job.', examples: [{ with: EARLIER_ID }] },
)

const StatusChange = Type.Object(
  {
    from: Type.String({ description: 'Status in the earlier job.', examples: ['unknown'] }),
    to: Type.String({ description: 'Status in this job.', examples: ['valid'] }),
    count: count('Addresses with this change.', 96),
  },
  { description: 'One change of the status.' },
)

const ComparedCounts = Type.Object(
  {
    valid: count('Addresses with the status `valid`.', 5210),
    invalid: count('Addresses with the status `invalid`.', 388),
    risky: count('Addresses with the status `risky`.', 647),
    unknown: count('Addresses with the status `unknown`.', 155),
  },
  { description: 'The results by status.' },
)

const CHANGES_EXAMPLE = {
  matched_count: 9_940,
  changed_count: 118,
  added_count: 60,
  removed_count: 32,
  status_counts: { valid: 8_856, invalid: 405, risky: 642, unknown: 37 },
  with_status_counts: { valid: 8_782, invalid: 383, risky: 642, unknown: 133 },
  by_status: [
    { from: 'unknown', to: 'valid', count: 96 },
    { from: 'valid', to: 'invalid', count: 22 },
  ],
}

const changeFields = {
  matched_count: count('Addresses that have a result in both jobs.', CHANGES_EXAMPLE.matched_count),
  changed_count: count('Those of them whose status differs.', CHANGES_EXAMPLE.changed_count),
  added_count: count('Addresses that have a result in this job only.', CHANGES_EXAMPLE.added_count),
  removed_count: count('Addresses that have a result in the earlier job only.', CHANGES_EXAMPLE.removed_count),
  status_counts: Type.With(ComparedCounts, {
    description: 'The addresses that have a result in both jobs by their status in this job.',
  }),
  with_status_counts: Type.With(ComparedCounts, { description: 'The same by their status in the earlier job.' }),
  by_status: Type.Array(StatusChange, {
    description: 'The changed addresses by their statuses, most frequent first.',
    examples: [CHANGES_EXAMPLE.by_status],
  }),
}

const ChangesFields = Type.Object(changeFields)

const Changes = Type.Unsafe<Static<typeof ChangesFields> | null>({
  type: ['object', 'null'],
  required: Object.keys(changeFields),
  properties: changeFields,
  description:
    'The changes per address, without regard to upper and lower case. Null if the results of one of the jobs have expired, or if it has more than 200,000 results.',
  examples: [CHANGES_EXAMPLE, null],
})

export type JobComparison = Static<typeof JobComparison>
export const JobComparison = Type.Object(
  {
    job_id: Type.String({ format: 'uuid', description: 'Id of this job.', examples: [JOB_ID] }),
    with_job_id: Type.String({ format: 'uuid', description: 'Id of the earlier job.', examples: [EARLIER_ID] }),
    status_counts: Type.With(ComparedCounts, { description: 'All results of this job by status.' }),
    with_status_counts: Type.With(ComparedCounts, { description: 'All results of the earlier job by status.' }),
    changes: Changes,
  },
  {
    title: 'Job comparison',
    description:
      'The results of a job compared with those of an earlier one. While a job is in progress, its results so far. Fields may be added.',
    examples: [
      {
        job_id: JOB_ID,
        with_job_id: EARLIER_ID,
        status_counts: { valid: 8_906, invalid: 410, risky: 647, unknown: 37 },
        with_status_counts: { valid: 8_810, invalid: 388, risky: 641, unknown: 133 },
        changes: CHANGES_EXAMPLE,
      },
    ],
  },
)
