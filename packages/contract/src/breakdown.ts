import type { Static } from 'typebox'
import Type from 'typebox'
import { count } from './count.ts'
import { PRESETS } from './data/presets.ts'
import { StatusField, SubStatusField } from './status-fields.ts'
import { openList } from './value-list.ts'

const ReasonCount = Type.Object(
  {
    status: StatusField,
    sub_status: SubStatusField,
    count: count('Unique addresses with this verdict.', 361),
  },
  { description: 'One reason.' },
)

const COUNTS = {
  count: count('Unique addresses there.', 4127),
  valid: count('Those of them that are `valid`.', 3502),
  invalid: count('Those that are `invalid`.', 311),
  risky: count('Those that are `risky`.', 204),
  unknown: count('Those that ended `unknown`.', 110),
}

const provider = Type.String({
  description: 'Who runs the mailboxes, as in a result; empty where that is not known.',
  examples: ['google'],
})

const ProviderCounts = Type.Object({ provider, ...COUNTS }, { description: 'One provider.' })

const DomainCounts = Type.Object(
  {
    domain: Type.String({ description: 'The domain, as in a result.', examples: ['example.com'] }),
    provider,
    ...COUNTS,
  },
  { description: 'One domain.' },
)

const share = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, examples: [example] })

const KeepPlan = Type.Object(
  {
    preset: Type.String({
      title: 'Preset',
      ...openList(PRESETS),
      description: 'The name of the plan, as results and the command line know it. The list is open.',
    }),
    keep_count: count('Unique addresses that stay.', 5842),
    remove_count: count('Unique addresses that go.', 558),
    expected_bounce_rate: Type.Object(
      {
        low: share('At least this share.', 0.0102),
        high: share('At most this share.', 0.0944),
      },
      {
        description:
          'Which share of mail to those that stay is expected to come back. Provisional: by a figure for each reason, set by hand.',
      },
    ),
    keeps: Type.Array(Type.String(), {
      description:
        'The reasons of which it keeps any, as `sub_status`; the empty one is `valid`. `safest` keeps only what is `safe_to_send`.',
      examples: [['', 'catch_all', 'provider_unverifiable']],
    }),
  },
  { description: 'What one preset would make of the list.' },
)

const GOOGLE = { provider: 'google', count: 4127, valid: 3502, invalid: 311, risky: 204, unknown: 110 }

export type Breakdown = Static<typeof Breakdown>
export const Breakdown = Type.Object(
  {
    by_reason: Type.Array(ReasonCount, { description: 'All verdicts that occurred, most first.' }),
    by_provider: Type.Array(ProviderCounts, { description: 'All providers, largest first.' }),
    by_domain: Type.Array(DomainCounts, {
      description: 'The 20 domains with the most addresses, largest first. Addresses without a domain are left out.',
    }),
    keep_plans: Type.Array(KeepPlan, { description: 'What each preset keeps and removes, the strictest first.' }),
  },
  {
    title: 'Job breakdown',
    description:
      'The results of a job counted in several ways; while it is under way, the results so far. Fields may be added.',
    examples: [
      {
        by_reason: [
          { status: 'valid', sub_status: '', count: 5240 },
          { status: 'risky', sub_status: 'catch_all', count: 602 },
        ],
        by_provider: [GOOGLE],
        by_domain: [{ domain: 'example.com', ...GOOGLE }],
        keep_plans: [
          {
            preset: 'balanced',
            keep_count: 5842,
            remove_count: 558,
            expected_bounce_rate: { low: 0.0096, high: 0.0861 },
            keeps: ['', 'catch_all', 'provider_unverifiable'],
          },
        ],
      },
    ],
  },
)
