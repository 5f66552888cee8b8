import { Account, type DeletionPreview, type Network } from '@probity/contract/schemas/accounts'
import { type Billing, LedgerEntry } from '@probity/contract/schemas/billing'
import { ApiKey } from '@probity/contract/schemas/keys'
import type { AuditEntry, AuditLog } from '@probity/contract/schemas/operators'
import { Override } from '@probity/contract/schemas/overrides'
import { Policy } from '@probity/contract/schemas/policies'
import { RequestEntry, type RequestPage } from '@probity/contract/schemas/requests'
import { Overview, type Usage } from '@probity/contract/schemas/usage'
import { WebhookWithSecret } from '@probity/contract/schemas/webhooks/endpoints'
import { exampleOf, inHours } from './test-examples.ts'
import { FINISHED_JOB, RUNNING_JOB } from './test-jobs.ts'

export const ACCOUNT: Account = exampleOf(Account)
/** Sent only when it is created, or when its secret is rotated. */
export const NEW_WEBHOOK: WebhookWithSecret = exampleOf(WebhookWithSecret)

const { key: _, ...WITHOUT_KEY } = ACCOUNT
export const NO_CREDITS: Account = {
  ...WITHOUT_KEY,
  credits: { ...ACCOUNT.credits, available: 40, low_at: 100 },
}
export const WITHOUT_PROBES: Account = {
  ...WITHOUT_KEY,
  probing: { mode: 'dns', reason: 'port_25_blocked', resolver_trusted: false },
  delay_reason: 'no_worker',
}

const DAY_MS = 86_400_000
const DAYS = Array.from({ length: 30 }, (_, n) => new Date(Date.now() - (29 - n) * DAY_MS).toISOString().slice(0, 10))
const [FIRST_DAY = '', LAST_DAY = ''] = [DAYS.at(0), DAYS.at(-1)]

const AMOUNTS = { requests: 1_204, credits_used: 980, credits_refunded: 14 }

export const USAGE: Usage = {
  from_on: FIRST_DAY,
  to_on: LAST_DAY,
  livemode: true,
  total: { requests: 36_120, credits_used: 29_400, credits_refunded: 420 },
  days: DAYS.map((occurred_on, n) => ({ occurred_on, ...AMOUNTS, requests: 900 + n * 20 })),
  keys: [
    { key_id: '0198f2e3-58b6-7c21-9d4f-6a0b13e7c582', key_name: 'Sign-up form', ...AMOUNTS },
    { key_id: '0198f2e3-7a10-7d44-8b6e-2c95d0a4e713', key_name: null, ...AMOUNTS },
    { key_id: null, key_name: null, ...AMOUNTS, requests: 0 },
  ],
}

const NOTHING = { requests: 0, credits_used: 0, credits_refunded: 0 }
export const NO_USAGE: Usage = {
  ...USAGE,
  total: NOTHING,
  days: DAYS.map((occurred_on) => ({ occurred_on, ...NOTHING })),
  keys: [],
}

const COUNTS = { valid: 812, invalid: 96, risky: 51, unknown: 21 }
const SAMPLE_ID = '0198f2e3-7a10-7d44-8b6e-2c95d0a4e713'

export const OVERVIEW: Overview = {
  ...exampleOf(Overview),
  from_on: FIRST_DAY,
  to_on: LAST_DAY,
  verdicts: { days: DAYS.map((occurred_on) => ({ occurred_on, ...COUNTS })), total: COUNTS, today: COUNTS },
  jobs: { running: [RUNNING_JOB], ended: [FINISHED_JOB] },
  alerts: [
    { kind: 'webhook_failing', id: SAMPLE_ID, name: 'Production', occurred_at: inHours(-5) },
    { kind: 'webhook_disabled', id: SAMPLE_ID, name: 'Staging', occurred_at: inHours(-50) },
    { kind: 'key_unused', id: SAMPLE_ID, name: 'Old form', occurred_at: inHours(-900) },
    { kind: 'results_expiring', id: FINISHED_JOB.id, name: FINISHED_JOB.filename, occurred_at: inHours(20) },
    { kind: 'credits_low', id: null, name: null, occurred_at: null },
  ],
}
export const NEW_OVERVIEW: Overview = { ...OVERVIEW, is_new: true }
/** Parts that could not be read. */
export const PARTIAL_OVERVIEW: Overview = { ...OVERVIEW, verdicts: null, jobs: null, problems: null, alerts: null }

const LEDGER_ENTRY = exampleOf(LedgerEntry)
const KINDS = ['grant', 'adjust', 'charge', 'reserve', 'settle', 'release', 'refund']
export const LEDGER: LedgerEntry[] = KINDS.map((kind, n) => ({
  ...LEDGER_ENTRY,
  id: `${kind}_${n}`,
  kind,
  available_change: n - 3,
  subject: n % 2 === 0 ? 'job' : 'validation',
  filename: n === 4 ? null : LEDGER_ENTRY.filename,
  note: n < 2 ? 'Invoice 2026-114' : null,
}))

