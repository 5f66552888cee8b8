import type { Static } from 'typebox'
import Type from 'typebox'
import { openList, valueList } from './value-list.ts'

/** Whether mail providers limit the probes of this installation. */
export const HEALTH_STATUSES = {
  normal: 'no known provider limits probes.',
  limited: 'the providers in `providers` limit probes until a known time.',
  unknown: 'the state cannot be read at the moment.',
} as const satisfies Record<string, string>

const EXAMPLE = {
  status: 'limited',
  message: 'Microsoft Outlook.com limits probes: expect more unknown results until about 15:00 UTC.',
  providers: [
    {
      provider: 'microsoft',
      name: 'Microsoft Outlook.com',
      reason: 'rate_limited',
      retry_at: '2026-11-09T15:00:00.000Z',
    },
  ],
}

const ProviderTrouble = Type.Object({
  provider: Type.String({ description: 'The provider, as in results.', examples: ['microsoft'] }),
  name: Type.String({ description: 'The display name of the provider.', examples: ['Microsoft Outlook.com'] }),
  reason: Type.String({
    description: 'The reason for the suspension. More values may be added.',
    examples: ['rate_limited', 'ip_blocked'],
  }),
  retry_at: Type.String({
    format: 'date-time',
    description: 'The time at which probing of the provider resumes (RFC 3339, UTC).',
    examples: ['2026-11-09T15:00:00.000Z'],
  }),
})

export type ProviderTrouble = Static<typeof ProviderTrouble>

export type ProviderHealth = Static<typeof ProviderHealth>
export const ProviderHealth = Type.Object(
  {
    status: Type.String({
      description: `Whether providers limit probes. More values may be added.${valueList(HEALTH_STATUSES)}`,
      ...openList(HEALTH_STATUSES),
    }),
    message: Type.String({ description: 'The same as a sentence for users.', examples: [EXAMPLE.message] }),
    providers: Type.Array(ProviderTrouble, {
      description: 'The providers that limit probes, the latest `retry_at` first.',
    }),
  },
  {
    title: 'Provider health',
    description: 'Whether mail providers limit the probes of this installation at the moment. Fields may be added.',
    examples: [EXAMPLE],
  },
)

const NAMED_MAX = 2

/** Describes the state of the providers. `timeOf` formats a time for the reader. */
export function healthMessage(
  health: Pick<ProviderHealth, 'status' | 'providers'>,
  timeOf: (retryAt: string) => string,
) {
  const { status, providers } = health
  const [first] = providers
  if (status === 'normal') return 'No mail provider limits probes at the moment.'
  if (status !== 'limited' || first === undefined) return 'The state of mail providers is not known at the moment.'
  const limit = providers.length === 1 ? 'limits' : 'limit'
  return `${nameAll(providers)} ${limit} probes: expect more unknown results until about ${timeOf(first.retry_at)}.`
}

function nameAll(providers: Pick<ProviderTrouble, 'name'>[]): string {
  const named = providers.slice(0, NAMED_MAX).map(({ name }) => name)
  const others = providers.length - named.length
  if (others > 0) return `${named.join(', ')} and ${others === 1 ? 'one other provider' : `${others} other providers`}`
  return named.join(' and ')
}
