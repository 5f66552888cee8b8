import type { Static } from 'typebox'
import Type from 'typebox'
import { DELAY_REASONS, JOB_DELAY_REASONS } from '../constants/jobs.ts'
import { HEALTH_STATUSES, PROBING_REASONS } from '../constants/system.ts'
import { extensibleEnum, nullableString, valueList } from './fields.ts'

/** Whether an installation can probe mail servers. */
const PROBING_MODES = {
  smtp: 'mail servers are probed.',
  dns: 'mail servers cannot be reached at the moment. Addresses whose domain accepts mail are `unknown` with `not_probed`, never `invalid`, and their credit is refunded on every plan.',
}

export type Probing = Static<typeof ProbingField>
export const ProbingField = Type.Object(
  {
    mode: Type.Enum(['smtp', 'dns'], {
      type: 'string',
      description: `Whether mail servers are probed at the moment.${valueList(PROBING_MODES)}`,
      examples: ['smtp', 'dns'],
    }),
    reason: nullableString({
      ...extensibleEnum(PROBING_REASONS),
      description: `Reason why mail servers are not probed; null if they are. Values may be added.${valueList(PROBING_REASONS)}`,
    }),
    resolver_trusted: Type.Boolean({
      description:
        'Whether the DNS resolvers of the installation pass their check. If not, addresses whose domain seems not to exist or to have no mail server are `unknown` with `dns_failed`, never `invalid`, and their credit is refunded on every plan.',
      examples: [true],
    }),
  },
  {
    description:
      'Whether the installation can probe mail servers at the moment, and if not, the reason; and whether it can rely on DNS.',
  },
)

/** What a worker reports about its egresses. */
export type ProbingState = Pick<Probing, 'mode' | 'reason'>

export const PROBING_EXAMPLE = { mode: 'smtp' as const, reason: null, resolver_trusted: true }

/** `subject` begins the description: the reason why it is delayed, or null. */
export function delayReasonField(subject: string) {
  return reasonField(subject, DELAY_REASONS)
}

/** The same for a job. */
export function jobDelayReasonField(subject: string) {
  return reasonField(subject, JOB_DELAY_REASONS)
}

function reasonField(subject: string, reasons: Record<string, string>) {
  const { examples, ...list } = extensibleEnum(reasons)
  const description = `${subject}; null while it is not. Values may be added.${valueList(reasons)}`
  return nullableString({ ...list, examples: [...examples, null], description })
}

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

const LimitedProvider = Type.Object({
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

export type LimitedProvider = Static<typeof LimitedProvider>

export type ProviderHealth = Static<typeof ProviderHealth>
export const ProviderHealth = Type.Object(
  {
    status: Type.String({
      description: `Whether providers limit probes. More values may be added.${valueList(HEALTH_STATUSES)}`,
      ...extensibleEnum(HEALTH_STATUSES),
    }),
    message: Type.String({ description: 'The same as a sentence for users.', examples: [EXAMPLE.message] }),
    providers: Type.Array(LimitedProvider, {
      description: 'The providers that limit probes, the latest `retry_at` first.',
    }),
  },
  {
    title: 'Provider health',
    description: 'Whether mail providers limit the probes of this installation at the moment. Fields may be added.',
    examples: [EXAMPLE],
  },
)