export const KEY: ApiKey = exampleOf(ApiKey)
export const KEYS: ApiKey[] = [
  KEY,
  { ...KEY, id: '0198f2e3-58b6-7c21-9d4f-6a0b13e7c583', name: 'Nightly job', paused: true, status: 'paused' },
  {
    ...KEY,
    id: '0198f2e3-58b6-7c21-9d4f-6a0b13e7c584',
    name: 'Embedded form',
    type: 'publishable',
    scopes: ['validations:write'],
    allowed_origins: ['https://www.example.com'],
    allowed_policies: ['signup'],
    visitor_cap: 20,
    public_key: 'pb_pub_live_example',
    last_request: null,
  },
  {
    ...KEY,
    id: '0198f2e3-58b6-7c21-9d4f-6a0b13e7c585',
    name: 'Former agency',
    status: 'revoked',
    revoked_at: '2026-11-01T12:00:00.000Z',
  },
]

const REQUEST = exampleOf(RequestEntry)
export const REQUESTS: RequestPage = {
  data: [
    REQUEST,
    {
      ...REQUEST,
      id: 'req_0b8f2f2e-3f0c-4a55-9a37-0a1f6c9d2b72',
      http_status: 402,
      code: 'insufficient_credits',
      result_status: null,
      sub_status: null,
      credits: 0,
      validation_id: null,
    },
    { ...REQUEST, id: 'req_0b8f2f2e-3f0c-4a55-9a37-0a1f6c9d2b73', http_status: 500, code: 'internal_error' },
  ],
  has_more: true,
  next_cursor: 'MTc5NDIxMzY2MDAwMC4w',
  retention_days: 7,
}
export const NO_REQUESTS: RequestPage = { data: [], has_more: false, next_cursor: null, retention_days: 7 }

export const OVERRIDES: Override[] = [
  exampleOf(Override),
  { ...exampleOf(Override), id: SAMPLE_ID, target: 'example.org', action: 'allow', note: '', created_by: null },
]

export const CUSTOM_POLICY: Policy = exampleOf(Policy)
export const POLICIES: Policy[] = [
  CUSTOM_POLICY,
  { ...CUSTOM_POLICY, id: null, name: 'newsletter', description: 'For newsletters.', is_built_in: true },
  {
    ...CUSTOM_POLICY,
    id: null,
    name: 'signup',
    description: 'For sign-up forms.',
    is_built_in: true,
    rules: [
      { when: { status: ['invalid'], safe_to_send: false }, decision: 'block', reason: 'Mail bounces.' },
      { when: { deliverability_from: 0.2, deliverability_below: 0.6 }, decision: 'review', reason: 'Confirm it.' },
      { when: { traits: ['disposable', 'machine_generated'] }, decision: 'block', reason: 'Use another address.' },
    ],
  },
]

export const NETWORK: Network = { ip_allowlist: ['192.0.2.0/24', '2001:db8::7'], your_address: '192.0.2.17' }

export const DELETION: DeletionPreview = {
  name: ACCOUNT.name,
  jobs: 12,
  running_jobs: 1,
  keys: 3,
  members: 2,
  webhooks: 1,
  overrides: 2,
  credits: 24_310,
  unlimited: false,
  subscribed: false,
}

const AUDIT_ENTRY: AuditEntry = {
  id: 3,
  at: '2026-11-09T08:41:00.000Z',
  account_id: ACCOUNT.id,
  account_name: ACCOUNT.name,
  actor: 'member',
  actor_id: '0198e4a7-20d0-7c11-8d1e-2f6a7b8c9d01',
  actor_name: 'Ada Lovelace',
  ip: '192.0.2.17',
  action: 'key.changed',
  subject_id: KEY.id,
  subject_name: KEY.name,
  changes: { name: ['Form', 'Sign-up form'], monthly_cap: [null, 5_000] },
}
export const AUDIT_LOG: AuditLog = {
  entries: [
    AUDIT_ENTRY,
    { ...AUDIT_ENTRY, id: 2, actor: 'service', actor_id: null, actor_name: null, ip: null, action: 'webhook.disabled' },
    { ...AUDIT_ENTRY, id: 1, actor: 'operator', account_id: null, account_name: null, action: 'egress.drained' },
  ],
  total: 3,
}

const FEATURES = {
  api_access: true,
  ai_enhancement: false,
  catchall_detection: true,
  refund_unknown: true,
  emails_per_file: 100_000,
  requests_per_window: 600,
  window_s: 60,
}
export const BILLING: Billing = {
  enabled: true,
  plan: 'payg',
  features: FEATURES,
  debt: 0,
  subscribed_to: null,
  has_portal: true,
  packs: [
    { price: 'price_small', credits: 1_000, amount: 900, currency: 'eur' },
    { price: 'price_large', credits: 10_000, amount: null, currency: null },
  ],
  plans: [
    {
      price: 'price_starter',
      credits: 5_000,
      amount: 2_900,
      currency: 'eur',
      plan: 'starter',
      features: FEATURES,
      interval: 'month',
    },
    {
      price: 'price_team',
      credits: 20_000,
      amount: 9_900,
      currency: 'eur',
      plan: 'team',
      features: FEATURES,
      interval: 'month',
    },
  ],
}
