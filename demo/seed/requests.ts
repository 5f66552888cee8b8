import { randomUUID } from 'node:crypto'
import { SUB_STATUSES, type SubStatus } from '@probity/contract/constants/validations'
import type { Random } from '@probity/lab/simulation/random'
import { sql } from 'kysely'
import type { SeededKey } from './keys.ts'
import type { Transaction } from './ledger.ts'
import { DAY_MS, dayOf, insertRows, isoOf, type Seeding } from './rows.ts'

const HISTORY_DAYS = 90
/** Default of PROBITY_REQUEST_LOG_DAYS. Older requests are counted, but not logged. */
const LOG_DAYS = 7

/** Requests of a working day: at the beginning, and how many more after the whole history. */
const PER_DAY = 150
const GROWTH = 200
const TEST_PER_DAY = 14

type SeededRequest = {
  atMs: number
  key: SeededKey
  route: string
  status: number
  code: string | null
  durationMs: number
  subStatus: SubStatus | null
  credits: number | null
  /** Number of addresses per status, of a bulk validation. */
  counts?: Record<string, number>
}

/** Verdicts of addresses that users type into forms: fewer faults than in a list. */
const VERDICTS: [SubStatus, number][] = [
  ['', 0.78],
  ['mailbox_not_found', 0.08],
  ['domain_not_found', 0.03],
  ['syntax_error', 0.015],
  ['disposable', 0.03],
  ['catch_all', 0.025],
  ['mailbox_full', 0.01],
  ['greylisted', 0.01],
  ['timeout', 0.01],
  ['blocked', 0.01],
]

const PROBLEMS: [code: string, status: number][] = [
  ['invalid_request', 400],
  ['invalid_request', 400],
  ['malformed_json', 400],
  ['missing_scope', 403],
  ['rate_limited', 429],
  ['rate_limited', 429],
  ['overloaded', 503],
]
const PROBLEM_SHARE = 0.025
const BULK_SHARE = 0.02

/** Inserts the request log, the daily counts and the last request of each key, and returns what the requests cost. */
export async function seedRequests(seeding: Seeding, keys: SeededKey[]): Promise<Transaction[]> {
  const requests = listDays(seeding.nowMs).flatMap((startMs) => makeDay(seeding, startMs, keys))
  await insertLog(seeding, requests)
  await insertCounts(seeding, requests)
  return requests.flatMap(listCharges)
}

/** Midnights (UTC), the first one first. The last one is today's. */
function listDays(nowMs: number): number[] {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS
  return Array.from({ length: HISTORY_DAYS }, (_, n) => today - (HISTORY_DAYS - 1 - n) * DAY_MS)
}

function makeDay({ random, nowMs }: Seeding, startMs: number, keys: SeededKey[]): SeededRequest[] {
  const age = (nowMs - startMs) / DAY_MS
  const isWeekend = [0, 6].includes(new Date(startMs).getUTCDay())
  const busy = (PER_DAY + GROWTH * (1 - age / HISTORY_DAYS)) * (isWeekend ? 0.4 : 1) * (0.85 + 0.3 * random.next())
  return keys
    .filter((key) => key.createdAtMs <= startMs)
    .flatMap((key) => {
      const count = Math.round((key.mode === 'test' ? TEST_PER_DAY : busy) * key.share)
      return Array.from({ length: count }, () => makeRequest(random, startMs + timeOfDay(random), key))
    })
    .filter(({ atMs }) => atMs < nowMs)
}

/** Most requests are made between 7 and 21 o'clock. */
function timeOfDay(random: Random): number {
  const hour = random.chance(0.12) ? 24 * random.next() : 7 + 7 * (random.next() + random.next())
  return Math.floor(hour * 3_600_000)
}

function makeRequest(random: Random, atMs: number, key: SeededKey): SeededRequest {
  const base = { atMs, key, route: routeOf(key), code: null, subStatus: null, credits: null }
  if (random.chance(PROBLEM_SHARE)) {
    const [code, status] = random.pick(PROBLEMS)
    return { ...base, status, code, durationMs: 1 + random.below(6) }
  }
  const isLive = key.mode === 'live'
  if (isLive && key.kind === undefined && random.chance(BULK_SHARE)) {
    const counts = {
      valid: 20 + random.below(80),
      invalid: 2 + random.below(12),
      risky: random.below(8),
      unknown: random.below(4),
    }
    const credits = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const route = '/api/v1/validation/bulk'
    return { ...base, route, status: 200, durationMs: 2_000 + random.below(9_000), credits, counts }
  }
  const subStatus = pickVerdict(random)
  const isSlow = ['greylisted', 'timeout'].includes(subStatus)
  const durationMs = isLive ? 90 + random.below(600) + (isSlow ? 9_000 : 0) : 3 + random.below(9)
  return { ...base, status: 200, subStatus, durationMs, credits: isLive ? 1 : 0 }
}

