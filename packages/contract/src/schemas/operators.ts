import type { Static } from 'typebox'
import Type from 'typebox'
import { DOCTOR_GROUPS } from '../constants/data/doctor-checks.ts'
import { DOCTOR_STATUSES, HEALTH_STATES } from '../constants/operators.ts'
import { dayField, nullableInteger, nullableNumber, nullableString } from './fields.ts'

const uuid = Type.String({ format: 'uuid' })
const time = Type.String({ format: 'date-time' })
const nullableTime = nullableString({ format: 'date-time' })
const count = Type.Integer({ minimum: 0 })

export type HealthPart = Static<typeof HealthPart>
export const HealthPart = Type.Object({
  name: Type.String(),
  state: Type.Enum([...HEALTH_STATES], { type: 'string' }),
  /** The observation as a sentence. */
  detail: Type.String(),
  /** The time of the start, or of the last change of state; null if it is not known. */
  since_at: nullableTime,
})

export type Health = Static<typeof Health>
export const Health = Type.Object({ checked_at: time, parts: Type.Array(HealthPart) })

export type OperatorAccount = Static<typeof OperatorAccount>
export const OperatorAccount = Type.Object({
  id: uuid,
  name: Type.String(),
  slug: nullableString({}),
  plan: Type.String(),
  unlimited: Type.Boolean(),
  available: Type.Integer(),
  reserved: Type.Integer(),
  spent: Type.Integer(),
  used_30d: Type.Integer(),
  members: count,
  keys: count,
  created_at: time,
  suspended_at: nullableTime,
  on_hold_at: nullableTime,
})

export type OperatorAccounts = Static<typeof OperatorAccounts>
export const OperatorAccounts = Type.Object({
  accounts: Type.Array(OperatorAccount),
  total: count,
  plans: Type.Array(Type.String()),
})

export const OperatorAccountsQuery = Type.Object(
  {
    search: Type.Optional(Type.String({ maxLength: 200 })),
    state: Type.Optional(Type.Enum(['suspended', 'on_hold'], { type: 'string' })),
    skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
)

/** Credits to add, or to deduct if negative. The note is kept in the ledger and in the audit log. */
export type CreditGrant = Static<typeof CreditGrant>
export const CreditGrant = Type.Object(
  {
    credits: Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 }),
    note: Type.String({ minLength: 1, maxLength: 200 }),
  },
  { additionalProperties: false },
)

export const PlanChange = Type.Object({ plan: Type.String({ maxLength: 50 }) }, { additionalProperties: false })

/** The user for whom a password reset link is created. `password` is the operator's own. */
export const NewPasswordReset = Type.Object(
  {
    email: Type.String({ maxLength: 254, pattern: '^[^\\u0000]+$' }), // PostgreSQL cannot store NUL
    password: Type.String({ minLength: 1, maxLength: 128 }),
  },
  { additionalProperties: false },
)

export type PasswordReset = Static<typeof PasswordReset>
export const PasswordReset = Type.Object({ token: Type.String(), expires_at: time })

const replyKey = {
  provider: Type.String({ maxLength: 100 }),
  stage: Type.String({ maxLength: 20 }),
  code: Type.Integer({ minimum: 0, maximum: 999 }),
  reply: Type.String({ maxLength: 1000 }),
}

export type UnclassifiedReply = Static<typeof UnclassifiedReply>
export const UnclassifiedReply = Type.Object({
  ...replyKey,
  seen: count,
  first_seen_at: time,
  last_seen_at: time,
  reviewed_at: nullableTime,
})

export type UnclassifiedReplies = Static<typeof UnclassifiedReplies>
export const UnclassifiedReplies = Type.Object({ replies: Type.Array(UnclassifiedReply) })

export type ReplyMark = Static<typeof ReplyMark>
export const ReplyMark = Type.Object({ ...replyKey, is_reviewed: Type.Boolean() }, { additionalProperties: false })

const nullableShare = nullableNumber({ minimum: 0, maximum: 1 })

