import { insertKey } from '@probity/database/accounts/keys'
import { sql } from 'kysely'
import { KEYS, type SeedKey } from './data/account.ts'
import { DAY_MS, isoOf, type Seeding } from './rows.ts'

export type SeededKey = SeedKey & { id: string; createdAtMs: number }

const FORM = { allowedOrigins: ['https://www.example.com'], allowedPolicies: ['signup'], visitorCap: 20 }

/** Inserts the API keys. Their texts are not kept: `pnpm dev` prints a key that works. */
export async function seedKeys({ trx, accountId, nowMs }: Seeding): Promise<SeededKey[]> {
  const keys: SeededKey[] = []
  for (const key of KEYS) {
    const { name, mode, kind, scopes, monthlyCap = null } = key
    const page = kind === 'publishable' ? { kind, ...FORM } : {}
    const { key: made } = await insertKey(trx, accountId, { name, mode, scopes, monthlyCap, ...page })
    const createdAtMs = nowMs - key.createdDaysAgo * DAY_MS
    const endedAt = isoOf(createdAtMs + 21 * DAY_MS)
    await sql`
      update api_keys set created_at = ${isoOf(createdAtMs)}::timestamptz,
        paused_at = ${key.end === 'paused' ? endedAt : null}::timestamptz,
        revoked_at = ${key.end === 'revoked' ? endedAt : null}::timestamptz
      where id = ${made.id}`.execute(trx)
    keys.push({ ...key, id: made.id, createdAtMs })
  }
  return keys
}