function routeOf({ kind }: SeededKey): string {
  return kind === 'publishable' ? '/api/v1/validation/decision' : '/api/v1/validation/single'
}

function pickVerdict(random: Random): SubStatus {
  let left = random.next()
  for (const [subStatus, share] of VERDICTS) {
    left -= share
    if (left < 0) return subStatus
  }
  return ''
}

function listCharges({ atMs, key, status, credits, subStatus, counts, durationMs }: SeededRequest): Transaction[] {
  if (key.mode === 'test' || status !== 200 || credits === null) return []
  const charge: Transaction = { kind: 'charge', credits, subject: randomUUID(), part: 0, keyId: key.id, atMs }
  const unknown = counts?.['unknown'] ?? (subStatus !== null && SUB_STATUSES[subStatus].status === 'unknown' ? 1 : 0)
  const refunds = Array.from({ length: unknown }, (): Transaction => {
    return { ...charge, kind: 'refund', credits: 1, subject: randomUUID(), atMs: atMs + durationMs }
  })
  return [charge, ...refunds]
}

async function insertLog({ trx, accountId, nowMs }: Seeding, requests: readonly SeededRequest[]): Promise<void> {
  const rows = requests.map(({ atMs, key, route, status, code, durationMs, subStatus, credits }) => ({
    ...{
      expires_on: dayOf(atMs + LOG_DAYS * DAY_MS),
      account_id: accountId,
      id: randomUUID(),
      at: isoOf(atMs),
      mode: key.mode,
    },
    ...{ source: key.kind === 'publishable' ? 'page' : 'api', method: 'POST', route, status, code, key_id: key.id },
    ...{
      duration_ms: durationMs,
      verdict: subStatus === null ? null : SUB_STATUSES[subStatus].status,
      sub_status: subStatus,
    },
    ...{ credits, validation_id: null },
  }))
  const today = dayOf(nowMs)
  await insertRows(
    trx,
    'requests',
    rows.filter((row) => row.expires_on >= today),
  ) // others have no partition
  for (const key of new Set(requests.map((request) => request.key))) {
    const last = rows.filter((row) => row.key_id === key.id).reduce((one, other) => (one.at > other.at ? one : other))
    const { at, method, route, status, duration_ms, verdict } = last
    const lastRequest = {
      occurred_at: at,
      method,
      route,
      http_status: status,
      duration_ms,
      ...(verdict && { result_status: verdict }),
    }
    await sql`update api_keys set last_used_at = ${at}::timestamptz, last_request = ${JSON.stringify(lastRequest)}::jsonb
      where id = ${key.id}`.execute(trx)
  }
}

async function insertCounts({ trx, accountId }: Seeding, requests: readonly SeededRequest[]): Promise<void> {
  const verdicts = new Map<string, number>()
  const calls = new Map<string, number>()
  for (const { atMs, key, subStatus, counts } of requests) {
    const day = dayOf(atMs)
    add(calls, `${day} ${key.id}`, 1)
    const found = counts ?? (subStatus === null ? {} : { [SUB_STATUSES[subStatus].status]: 1 })
    for (const [status, count] of Object.entries(found))
      if (count > 0) add(verdicts, `${key.mode} ${day} ${status}`, count)
  }
  await insertRows(
    trx,
    'verdict_days',
    [...verdicts].map(([key, count]) => {
      const [mode, day, status] = key.split(' ')
      return { account_id: accountId, mode, day, status, count }
    }),
  )
  const columns = [...calls].map(([key, count]) => {
    const [day, key_id] = key.split(' ')
    return { account_id: accountId, day, key_id, requests: count }
  })
  await insertRows(
    trx,
    'usage_days',
    columns.map((row) => ({ ...row, credits_used: 0, credits_committed: 0, credits_refunded: 0 })),
  )
}

function add(sums: Map<string, number>, key: string, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count)
}