export type OperatorProvider = Static<typeof OperatorProvider>
export const OperatorProvider = Type.Object({
  /** The provider id; `''` for all unknown providers together. */
  provider: Type.String(),
  probes: count,
  throttled: count,
  conclusive: nullableShare,
  deferred: nullableShare,
  blocked: nullableShare,
  no_response: nullableShare,
  /** Reply latency; null without replies, or if it is beyond the largest bucket. */
  p50_ms: nullableInteger({}),
  p95_ms: nullableInteger({}),
  /** Open connections over all egresses, and their limit; null if no worker has reported it. */
  connections: count,
  connections_max: nullableInteger({}),
  /** New connections per minute and egress: the limit, and the share of it that is used at the moment. */
  per_minute: nullableInteger({}),
  level: Type.Number({ minimum: 0, maximum: 1 }),
  suspension_ends_at: nullableTime,
  suspension_reason: nullableString({}),
  /** Egresses that the provider is suspended for. */
  suspended_egresses: count,
  paused_at: nullableTime,
  rate_percent: Type.Integer({ minimum: 1, maximum: 100 }),
})

export type OperatorProviders = Static<typeof OperatorProviders>
export const OperatorProviders = Type.Object({ hours: Type.Integer(), providers: Type.Array(OperatorProvider) })

export const OperatorProvidersQuery = Type.Object(
  { hours: Type.Optional(Type.Integer({ minimum: 1, maximum: 168 })) },
  { additionalProperties: false },
)

/** Pauses or resumes a provider, or limits its rate. */
export type ProviderControl = Static<typeof ProviderControl>
export const ProviderControl = Type.Object(
  {
    provider: Type.String({ pattern: '^[a-z0-9_.-]{0,100}$' }),
    is_paused: Type.Optional(Type.Boolean()),
    rate_percent: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
)

/** The provider whose suspensions are lifted, for all egresses. */
export type SuspensionLift = Static<typeof SuspensionLift>
export const SuspensionLift = Type.Object(
  { provider: Type.String({ pattern: '^[a-z0-9_.-]{1,100}$' }) },
  { additionalProperties: false },
)

export type OperatorEgress = Static<typeof OperatorEgress>
export const OperatorEgress = Type.Object({
  name: Type.String(),
  helo: Type.String(),
  address: nullableString({}),
  proxy: nullableString({}),
  /** Workers with this egress, and their open connections to known providers. */
  workers: count,
  connections: count,
  probes_24h: count,
  blocked_24h: count,
  suspensions: Type.Array(Type.Object({ provider: Type.String(), ends_at: time, reason: nullableString({}) })),
  last_block: nullableString({}),
  last_block_at: nullableTime,
  drained_at: nullableTime,
})

export type OperatorEgresses = Static<typeof OperatorEgresses>
export const OperatorEgresses = Type.Object({ egresses: Type.Array(OperatorEgress) })

export type EgressControl = Static<typeof EgressControl>
export const EgressControl = Type.Object(
  { egress: Type.String({ minLength: 1, maxLength: 300 }), is_drained: Type.Boolean() },
  { additionalProperties: false },
)

/** Deferred addresses by the time until their retry. */
export type DueTimes = Static<typeof DueTimes>
export const DueTimes = Type.Object({ minute: count, ten_minutes: count, hour: count, later: count })

export type StalledJob = Static<typeof StalledJob>
export const StalledJob = Type.Object({
  job_id: uuid,
  account_id: uuid,
  account_name: Type.String(),
  status: Type.String(),
  done: count,
  total: count,
  created_at: time,
  last_done_at: nullableTime,
})

export type OperatorQueues = Static<typeof OperatorQueues>
export const OperatorQueues = Type.Object({
  /** Tasks in Redis by queue; null if Redis is unavailable. */
  tasks: Type.Array(Type.Object({ name: Type.String(), waiting: nullableInteger({}), active: nullableInteger({}) })),
  validations: Type.Object({
    waiting: count,
    oldest_at: nullableTime,
    enqueued_per_minute: Type.Number(),
    completed_per_minute: Type.Number(),
    deferred: DueTimes,
  }),
  jobs: Type.Object({
    in_progress: count,
    paused: count,
    waiting: count,
    active: count,
    completed_per_minute: Type.Number(),
    deferred: DueTimes,
    stalled: Type.Array(StalledJob),
  }),
  webhooks: Type.Object({ due: count, oldest_at: nullableTime, later: count }),
})

export type Requeued = Static<typeof Requeued>
export const Requeued = Type.Object({ batches: count })

/** A job that the abuse limits paused until an operator decides. */
export type OperatorReview = Static<typeof OperatorReview>
export const OperatorReview = Type.Object({
  job_id: uuid,
  account_id: uuid,
  account_name: Type.String(),
  mode: Type.String(),
  /** `guessed_addresses`: most results of the sample are invalid. `domain_limit`: too many addresses of one domain today. */
  reason: Type.Enum(['guessed_addresses', 'domain_limit'], { type: 'string' }),
  /** The domain with the most addresses of the list, or the one over its limit, and its addresses in the list or of the day. */
  domain: Type.String(),
  domain_addresses: count,
  /** Results when the sample was judged; 0 for `domain_limit`, which pauses a job before it starts. */
  sample_done: count,
  sample_invalid: count,
  done: count,
  total: count,
  paused_at: time,
})

export type OperatorReviews = Static<typeof OperatorReviews>
export const OperatorReviews = Type.Object({ reviews: Type.Array(OperatorReview), are_limits_on: Type.Boolean() })

export type OperatorOptOuts = Static<typeof OperatorOptOuts>
export const OperatorOptOuts = Type.Object({
  domains: Type.Array(Type.Object({ domain: Type.String(), note: Type.String(), created_at: time })),
})

/** A host name in ASCII: letters, digits and hyphens, with at least one dot. */
const domain = Type.String({
  maxLength: 253,
  pattern: '^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z0-9-]{2,63}$',
})

/** A mail domain that must not be probed, with a note such as the date of the request. */
export type NewOptOut = Static<typeof NewOptOut>
export const NewOptOut = Type.Object(
  { domain, note: Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$' })) },
  { additionalProperties: false },
)

export const OptOutRemoval = Type.Object({ domain }, { additionalProperties: false })

export type AuditEntry = Static<typeof AuditEntry>
export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Type.String({ format: 'date-time' }),
  account_id: nullableString({ format: 'uuid' }),
  account_name: Type.Optional(nullableString({})),
  actor: Type.String(),
  actor_id: nullableString({}),
  actor_name: nullableString({}),
  ip: nullableString({}),
  /** Object and action, as in `key.revoked`. Values may be added. */
  action: Type.String(),
  subject_id: nullableString({}),
  subject_name: nullableString({}),
  /** Old and new value per field; null where values are redacted. */
  changes: Type.Record(Type.String(), Type.Unknown()),
})

