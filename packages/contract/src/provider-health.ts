import type { Static } from 'typebox'
import Type from 'typebox'
import { openList, valueList } from './value-list.ts'

/** How mail providers treat those who ask from here. */
export const HEALTH_STATUSES = {
  normal: 'no provider that we know keeps us away.',
  limited: 'those in `providers` do, until a time that is known.',
  unknown: 'it cannot be said at the moment.',
} as const satisfies Record<string, string>

const EXAMPLE = {
  status: 'limited',
  sentence: 'Microsoft Outlook.com puts us off: expect more unknown results until about 15:00 UTC.',
  providers: [
    {
      provider: 'microsoft',
      name: 'Microsoft Outlook.com',
      reason: 'rate_limited',
      until: '2026-11-09T15:00:00.000Z',
    },
  ],
}

const ProviderTrouble = Type.Object({
  provider: Type.String({ description: 'The provider, as in results.', examples: ['microsoft'] }),
  name: Type.String({ description: 'What it is called.', examples: ['Microsoft Outlook.com'] }),
  reason: Type.String({
    description: 'What it turned us away for. The list is open.',
    examples: ['rate_limited', 'ip_blocked'],
  }),
  until: Type.String({
    format: 'date-time',
    description: 'Until when it is left alone (RFC 3339, UTC).',
    examples: ['2026-11-09T15:00:00.000Z'],
  }),
})

export type ProviderTrouble = Static<typeof ProviderTrouble>

export type ProviderHealth = Static<typeof ProviderHealth>
export const ProviderHealth = Type.Object(
  {
    status: Type.String({
      description: `Whether providers keep us away. The list is open.${valueList(HEALTH_STATUSES)}`,
      ...openList(HEALTH_STATUSES),
    }),
    sentence: Type.String({ description: 'The same in one sentence, for people.', examples: [EXAMPLE.sentence] }),
    providers: Type.Array(ProviderTrouble, {
      description: 'The providers that keep us away, the one that does so for longest first.',
    }),
  },
  {
    title: 'Provider health',
    description: 'How mail providers treat this installation at the moment. Fields may be added.',
    examples: [EXAMPLE],
  },
)

const NAMED_MAX = 2

/** What there is to say of the providers. `timeOf` writes the time until which it holds as its reader knows it. */
export function healthSentence(
  health: Pick<ProviderHealth, 'status' | 'providers'>,
  timeOf: (until: string) => string,
) {
  const { status, providers } = health
  const [first] = providers
  if (status === 'normal') return 'No mail provider keeps us away at the moment.'
  if (status !== 'limited' || first === undefined) return 'How mail providers treat us is not known at the moment.'
  const puts = providers.length === 1 ? 'puts' : 'put'
  return `${nameAll(providers)} ${puts} us off: expect more unknown results until about ${timeOf(first.until)}.`
}

function nameAll(providers: Pick<ProviderTrouble, 'name'>[]): string {
  const named = providers.slice(0, NAMED_MAX).map(({ name }) => name)
  const others = providers.length - named.length
  if (others > 0) return `${named.join(', ')} and ${others === 1 ? 'one other provider' : `${others} other providers`}`
  return named.join(' and ')
}
