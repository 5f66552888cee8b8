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
  { description: 'Number of addresses with one reason.' },
)

const COUNTS = {
  count: count('Unique addresses.', 4127),
  valid: count('Unique addresses that are `valid`.', 3502),
  invalid: count('Unique addresses that are `invalid`.', 311),
  risky: count('Unique addresses that are `risky`.', 204),
  unknown: count('Unique addresses that are `unknown`.', 110),
}

const provider = Type.String({
  description: 'Mailbox provider, as in a result; empty if it is not known.',
  examples: ['google'],
})

const ProviderCounts = Type.Object({ provider, ...COUNTS }, { description: 'Counts of one provider.' })

const DomainCounts = Type.Object(
  {
    domain: Type.String({ description: 'Domain, as in a result.', examples: ['example.com'] }),
    provider,
    ...COUNTS,
  },
  { description: 'Counts of one domain.' },
)

const share = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, examples: [example] })

const KeepPlan = Type.Object(
  {
    preset: Type.String({
      title: 'Preset',
      ...openList(PRESETS),
      description: 'Name of the preset, as in the results query and the CLI. Values may be added.',
    }),
    keep_count: count('Unique addresses that the preset keeps.', 5842),
    remove_count: count('Unique addresses that the preset removes.', 558),
    expected_bounce_rate: Type.Object(
      {
        low: share('Lower bound of the bounce rate.', 0.0102),
        high: share('Upper bound of the bounce rate.', 0.0944),
      },
      {
        description: 'Expected bounce rate of the kept addresses. Provisional: estimated with a fixed rate per reason.',
      },
    ),
    keeps: Type.Array(Type.String(), {
      description:
        'Reasons (`sub_status`) of which the preset keeps addresses; the empty value is `valid`. `safest` keeps only addresses that are `safe_to_send`.',
      examples: [['', 'catch_all', 'provider_unverifiable']],
    }),
  },
  { description: 'Effect of one preset on the list.' },
)

const GOOGLE = { provider: 'google', count: 4127, valid: 3502, invalid: 311, risky: 204, unknown: 110 }

export type Breakdown = Static<typeof Breakdown>
export const Breakdown = Type.Object(
  {
    by_reason: Type.Array(ReasonCount, { description: 'All verdicts that occurred, most frequent first.' }),
    by_provider: Type.Array(ProviderCounts, { description: 'All providers, largest first.' }),
    by_domain: Type.Array(DomainCounts, {
      description: 'The 20 domains with the most addresses, largest first. Addresses without a domain are not counted.',
    }),
    keep_plans: Type.Array(KeepPlan, {
      description: 'Addresses that each preset keeps and removes, strictest preset first.',
    }),
  },
  {
    title: 'Job breakdown',
    description:
      'Counts of the results of a job by reason, provider, domain and preset. While the job is in progress, the results so far. Fields may be added.',
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
