import type { ProblemCode } from '../problems.ts'
import type { SubStatus } from '../validations.ts'

/** A test address of the sandbox and its result. */
export type SandboxCase = { meaning: string } & (
  | { kind: 'verdict'; subStatus: SubStatus; trait?: 'role' | 'free' | 'privacy_relay' | 'typo' }
  /** Deferred at the first request, valid some seconds later. */
  | { kind: 'greylisted'; forS: number }
  /** Valid after a delay. */
  | { kind: 'slow'; byS: number }
  /** The whole request returns this problem. A row of a file ends `unknown` instead. */
  | { kind: 'problem'; code: ProblemCode }
)

/** Cases other than a sub_status. Each sub_status has a case under its own name, with hyphens. */
export const SANDBOX_CASES = {
  valid: { kind: 'verdict', subStatus: '', meaning: 'valid.' },
  invalid: { kind: 'verdict', subStatus: 'mailbox_not_found', meaning: 'invalid: the mailbox does not exist.' },
  risky: { kind: 'verdict', subStatus: 'catch_all', meaning: 'risky: the domain is a catch-all.' },
  unknown: { kind: 'verdict', subStatus: 'connection_failed', meaning: 'unknown: no mail server could be reached.' },
  role: {
    kind: 'verdict',
    subStatus: '',
    trait: 'role',
    meaning: 'valid: a role address, which is not `safe_to_send`.',
  },
  free: { kind: 'verdict', subStatus: '', trait: 'free', meaning: 'valid: at a free mailbox provider.' },
  'privacy-relay': {
    kind: 'verdict',
    subStatus: '',
    trait: 'privacy_relay',
    meaning: 'valid: behind a privacy relay.',
  },
  typo: {
    kind: 'verdict',
    subStatus: 'domain_not_found',
    trait: 'typo',
    meaning: 'invalid: with a `did_you_mean`.',
  },
  greylisted: {
    kind: 'greylisted',
    forS: 30,
    meaning: '`unknown` with a `retry_at` for 30 seconds after the first request, then `valid`.',
  },
  'slow-5s': { kind: 'slow', byS: 5, meaning: 'valid: after five seconds.' },
  'error-402': {
    kind: 'problem',
    code: 'insufficient_credits',
    meaning: 'the request is rejected: insufficient credits.',
  },
  'error-429': { kind: 'problem', code: 'rate_limited', meaning: 'the request is rejected: too many requests.' },
  'error-500': { kind: 'problem', code: 'internal_error', meaning: 'the request fails: internal server error.' },
  'error-503': { kind: 'problem', code: 'service_unavailable', meaning: 'the request fails: service unavailable.' },
} as const satisfies Record<string, SandboxCase>
