import { DOCTOR_CHECKS } from '@probity/contract/constants/data/doctor-checks'
import { DOCTOR_STATUSES, describeFinding } from '@probity/contract/constants/operators'
import type {
  DoctorReport,
  Health,
  OperatorAccount,
  OperatorAccounts,
  OperatorEgresses,
  OperatorOptOuts,
  OperatorProvider,
  OperatorProviders,
  OperatorQueues,
  OperatorReviews,
  UnclassifiedReplies,
} from '@probity/contract/schemas/operators'
import { ACCOUNT } from './test-accounts.ts'
import { inHours } from './test-examples.ts'
import { RUNNING_JOB } from './test-jobs.ts'

export const HEALTH: Health = {
  checked_at: inHours(0),
  parts: [
    { name: 'API', state: 'ok', detail: 'One process responds.', since_at: inHours(-50) },
    { name: 'Worker', state: 'down', detail: 'No worker has sent a heartbeat.', since_at: inHours(-1) },
    { name: 'Redis', state: 'degraded', detail: 'Responses take 300 ms.', since_at: null },
    { name: 'Storage', state: 'off', detail: 'No storage is configured.', since_at: null },
  ],
}

const CHECKS = Object.keys(DOCTOR_CHECKS) as (keyof typeof DOCTOR_CHECKS)[]
export const DOCTOR: DoctorReport = {
  findings: DOCTOR_STATUSES.flatMap((status, n) => {
    const check = CHECKS[n]
    if (check === undefined) return []
    const fix = status === 'pass' ? null : { says: 'Add this record.', lines: ['mail.example.com. A 192.0.2.25'] }
    const finding = describeFinding({ check, subject: 'mail.example.com', status, saw: 'The record is missing.', fix })
    return [{ ...finding, host: n === 0 ? null : 'worker-1', checked_at: inHours(-1), since_at: inHours(-30) }]
  }),
  run_requested: false,
}

const PROVIDER: OperatorProvider = {
  provider: 'google',
  probes: 12_400,
  throttled: 0,
  conclusive: 0.97,
  deferred: 0.02,
  blocked: 0,
  no_response: 0.01,
  p50_ms: 200,
  p95_ms: 800,
  connections: 4,
  connections_max: 20,
  per_minute: 60,
  level: 0.4,
  suspension_ends_at: null,
  suspension_reason: null,
  suspended_egresses: 0,
  paused_at: null,
  rate_percent: 100,
}
export const PROVIDERS: OperatorProviders = {
  hours: 24,
  providers: [
    PROVIDER,
    { ...PROVIDER, provider: 'gmx', throttled: 20, level: 1, rate_percent: 50 },
    {
      ...PROVIDER,
      provider: 'microsoft',
      blocked: 0.4,
      suspension_ends_at: inHours(1),
      suspension_reason: 'ip_blocked',
      suspended_egresses: 1,
    },
    { ...PROVIDER, provider: 'yahoo', paused_at: inHours(-2) },
    { ...PROVIDER, provider: '', probes: 0, conclusive: null, p50_ms: null, p95_ms: null, connections_max: null },
  ],
}

export const EGRESSES: OperatorEgresses = {
  egresses: [
    {
      name: 'primary',
      helo: 'mail.example.com',
      address: '192.0.2.25',
      proxy: null,
      workers: 1,
      connections: 4,
      probes_24h: 12_400,
      blocked_24h: 310,
      suspensions: [{ provider: 'microsoft', ends_at: inHours(1), reason: 'ip_blocked' }],
      last_block: '550 5.7.1 Service unavailable, client host blocked',
      last_block_at: inHours(-1),
      drained_at: null,
    },
    {
      name: 'second',
      helo: 'mail2.example.com',
      address: null,
      proxy: 'socks5://192.0.2.80:1080',
      workers: 0,
      connections: 0,
      probes_24h: 0,
      blocked_24h: 0,
      suspensions: [],
      last_block: null,
      last_block_at: null,
      drained_at: inHours(-3),
    },
  ],
}

const DEFERRED = { minute: 2, ten_minutes: 30, hour: 280, later: 0 }
export const QUEUES: OperatorQueues = {
  tasks: [
    { name: 'validations', waiting: 3, active: 12 },
    { name: 'jobs', waiting: null, active: null },
  ],
  validations: {
    waiting: 3,
    oldest_at: inHours(0),
    enqueued_per_minute: 40,
    completed_per_minute: 38.5,
    deferred: DEFERRED,
  },
  jobs: {
    in_progress: 1,
    paused: 1,
    waiting: 200,
    active: 100,
    completed_per_minute: 3_200,
    deferred: DEFERRED,
    stalled: [
      {
        job_id: RUNNING_JOB.id,
        account_id: ACCOUNT.id,
        account_name: ACCOUNT.name,
        status: 'processing',
        done: 6_400,
        total: 10_000,
        created_at: inHours(-2),
        last_done_at: inHours(-1),
      },
    ],
  },
  webhooks: { due: 1, oldest_at: inHours(-1), later: 4 },
}

export const REVIEWS: OperatorReviews = {
  are_limits_on: true,
  reviews: [
    {
      job_id: RUNNING_JOB.id,
      account_id: ACCOUNT.id,
      account_name: ACCOUNT.name,
      mode: 'live',
      reason: 'guessed_addresses',
      domain: 'example.org',
      domain_addresses: 900,
      sample_done: 200,
      sample_invalid: 150,
      done: 200,
      total: 10_000,
      paused_at: inHours(-2),
    },
  ],
}
export const OPT_OUTS: OperatorOptOuts = {
  domains: [{ domain: 'example.org', note: 'By email, 2 November', created_at: '2026-11-02T12:00:00.000Z' }],
}

const ONE_ACCOUNT: OperatorAccount = {
  id: ACCOUNT.id,
  name: ACCOUNT.name,
  slug: 'example',
  plan: 'payg',
  unlimited: false,
  available: 24_310,
  reserved: 3_600,
  spent: 72_090,
  used_30d: 29_400,
  members: 2,
  keys: 3,
  created_at: '2026-06-01T09:00:00.000Z',
  suspended_at: null,
  on_hold_at: null,
}
export const ACCOUNTS: OperatorAccounts = {
  accounts: [
    ONE_ACCOUNT,
    { ...ONE_ACCOUNT, id: '0198e4a7-20d9-7b58-a3c6-95f1e80b4d73', name: 'Bletchley', suspended_at: inHours(-20) },
    {
      ...ONE_ACCOUNT,
      id: '0198e4a7-20d9-7b58-a3c6-95f1e80b4d74',
      name: 'Internal',
      slug: null,
      unlimited: true,
      on_hold_at: inHours(-4),
    },
  ],
  total: 3,
  plans: ['payg', 'starter'],
}

export const REPLIES: UnclassifiedReplies = {
  replies: [
    {
      provider: 'gmx',
      stage: 'rcpt',
      code: 550,
      reply: '550 Requested action not taken: mailbox unavailable',
      seen: 41,
      first_seen_at: inHours(-300),
      last_seen_at: inHours(-1),
      reviewed_at: null,
    },
    {
      provider: '',
      stage: 'mail',
      code: 421,
      reply: '421 Closing',
      seen: 1,
      first_seen_at: inHours(-30),
      last_seen_at: inHours(-30),
      reviewed_at: inHours(-2),
    },
  ],
}
