import { randomBytes, randomUUID } from 'node:crypto'
import type { WebhookEventType } from '@probity/contract/constants/webhooks'
import { insertWebhook } from '@probity/database/webhooks/webhooks'
import { sql } from 'kysely'
import { type SeedWebhook, WEBHOOKS } from './data/account.ts'
import type { SeededJob } from './jobs.ts'
import type { SeededKey } from './keys.ts'
import { DAY_MS, dayOf, insertRows, isoOf, type Seeding } from './rows.ts'

/** Events are deleted after at most 30 days, and their deliveries with them. */
const KEPT_DAYS = 29
const ATTEMPTS_MAX = 10
/** An endpoint is disabled after five days of failures. */
const FAILING_DAYS = 5

type SeedEvent = { id: string; type: WebhookEventType; atMs: number; data: Record<string, unknown> }
type Endpoint = SeedWebhook & { id: string; disabledAtMs: number }

/** Inserts webhook endpoints with the deliveries and attempts of the last 29 days. None is pending, so workers send nothing. */
export async function seedWebhooks(seeding: Seeding, jobs: SeededJob[], keys: SeededKey[]): Promise<void> {
  const { trx, accountId, nowMs } = seeding
  const endpoints: Endpoint[] = []
  for (const webhook of WEBHOOKS) endpoints.push(await insertEndpoint(seeding, webhook))
  const events = listEvents(seeding, jobs, keys)
  const received = events.map((event) => ({ event, endpoints: endpoints.filter((one) => isReceived(one, event)) }))
  await insertRows(
    trx,
    'webhook_events',
    received.filter(({ endpoints: some }) => some.length > 0).map(({ event }) => eventRow(event, accountId, nowMs)),
  )
  for (const { event, endpoints: receivers } of received) {
    for (const endpoint of receivers) await insertDelivery(seeding, endpoint, event)
  }
}

async function insertEndpoint({ trx, accountId, nowMs }: Seeding, webhook: SeedWebhook): Promise<Endpoint> {
  const { url, description, events, daysAgo, disabled } = webhook
  const made = await insertWebhook(trx, { accountId, mode: 'live' }, { url, description, events })
  if (made === undefined) throw new Error('the account has too many webhooks')
  const { id } = made.webhook
  const disabledAtMs = disabled === undefined ? nowMs : nowMs - 4 * DAY_MS
  const disabledAt = disabled === undefined ? null : isoOf(disabledAtMs)
  await sql`
    update webhook_endpoints set created_at = ${isoOf(nowMs - daysAgo * DAY_MS)}::timestamptz,
      state = ${disabled === undefined ? 'enabled' : 'disabled'}, disabled_reason = ${disabled ?? null},
      disabled_at = ${disabledAt}::timestamptz,
      failing_since = ${disabled === undefined ? null : isoOf(disabledAtMs - FAILING_DAYS * DAY_MS)}::timestamptz
    where id = ${id}`.execute(trx)
  return { ...webhook, id, disabledAtMs }
}

function listEvents({ nowMs }: Seeding, jobs: SeededJob[], keys: SeededKey[]): SeedEvent[] {
  const ofJobs = jobs
    .filter(({ row }) => row['mode'] === 'live')
    .flatMap(({ row, state, endedAtMs }) => {
      const { id, filename, email_column, created_at, started_at, row_count, unique_count, done_count } = row
      const data = {
        id,
        filename,
        email_column,
        created_at,
        started_at,
        row_count,
        unique_count,
        done_count,
        livemode: true,
      }
      const end = state === 'processing' ? 'paused' : state
      return [
        {
          type: 'job.created' as const,
          atMs: Date.parse(String(created_at)),
          data: { ...data, status: 'queued', done_count: 0 },
        },
        { type: `job.${end}` as WebhookEventType, atMs: endedAtMs, data: { ...data, status: end } },
      ]
    })
  const ofKeys = keys.map(({ id, name, createdAtMs }) => {
    return { type: 'key.created' as const, atMs: createdAtMs, data: { id, name, livemode: true } }
  })
  return [...ofJobs, ...ofKeys]
    .filter(({ atMs }) => atMs > nowMs - KEPT_DAYS * DAY_MS)
    .toSorted((one, other) => one.atMs - other.atMs)
    .map((event) => ({ ...event, id: randomUUID() }))
}

function isReceived({ events, disabledAtMs }: Endpoint, { type, atMs }: SeedEvent): boolean {
  return atMs < disabledAtMs && (events.includes('*') || events.includes(type))
}

function eventRow({ id, type, atMs, data }: SeedEvent, accountId: string, nowMs: number) {
  const body = { id: `evt_${id}`, type, api_version: 'v1', timestamp: isoOf(atMs), livemode: true, data }
  const row = { id, account_id: accountId, mode: 'live', type, body: JSON.stringify(body), discard_body: false }
  return { ...row, expires_on: expiryOf(atMs, nowMs), created_at: isoOf(atMs) }
}

function expiryOf(atMs: number, nowMs: number): string {
  return dayOf(Math.max(atMs + (KEPT_DAYS + 1) * DAY_MS, nowMs))
}

async function insertDelivery(
  { trx, accountId, random, nowMs }: Seeding,
  endpoint: Endpoint,
  event: SeedEvent,
): Promise<void> {
  const hasFailed = endpoint.failures === 1
  const failures = hasFailed ? ATTEMPTS_MAX : random.chance(endpoint.failures) ? 1 + random.below(3) : 0
  const count = hasFailed ? failures : failures + 1
  const delivery = randomUUID()
  const attempts = Array.from({ length: count }, (_, n) => {
    const isFailure = n < failures
    const error = isFailure && hasFailed && n % 2 === 0 ? 'timeout' : null
    return {
      ...{ account_id: accountId, delivery_id: delivery, no: n + 1 },
      // The delay between attempts doubles, as in the retry schedule.
      ...{ signed_at: isoOf(Math.floor((event.atMs + 1_000 + (2 ** n - 1) * 60_000) / 1_000) * 1_000) },
      ...{ signature: `v1,${randomBytes(32).toString('base64')}`, status: error ? null : isFailure ? 503 : 200, error },
      ...{ duration_ms: error ? 15_000 : 60 + random.below(400) },
    }
  })
  await insertRows(trx, 'webhook_deliveries', [
    {
      ...{ id: delivery, account_id: accountId, endpoint_id: endpoint.id, expires_on: expiryOf(event.atMs, nowMs) },
      ...{
        event_id: event.id,
        type: event.type,
        state: hasFailed ? 'failed' : 'delivered',
        attempts_begun: count,
        attempts: count,
      },
      ...{ epoch: count, created_at: isoOf(event.atMs), finished_at: attempts.at(-1)?.signed_at },
    },
  ])
  await insertRows(trx, 'webhook_attempts', attempts)
}
