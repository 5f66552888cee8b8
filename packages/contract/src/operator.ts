import type { Static } from 'typebox'
import Type from 'typebox'
import { nullableInteger, nullableNumber, nullableString } from './nullable.ts'

const uuid = Type.String({ format: 'uuid' })
const time = Type.String({ format: 'date-time' })
const nullableTime = nullableString({ format: 'date-time' })
const count = Type.Integer({ minimum: 0 })

/** How a part of the installation is. `off` is what was never set up. */
export const HEALTH_STATES = ['ok', 'degraded', 'down', 'off'] as const
export type HealthState = (typeof HEALTH_STATES)[number]

export type HealthPart = Static<typeof HealthPart>
export const HealthPart = Type.Object({
  name: Type.String(),
  state: Type.Enum([...HEALTH_STATES], { type: 'string' }),
  /** What was seen, as a sentence. */
  detail: Type.String(),
  /** Since when it has been running, or is as it is; null where nobody knows. */
  since: nullableTime,
})

export type Health = Static<typeof Health>
export const Health = Type.Object({ at: time, parts: Type.Array(HealthPart) })

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
  charging_stopped_at: nullableTime,
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
    state: Type.Optional(Type.Enum(['suspended', 'stopped'], { type: 'string' })),
    skip: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    limit: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
)

/** Credits to give, or below zero to take; why is kept in the ledger and in the audit log. */
export type CreditGrant = Static<typeof CreditGrant>
export const CreditGrant = Type.Object(
  {
    credits: Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 }),
    note: Type.String({ minLength: 1, maxLength: 200 }),
  },
  { additionalProperties: false },
)

export const PlanChange = Type.Object({ plan: Type.String({ maxLength: 50 }) }, { additionalProperties: false })

/** For whom a password reset link is created. `password` is the operator's own. */
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

export type UnreadReply = Static<typeof UnreadReply>
export const UnreadReply = Type.Object({
  ...replyKey,
  seen: count,
  first_seen_at: time,
  last_seen_at: time,
  looked_at: nullableTime,
})

export type UnreadReplies = Static<typeof UnreadReplies>
export const UnreadReplies = Type.Object({ replies: Type.Array(UnreadReply) })

export type ReplyMark = Static<typeof ReplyMark>
export const ReplyMark = Type.Object({ ...replyKey, looked: Type.Boolean() }, { additionalProperties: false })

const nullableShare = nullableNumber({ minimum: 0, maximum: 1 })

export type OperatorProvider = Static<typeof OperatorProvider>
export const OperatorProvider = Type.Object({
  /** The id of who runs the mail servers; `''` for all that we do not know. */
  provider: Type.String(),
  asked: count,
  held: count,
  definite: nullableShare,
  deferred: nullableShare,
  blocked: nullableShare,
  silent: nullableShare,
  /** Up to how many milliseconds half, and 19 of 20, answers took; null where there were none, or where they took longer than is counted. */
  p50_ms: nullableInteger({}),
  p95_ms: nullableInteger({}),
  /** Connections that are open now, over all ways out, and how many there may be; null where no worker has said so. */
  connections: count,
  connections_max: nullableInteger({}),
  /** New connections in a minute from one way out: what it bears, and how much of that it gets at the moment. */
  per_minute: nullableInteger({}),
  level: Type.Number({ minimum: 0, maximum: 1 }),
  suspended_until: nullableTime,
  suspended_for: nullableString({}),
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

/** What is held back of a provider. */
export type ProviderBrake = Static<typeof ProviderBrake>
export const ProviderBrake = Type.Object(
  {
    provider: Type.String({ pattern: '^[a-z0-9_.-]{0,100}$' }),
    paused: Type.Optional(Type.Boolean()),
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
  /** Workers that have it, and connections that they hold to providers we know. */
  workers: count,
  connections: count,
  asked_24h: count,
  blocked_24h: count,
  suspensions: Type.Array(Type.Object({ provider: Type.String(), until: time, reason: nullableString({}) })),
  last_block: nullableString({}),
  last_block_at: nullableTime,
  drained_at: nullableTime,
})

export type OperatorEgresses = Static<typeof OperatorEgresses>
export const OperatorEgresses = Type.Object({ egresses: Type.Array(OperatorEgress) })

export type EgressBrake = Static<typeof EgressBrake>
export const EgressBrake = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 300 }), drained: Type.Boolean() },
  { additionalProperties: false },
)

/** Work that waits for its time, by when that comes. */
export type DueTimes = Static<typeof DueTimes>
export const DueTimes = Type.Object({ minute: count, ten_minutes: count, hour: count, later: count })

export type StuckList = Static<typeof StuckList>
export const StuckList = Type.Object({
  job_id: uuid,
  account_id: uuid,
  account_name: Type.String(),
  state: Type.String(),
  done: count,
  total: count,
  created_at: time,
  last_done_at: nullableTime,
})

export type OperatorQueues = Static<typeof OperatorQueues>
export const OperatorQueues = Type.Object({
  /** Tasks in Redis, by queue; null where it is away. */
  tasks: Type.Array(Type.Object({ name: Type.String(), waiting: nullableInteger({}), active: nullableInteger({}) })),
  callers: Type.Object({
    waiting: count,
    oldest: nullableTime,
    in_per_minute: Type.Number(),
    out_per_minute: Type.Number(),
    put_off: DueTimes,
  }),
  lists: Type.Object({
    under_way: count,
    paused: count,
    waiting: count,
    worked_on: count,
    out_per_minute: Type.Number(),
    put_off: DueTimes,
    stuck: Type.Array(StuckList),
  }),
  webhooks: Type.Object({ due: count, oldest: nullableTime, later: count }),
})

export type Requeued = Static<typeof Requeued>
export const Requeued = Type.Object({ batches: count })