export type AuditLog = Static<typeof AuditLog>
export const AuditLog = Type.Object({ entries: Type.Array(AuditEntry), total: Type.Integer() })

const ACTION = '^[a-z_]{1,40}(\\.[a-z_]{1,40})?$'

const query = {
  format: Type.Optional(Type.Enum(['json', 'csv'], { type: 'string' })),
  action: Type.Optional(Type.String({ pattern: ACTION })),
  by: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  from: Type.Optional(dayField('Only entries of this day (UTC) or later.', '2026-10-04')),
  to: Type.Optional(dayField('Only entries of this day (UTC) or earlier.', '2026-11-02')),
  skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
  limit: Type.Optional(Type.Integer({ minimum: 1 })),
}

export type AuditQuery = Static<typeof AuditQuery>
export const AuditQuery = Type.Object(query, { additionalProperties: false })

/** For operators: limited to one account or to the installation. */
export type OperatorAuditQuery = Static<typeof OperatorAuditQuery>
export const OperatorAuditQuery = Type.Object(
  { ...query, account: Type.Optional(Type.String({ pattern: '^(installation|[0-9a-f-]{36})$' })) },
  { additionalProperties: false },
)

export const DoctorFix = Type.Object({ says: Type.String(), lines: Type.Array(Type.String()) })

/** A finding with the title, reason and docs link of its check. */
export type DoctorFinding = Static<typeof DoctorFinding>
export const DoctorFinding = Type.Object({
  id: Type.String(),
  group: Type.Enum([...DOCTOR_GROUPS], { type: 'string' }),
  title: Type.String(),
  subject: Type.String(),
  status: Type.Enum([...DOCTOR_STATUSES], { type: 'string' }),
  saw: Type.String(),
  why: Type.String(),
  fix: Type.Union([DoctorFix, Type.Null()]),
  docs: Type.String(),
})

/** A stored finding: the host that checked, the time of the check, and since when the status has been the same. */
export type StoredFinding = Static<typeof StoredFinding>
export const StoredFinding = Type.Object({
  ...DoctorFinding.properties,
  /** The host that ran the check; null for a check of the whole installation. */
  host: nullableString({}),
  checked_at: time,
  since_at: time,
})

export type DoctorReport = Static<typeof DoctorReport>
export const DoctorReport = Type.Object({
  /** Most severe first. */
  findings: Type.Array(StoredFinding),
  /** Whether a run that an operator requested is pending. */
  run_requested: Type.Boolean(),
})
