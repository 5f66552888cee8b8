import type { KeyScope } from '@probity/contract/constants/keys'
import type { SimulatedAddress } from '@probity/lab/simulation/population'

export type SeedKey = {
  name: string
  mode: 'live' | 'test'
  kind?: 'publishable'
  scopes: KeyScope[]
  createdDaysAgo: number
  /** Share of the requests in the key's mode. */
  share: number
  monthlyCap?: number
  /** The later state of the key. */
  end?: 'paused' | 'revoked'
}

export const KEYS: SeedKey[] = [
  {
    ...{ name: 'Production, sign-up API', mode: 'live', createdDaysAgo: 90, share: 0.62 },
    scopes: ['validations:write', 'account:read'],
  },
  {
    ...{ name: 'Sign-up form', mode: 'live', kind: 'publishable', createdDaysAgo: 61, share: 0.26 },
    scopes: ['validations:write'],
  },
  {
    ...{ name: 'CRM import', mode: 'live', createdDaysAgo: 84, share: 0.12, monthlyCap: 40_000 },
    scopes: ['validations:write', 'jobs:write'],
  },
  {
    name: 'Continuous integration',
    mode: 'test',
    createdDaysAgo: 86,
    share: 1,
    scopes: ['validations:write', 'jobs:write'],
  },
  {
    name: 'Agency, spring campaign',
    mode: 'live',
    createdDaysAgo: 80,
    share: 0,
    scopes: ['jobs:write'],
    end: 'revoked',
  },
  {
    name: 'Checkout prototype',
    mode: 'live',
    createdDaysAgo: 33,
    share: 0,
    scopes: ['validations:write'],
    end: 'paused',
  },
]

export const GRANTS = [
  { daysAgo: 90, credits: 30_000, note: 'Opening credits' },
  { daysAgo: 58, credits: 25_000, note: 'Credit pack, 25,000' },
  { daysAgo: 26, credits: 25_000, note: 'Credit pack, 25,000' },
]

export type SeedJob = {
  filename: string
  daysAgo: number
  count: number
  duplicates: number
  /** Uploaded by the key for imports, not in the web app. */
  byKey?: boolean
  mode?: 'test'
  /** How the job ended, with the share of its addresses that were validated. Completed if left out. */
  end?: { state: 'canceled' | 'failed' | 'paused'; done: number }
}

export const JOBS: SeedJob[] = [
  { filename: 'crm-export-august.csv', daysAgo: 88, count: 6_400, duplicates: 212 },
  { filename: 'newsletter-subscribers.csv', daysAgo: 79, count: 8_900, duplicates: 460 },
  { filename: 'trade-fair-contacts.csv', daysAgo: 71, count: 640, duplicates: 12 },
  { filename: 'crm-export-september.csv', daysAgo: 57, count: 5_200, duplicates: 118, byKey: true },
  { filename: 'partner-list.csv', daysAgo: 49, count: 3_000, duplicates: 31, end: { state: 'canceled', done: 0.35 } },
  { filename: 'webinar-guests.csv', daysAgo: 42, count: 1_150, duplicates: 27 },
  { filename: 'old-backup.csv', daysAgo: 36, count: 2_200, duplicates: 0, end: { state: 'failed', done: 0 } },
  { filename: 'crm-export-october.csv', daysAgo: 27, count: 4_800, duplicates: 95, byKey: true },
  { filename: 'import-dry-run.csv', daysAgo: 20, count: 250, duplicates: 5, mode: 'test', byKey: true },
  { filename: 'webinar-guests-2.csv', daysAgo: 17, count: 930, duplicates: 18 },
  {
    filename: 'reactivation-campaign.csv',
    daysAgo: 12,
    count: 3_600,
    duplicates: 77,
    end: { state: 'canceled', done: 0.5 },
  },
  { filename: 'newsletter-november.csv', daysAgo: 6, count: 5_500, duplicates: 140 },
  { filename: 'sales-leads.csv', daysAgo: 2, count: 1_240, duplicates: 9, byKey: true },
  {
    filename: 'christmas-mailing.csv',
    daysAgo: 0.4,
    count: 2_600,
    duplicates: 64,
    end: { state: 'paused', done: 0.5 },
  },
  { filename: 'customers.csv', daysAgo: 0.15, count: 820, duplicates: 22 },
]

/** The mailbox providers of the simulated domains, as the engine names them. */
export const PROVIDERS: Partial<Record<SimulatedAddress['behaviour'], string>> = {
  gmail: 'google',
  google_workspace: 'google',
  google_workspace_catch_all: 'google',
  gmx: 'gmx',
  icloud: 'apple',
  microsoft365: 'microsoft365',
  microsoft365_hybrid: 'microsoft365',
  outlook: 'microsoft',
  yahoo: 'yahoo',
  zoho: 'zoho',
}

export type SeedWebhook = {
  url: string
  description: string
  events: string[]
  daysAgo: number
  /** Share of deliveries with a failed attempt; all attempts fail at 1. */
  failures: number
  disabled?: 'failing'
}

/** Names of the top-level domain `example` never resolve (RFC 2606): what the seeded account sends later goes nowhere. */
export const WEBHOOKS: SeedWebhook[] = [
  { url: 'https://crm.example/hooks/probity', description: 'CRM', events: ['*'], daysAgo: 83, failures: 0.04 },
  {
    ...{
      url: 'https://chat.example/services/email-lists',
      description: 'Chat channel of marketing',
      daysAgo: 52,
      failures: 0.3,
    },
    events: ['job.completed', 'job.failed', 'job.canceled', 'credits.low'],
  },
  {
    ...{ url: 'https://warehouse.example/ingest', description: 'Data warehouse', daysAgo: 75, failures: 1 },
    events: ['job.completed'],
    disabled: 'failing',
  },
]
