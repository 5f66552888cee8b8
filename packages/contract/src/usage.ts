import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { DAYS_MAX, dayField } from './days.ts'
import { LivemodeField } from './livemode.ts'
import { nullableString } from './nullable.ts'

/** Maximum number of keys listed individually. */
export const USAGE_KEYS_MAX = 1_000

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

const Day = Type.Object({ occurred_on: dayField('The day (UTC).', '2026-11-02'), ...AMOUNTS })

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
      Type.Array(Day, {
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
