import type { Static } from 'typebox'
import Type from 'typebox'
import { JOB_ID } from '../../constants/data/examples.ts'
import { REPORT_LINK_DAYS_DEFAULT, REPORT_LINK_DAYS_MAX } from '../../constants/limits.ts'
import { count, nullableString } from '../fields.ts'
import { CELL_OPTION_FIELDS, LINE_COUNTS } from './list-counts.ts'

const LINK_ID = '0198f2d4-50a1-7c3e-9b62-1d08f7e4a635'
// 32 zero bytes, which no generator creates.
const TOKEN_EXAMPLE = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

export type CreateReportLink = Static<typeof CreateReportLink>
export const CreateReportLink = Type.Object(
  {
    expires_in_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: REPORT_LINK_DAYS_MAX,
        description: `Days until the link expires, at most ${REPORT_LINK_DAYS_MAX}. Default: ${REPORT_LINK_DAYS_DEFAULT}.`,
        examples: [REPORT_LINK_DAYS_DEFAULT],
      }),
    ),
  },
  {
    title: 'Create report link request',
    description: 'Creates a link to the report of a job.',
    additionalProperties: false,
    examples: [{ expires_in_days: REPORT_LINK_DAYS_DEFAULT }, {}],
  },
)

const linkFields = {
  id: Type.String({ format: 'uuid', description: 'Id of the link.', examples: [LINK_ID] }),
  job_id: Type.String({ format: 'uuid', description: 'Id of the job.', examples: [JOB_ID] }),
  created_at: Type.String({
    format: 'date-time',
    description: 'When the link was created (RFC 3339, UTC).',
    examples: ['2026-11-02T12:10:00.000Z'],
  }),
  expires_at: Type.String({
    format: 'date-time',
    description: 'When the link expires (RFC 3339, UTC).',
    examples: ['2026-12-02T12:10:00.000Z'],
  }),
}

const LINK_EXAMPLE = {
  id: LINK_ID,
  job_id: JOB_ID,
  created_at: '2026-11-02T12:10:00.000Z',
  expires_at: '2026-12-02T12:10:00.000Z',
}

export type ReportLink = Static<typeof ReportLink>
export const ReportLink = Type.Object(linkFields, {
  title: 'Report link',
  description: 'A link to the report of a job, without its URL. Fields may be added.',
  examples: [LINK_EXAMPLE],
})

export type ReportLinkList = Static<typeof ReportLinkList>
export const ReportLinkList = Type.Array(ReportLink, {
  title: 'Report link list',
  description: 'The links to the report of a job that can be opened, newest first.',
  examples: [[LINK_EXAMPLE]],
})

export type ReportLinkWithUrl = Static<typeof ReportLinkWithUrl>
export const ReportLinkWithUrl = Type.Object(
  {
    ...linkFields,
    url: Type.String({
      description:
        'URL of the report, for readers without a login. It is returned once: only a hash of its token is stored.',
      examples: [`https://probity.example.com/app/report#${TOKEN_EXAMPLE}`],
    }),
  },
  {
    title: 'Report link with URL',
    description: 'A new link to the report of a job. Fields may be added.',
    examples: [{ ...LINK_EXAMPLE, url: `https://probity.example.com/app/report#${TOKEN_EXAMPLE}` }],
  },
)

export type ReportLinkParams = Static<typeof ReportLinkParams>
export const ReportLinkParams = Type.Object(
  {
    job_id: Type.String({ format: 'uuid', description: 'The `id` of the job.', examples: [JOB_ID] }),
    link_id: Type.String({ format: 'uuid', description: 'The `id` of the link.', examples: [LINK_ID] }),
  },
  { title: 'Report link path', description: 'The link.', examples: [{ job_id: JOB_ID, link_id: LINK_ID }] },
)

/** For the page of a report, which sends the token of its URL. */
export type ReportRequest = Static<typeof ReportRequest>
export const ReportRequest = Type.Object(
  { token: Type.String({ maxLength: 100, examples: [TOKEN_EXAMPLE] }) },
  { additionalProperties: false },
)

const StatusSums = {
  valid: count('Valid.', 1),
  invalid: count('Invalid.', 1),
  risky: count('Risky.', 1),
  unknown: count('Unknown.', 1),
}

/** A report: sums of a job, without addresses, domains and anything about the account. */
export type Report = Static<typeof Report>
export const Report = Type.Object(
  {
    name: Type.String({ examples: ['Newsletter, November'] }),
    status: Type.String({ examples: ['completed'] }),
    created_at: Type.String({ format: 'date-time', examples: ['2026-11-02T12:00:00.000Z'] }),
    finished_at: nullableString({ format: 'date-time', examples: ['2026-11-02T12:03:07.412Z'] }),
    link_expires_at: Type.String({ format: 'date-time', examples: ['2026-12-02T12:10:00.000Z'] }),
    livemode: Type.Boolean({ examples: [true] }),
    row_count: count('Rows.', 10_500),
    ...LINE_COUNTS,
    several_addresses: CELL_OPTION_FIELDS.several_addresses,
    unique_count: count('Unique addresses.', 10_000),
    duplicate_count: count('Repetitions.', 452),
    status_counts: Type.Object(StatusSums, { examples: [{ valid: 8_810, invalid: 388, risky: 647, unknown: 155 }] }),
    by_reason: Type.Array(
      Type.Object({ status: Type.String(), sub_status: Type.String(), count: count('Addresses.', 1) }),
      {
        examples: [
          [
            { status: 'valid', sub_status: '', count: 8_810 },
            { status: 'risky', sub_status: 'catch_all', count: 647 },
            { status: 'invalid', sub_status: 'mailbox_not_found', count: 388 },
            { status: 'unknown', sub_status: 'greylisted', count: 155 },
          ],
        ],
      },
    ),
    /** Null after the results have expired, and until they are sorted. */
    by_provider: Type.Unsafe<({ provider: string; count: number } & Record<keyof typeof StatusSums, number>)[] | null>({
      type: ['array', 'null'],
      items: {
        type: 'object',
        required: ['provider', 'count', ...Object.keys(StatusSums)],
        properties: { provider: { type: 'string' }, count: { type: 'integer' }, ...StatusSums },
      },
      examples: [
        [
          { provider: 'google', count: 5_200, valid: 5_000, invalid: 100, risky: 90, unknown: 10 },
          { provider: '', count: 4_800, valid: 3_810, invalid: 288, risky: 557, unknown: 145 },
        ],
      ],
    }),
  },
  { title: 'Report' },
)
