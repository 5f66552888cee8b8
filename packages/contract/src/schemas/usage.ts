import type { Static } from 'typebox'
import Type from 'typebox'
import { ALERT_KINDS } from '../constants/accounts.ts'
import { JOB_EXAMPLE } from '../constants/data/examples.ts'
import { DAYS_MAX, OVERVIEW_DAYS_DEFAULT, OVERVIEW_DAYS_MAX, USAGE_KEYS_MAX } from '../constants/limits.ts'
import { count, dayField, extensibleEnum, LivemodeField, nullableString, valueList } from './fields.ts'
import { Job } from './jobs/jobs.ts'
import { PROBING_EXAMPLE, ProbingField, ProviderHealth } from './system.ts'

const KEY_ID = '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'

export type UsageQuery = Static<typeof UsageQuery>
export const UsageQuery = Type.Object(
  {
    from: Type.Optional(dayField('First day (UTC). Default: 29 days before `to`.', '2026-10-04')),
    to: Type.Optional(dayField('Last day (UTC). Default: today.', '2026-11-02')),
    by: Type.Optional(
      Type.Enum(['day', 'key'], {
        type: 'string',
        default: 'day',
        description: 'Whether to return one entry per day, in `days`, or per key, in `keys`.',
        examples: ['key'],
      }),
    ),
  },
  {
    title: 'Usage query',
    description: `Period, at most ${DAYS_MAX} days, and grouping.`,
    examples: [{ from: '2026-10-04', to: '2026-11-02', by: 'day' }],
  },
)

const AMOUNTS = {
  requests: count('Requests with API keys. Requests of the web app are not counted.', 1204),
  credits_used: count('Credits charged: 1 per charged address.', 980),
  credits_refunded: count(
    'Credits refunded for results that ended `unknown`, on the day of the refund, which may be later than the day of the charge.',
    14,
  ),
}
const AMOUNTS_EXAMPLE = { requests: 1204, credits_used: 980, credits_refunded: 14 }

const UsageDay = Type.Object({ occurred_on: dayField('The day (UTC).', '2026-11-02'), ...AMOUNTS })

const Key = Type.Object({
  key_id: nullableString({
    format: 'uuid',
    description: 'The `id` of the API key; null for usage in the web app.',
    examples: [KEY_ID, null],
  }),
  key_name: nullableString({
    description: 'Name of the API key; null if there is none.',
    examples: ['Sign-up form', null],
  }),
  ...AMOUNTS,
})

const EXAMPLE = { from_on: '2026-11-02', to_on: '2026-11-02', livemode: true, total: AMOUNTS_EXAMPLE }

export type Usage = Static<typeof Usage>
export const Usage = Type.Object(
  {
    from_on: dayField('First day of the period (UTC).', '2026-11-02'),
    to_on: dayField('Last day of the period (UTC).', '2026-11-02'),
    livemode: LivemodeField,
    total: Type.Object(AMOUNTS, { description: 'Totals of the period.' }),
    days: Type.Optional(
      Type.Array(UsageDay, {
        description: 'All days of the period, oldest first, including days without usage. With `by=day`.',
      }),
    ),
    keys: Type.Optional(
      Type.Array(Key, {
        description: `The keys with usage, highest usage first, at most ${USAGE_KEYS_MAX}. With \`by=key\`.`,
      }),
    ),
  },
  {
    title: 'Usage',
    description: 'Requests and credits of a period. Fields may be added.',
    examples: [
      { ...EXAMPLE, days: [{ occurred_on: '2026-11-02', ...AMOUNTS_EXAMPLE }] },
      { ...EXAMPLE, keys: [{ key_id: KEY_ID, key_name: 'Sign-up form', ...AMOUNTS_EXAMPLE }] },
    ],
  },
)

export type OverviewQuery = Static<typeof OverviewQuery>
export const OverviewQuery = Type.Object(
  {
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: OVERVIEW_DAYS_MAX,
        default: OVERVIEW_DAYS_DEFAULT,
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

const OverviewDay = Type.Object({ occurred_on: dayField('The day (UTC).', '2026-11-02'), ...COUNTS })

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
    ...extensibleEnum(ALERT_KINDS),
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

/** A part that can be missing independently of the others. */
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
  days: Type.Array(OverviewDay, {
    description: 'All days of the period, oldest first, including days without validations.',
  }),
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
      'Whether the installation can probe mail servers at the moment, and if not, the reason; and whether it can rely on DNS',
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
        providers: { status: 'normal', message: 'No mailbox provider limits probes at the moment.', providers: [] },
        probing: PROBING_EXAMPLE,
      },
    ],
  },
)
