import type { Static } from 'typebox'
import Type from 'typebox'
import { JOB_EXAMPLE, Job } from './bulk.ts'
import { count } from './count.ts'
import { dayField } from './days.ts'
import { LivemodeField } from './livemode.ts'
import { nullableString } from './nullable.ts'
import { PROBING_EXAMPLE, ProbingField } from './probing.ts'
import { ProviderHealth } from './provider-health.ts'
import { openList, valueList } from './value-list.ts'

/** Conditions that need attention. */
export const ALERT_KINDS = {
  webhook_failing: 'deliveries to a webhook fail; `id` is the webhook.',
  webhook_disabled: 'a webhook was disabled because its deliveries failed; `id` is the webhook.',
  key_unused: 'an active API key was not used for 30 days; `id` is the key.',
  results_expiring: 'the results of a job expire within two days; `id` is the job.',
  credits_low: 'the available credits are at or below the threshold of the account.',
} as const satisfies Record<string, string>

export type AlertKind = keyof typeof ALERT_KINDS

export const OVERVIEW_DAYS_MAX = 90
const OVERVIEW_DAYS_USUAL = 30

export type OverviewQuery = Static<typeof OverviewQuery>
export const OverviewQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: OVERVIEW_DAYS_MAX,
        default: OVERVIEW_DAYS_USUAL,
        description: 'Number of days, up to today (UTC), to return verdicts for.',
        examples: [30],
      }),
    ),
  },
  { title: 'Overview query', description: 'Period of the overview.', examples: [{ days: 30 }] },
)

const COUNTS = {
  valid: count('Addresses that are `valid`.', 812),
  invalid: count('Addresses that are `invalid`.', 96),
  risky: count('Addresses that are `risky`.', 51),
  unknown: count('Addresses that are `unknown`, including deferred ones.', 21),
}
const COUNTS_EXAMPLE = { valid: 812, invalid: 96, risky: 51, unknown: 21 }

const Day = Type.Object({ occurred_on: dayField('The day (UTC).', '2026-11-02'), ...COUNTS })

const ProblemCount = Type.Object({
  code: Type.String({ description: 'The `code` of the problem.', examples: ['rate_limited'] }),
  http_status: Type.Integer({ description: 'The HTTP status of the problem.', examples: [429] }),
  count: count('Requests that received this problem.', 12),
  last_occurred_at: Type.String({
    format: 'date-time',
    description: 'The time of the last of these requests (RFC 3339, UTC).',
    examples: ['2026-11-09T08:41:00.000Z'],
  }),
})

const Alert = Type.Object({
  kind: Type.String({
    description: `The kind of alert. More kinds may be added.${valueList(ALERT_KINDS)}`,
    ...openList(ALERT_KINDS),
  }),
  id: nullableString({
    format: 'uuid',
    description: 'The webhook, API key or job; null for an alert about the account.',
    examples: ['0198f2e3-58b6-7c21-9d4f-6a0b13e7c582', null],
  }),
  name: nullableString({ description: 'The name of the webhook, API key or job.', examples: ['Sign-up form', null] }),
  occurred_at: nullableString({
    format: 'date-time',
    description:
      'The time since which a webhook fails or is disabled, at which a key was last used (or created), or at which results expire (RFC 3339, UTC); null for an alert about the account.',
    examples: ['2026-11-09T08:41:00.000Z', null],
  }),
})

const UNREAD = 'null if it cannot be read at the moment.'

/** A part that may be missing without the others. */
function part<S extends Type.TObject>(schema: S, description: string) {
  const { required, properties } = schema
  return Type.Unsafe<Static<S> | null>({
    type: ['object', 'null'],
    required,
    properties,
    description: `${description}; ${UNREAD}`,
    examples: [null],
  })
}

function parts<S extends Type.TObject>(schema: S, description: string) {
  return Type.Unsafe<Static<S>[] | null>({
    type: ['array', 'null'],
    items: schema,
    description: `${description}; ${UNREAD}`,
    examples: [null],
  })
}

const Verdicts = Type.Object({
  days: Type.Array(Day, { description: 'All days of the period, oldest first, including days without validations.' }),
  total: Type.Object(COUNTS, { description: 'Totals of the period.' }),
  today: Type.Object(COUNTS, { description: 'Totals of the last day, which is today (UTC).' }),
})

const Jobs = Type.Object({
  running: Type.Array(Job, { description: 'Jobs that are queued, in progress or paused: at most five, newest first.' }),
  ended: Type.Array(Job, { description: 'Jobs that are completed, canceled or failed: at most five, newest first.' }),
})

export type Overview = Static<typeof Overview>
export const Overview = Type.Object(
  {
    livemode: LivemodeField,
    is_new: Type.Boolean({
      description: 'Whether nothing was ever validated in this mode.',
      examples: [false],
    }),
    from_on: dayField('First day of the period (UTC).', '2026-10-11'),
    to_on: dayField('Last day of the period (UTC), which is today.', '2026-11-09'),
    verdicts: part(Verdicts, 'Verdicts by day. A job counts on the day it was confirmed, until it is deleted'),
    jobs: part(Jobs, 'Jobs in progress and the last finished ones; also null for keys without the `jobs:read` scope'),
    problems: parts(ProblemCount, 'Problems of the requests of the last 24 hours, most frequent first, at most ten'),
    alerts: parts(Alert, 'Conditions that need attention, at most twenty'),
    providers: ProviderHealth,
    probing: part(
      ProbingField,
      'Whether the installation can probe mail servers at the moment, and if not, the reason',
    ),
  },
  {
    title: 'Overview',
    description: 'Overview of the account. Parts that cannot be read are null. Fields may be added.',
    examples: [
      {
        livemode: true,
        is_new: false,
        from_on: '2026-11-09',
        to_on: '2026-11-09',
        verdicts: {
          days: [{ occurred_on: '2026-11-09', ...COUNTS_EXAMPLE }],
          total: COUNTS_EXAMPLE,
          today: COUNTS_EXAMPLE,
        },
        jobs: { running: [JOB_EXAMPLE], ended: [] },
        problems: [{ code: 'rate_limited', http_status: 429, count: 12, last_occurred_at: '2026-11-09T08:41:00.000Z' }],
        alerts: [{ kind: 'credits_low', id: null, name: null, occurred_at: null }],
        providers: { status: 'normal', message: 'No mail provider limits probes at the moment.', providers: [] },
        probing: PROBING_EXAMPLE,
      },
    ],
  },
)
