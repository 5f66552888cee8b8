import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { DAYS_MAX, dayField } from './days.ts'
import { LivemodeField } from './livemode.ts'
import { nullableString } from './nullable.ts'

/** Keys that used less than so many others are not shown one by one. */
export const USAGE_KEYS_MAX = 1_000

const KEY_ID = '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582'

export type UsageQuery = Static<typeof UsageQuery>
export const UsageQuery = Type.Object(
  {
    from: Type.Optional(dayField('The first day (UTC); 29 days before `to` if left out.', '2026-10-04')),
    to: Type.Optional(dayField('The last day (UTC); today if left out.', '2026-11-02')),
    by: Type.Optional(
      Type.Enum(['day', 'key'], {
        type: 'string',
        default: 'day',
        description: 'Whether there is one entry for each day, in `days`, or for each key, in `keys`.',
        examples: ['key'],
      }),
    ),
  },
  {
    title: 'Usage query',
    description: `Which days, at most ${DAYS_MAX}, and by what they are added up.`,
    examples: [{ from: '2026-10-04', to: '2026-11-02', by: 'day' }],
  },
)

const AMOUNTS = {
  requests: count('Requests that were made with keys. Those of people in the web application are not counted.', 1204),
  credits_used: count('Credits charged: 1 for each address of a list or request that was paid for.', 980),
  credits_refunded: count(
    'Credits given back for results that ended `unknown`, on the day when they were: it may be a later one than that of the charge.',
    14,
  ),
}
const AMOUNTS_EXAMPLE = { requests: 1204, credits_used: 980, credits_refunded: 14 }

const Day = Type.Object({ occurred_on: dayField('The day (UTC).', '2026-11-02'), ...AMOUNTS })

const Key = Type.Object({
  key_id: nullableString({
    format: 'uuid',
    description: 'The `id` of the key; null for what people did in the web application.',
    examples: [KEY_ID, null],
  }),
  key_name: nullableString({
    description: 'What the key is called; null where there is none.',
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
    total: Type.Object(AMOUNTS, { description: 'All of it together.' }),
    days: Type.Optional(
      Type.Array(Day, { description: 'Every day, the first one first, also where nothing happened. With `by=day`.' }),
    ),
    keys: Type.Optional(
      Type.Array(Key, {
        description: `The keys that did something, those that used the most first, and at most ${USAGE_KEYS_MAX}. With \`by=key\`.`,
      }),
    ),
  },
  {
    title: 'Usage',
    description: 'What was asked and what it cost. Fields may be added.',
    examples: [
      { ...EXAMPLE, days: [{ occurred_on: '2026-11-02', ...AMOUNTS_EXAMPLE }] },
      { ...EXAMPLE, keys: [{ key_id: KEY_ID, key_name: 'Sign-up form', ...AMOUNTS_EXAMPLE }] },
    ],
  },
)
