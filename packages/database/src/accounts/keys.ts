import { hash, randomInt } from 'node:crypto'
import {
  expandScopes,
  formatKey,
  formatKeyHint,
  KEY_ALPHABET,
  KEY_SECRET_LENGTH,
  type KeyMode,
  type KeyScope,
  type KeyType,
  PUBLISHABLE_POLICY,
} from '@probity/contract/constants/keys'
import type { Trait } from '@probity/contract/constants/validations'
import type { LastRequest } from '@probity/contract/schemas/keys'
import { type Selectable, sql, type Updateable } from 'kysely'
import { type Db, inTenant, type Trx, withoutTenant } from '../connection/connect.ts'
import { type Page, readPage } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'
import { emitEvent } from '../webhooks/events.ts'

export type ApiKey = Omit<Selectable<Schema['apiKeys']>, 'hash' | 'changedAt'>

/** The fields of a key in events. */
type KeyOfEvent = Pick<
  ApiKey,
  | 'id'
  | 'name'
  | 'mode'
  | 'hint'
  | 'scopes'
  | 'createdAt'
  | 'expiresAt'
  | 'pausedAt'
  | 'revokedAt'
  | 'replaces'
  | 'replacedBy'
>

export type NewKey = {
  mode: KeyMode
  name: string
  /** The read scopes of write scopes are added. */
  scopes: readonly KeyScope[]
  ipAllowList?: string[]
  monthlyCap?: number | null
  expiresAt?: Date | null
  /** Secret if undefined. A publishable key needs origins and a cap. */
  kind?: KeyType
  allowedOrigins?: string[]
  /** The policies that pages may select; the default policy for a publishable key if undefined. */
  allowedPolicies?: string[]
  visitorCap?: number | null
  /** The key that this one replaces. */
  replaces?: string
  /** Its own lineage and those of its creators (see the column); a new lineage if left out. */
  lineages?: string[]
}

export type KeyChange = Pick<
  Updateable<Schema['apiKeys']>,
  | 'name'
  | 'scopes'
  | 'ipAllowList'
  | 'monthlyCap'
  | 'expiresAt'
  | 'pausedAt'
  | 'allowedOrigins'
  | 'allowedPolicies'
  | 'visitorCap'
>

const COLUMNS = [
  'id',
  'accountId',
  'mode',
  'name',
  'hint',
  'scopes',
  'ipAllowList',
  'monthlyCap',
  'createdAt',
  'expiresAt',
  'pausedAt',
  'revokedAt',
  'lastUsedAt',
  'lastRequest',
  'kind',
  'allowedOrigins',
  'allowedPolicies',
  'visitorCap',
  'publicText',
  'replaces',
  'replacedBy',
  'lineages',
] as const

/** Creates a key. The returned text of a secret key is the only copy: the table contains its hash. */
export async function insertKey(trx: Trx, accountId: string, key: NewKey): Promise<{ text: string; key: ApiKey }> {
  const text = formatKey(key.kind === 'publishable' ? 'pub' : key.mode, randomSecret())
  const row = await trx
    .insertInto('apiKeys')
    .values({ ...PAGE_DEFAULTS[key.kind ?? 'secret'], ...key, accountId, ...storedForms(key, text) })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  await emitKeyEvent(trx, row, 'key.created')
  return { text, key: row }
}

const PAGE_DEFAULTS = { secret: {}, publishable: { allowedPolicies: [PUBLISHABLE_POLICY] } }

/** The text of a publishable key is public and is stored to be shown again. Of a secret key only the hash is stored. */
function storedForms({ kind, scopes }: NewKey, text: string) {
  const publicText = kind === 'publishable' ? text : null
  return { hash: hashKey(text), hint: formatKeyHint(text), publicText, scopes: expandScopes(scopes, kind) }
}

type KeyEvent = `key.${'created' | 'updated' | 'rotated' | 'paused' | 'resumed' | 'revoked' | 'expired'}`

function emitKeyEvent(trx: Trx, key: KeyOfEvent, type: KeyEvent): Promise<void> {
  const { id, name, mode, hint, scopes, createdAt, expiresAt, pausedAt, revokedAt, replaces, replacedBy } = key
  const data = () => ({
    ...{ id, name, livemode: mode === 'live', hint, scopes },
    ...{ created_at: createdAt, expires_at: expiresAt, paused_at: pausedAt, revoked_at: revokedAt },
    ...{ replaces_key_id: replaces, replaced_by_key_id: replacedBy },
  })
  return emitEvent(trx, { mode, type, data })
}

/** A fast hash is sufficient: 190 random bits cannot be guessed, whatever an attempt costs. */
export function hashKey(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

function randomSecret(): string {
  const characters = Array.from({ length: KEY_SECRET_LENGTH }, () =>
    KEY_ALPHABET.charAt(randomInt(KEY_ALPHABET.length)),
  )
  return characters.join('')
}

/** Scope of key queries: all keys of an account, or those of one mode. */
export type KeyView = { accountId: string; mode?: KeyMode | undefined }

export function findKey(trx: Trx, view: KeyView, keyId: string): Promise<ApiKey | undefined> {
  return keysIn(trx, view).select(COLUMNS).where('id', '=', keyId).executeTakeFirst()
}

export async function listKeys(trx: Trx, view: KeyView, page: Page) {
  const { rows, total } = await readPage(keysIn(trx, view), page, (keys) =>
    keys.select(COLUMNS).orderBy('createdAt', 'desc').orderBy('id'),
  )
  return { keys: rows, total }
}

function keysIn(trx: Trx, { accountId, mode }: KeyView) {
  const keys = trx.selectFrom('apiKeys').where('accountId', '=', accountId)
  return mode ? keys.where('mode', '=', mode) : keys
}

export async function updateKey(
  trx: Trx,
  view: KeyView,
  keyId: string,
  change: KeyChange,
): Promise<ApiKey | undefined> {
  const before = await lockKey(trx, view, keyId)
  const key = await trx
    .updateTable('apiKeys')
    .set(change)
    .where('accountId', '=', view.accountId)
    .where('id', '=', keyId)
    .where('revokedAt', 'is', null)
    .$if(view.mode !== undefined, (keys) => keys.where('mode', '=', view.mode as KeyMode))
    .returning(COLUMNS)
    .executeTakeFirst()
  if (before === undefined || key === undefined) return key
  if (settingsOf(before) !== settingsOf(key)) await emitKeyEvent(trx, key, 'key.updated')
  const [wasPaused, isPaused] = [before.pausedAt !== null, key.pausedAt !== null]
  if (wasPaused !== isPaused) await emitKeyEvent(trx, key, isPaused ? 'key.paused' : 'key.resumed')
  return key
}

/** The settings of a key as one text, to compare them. */
function settingsOf({ name, scopes, ipAllowList, monthlyCap, expiresAt, ...key }: ApiKey): string {
  const { allowedOrigins, allowedPolicies, visitorCap } = key
  return JSON.stringify([
    ...[name, scopes, ipAllowList, monthlyCap, expiresAt],
    ...[allowedOrigins, allowedPolicies, visitorCap],
  ])
}

/** Revokes a key permanently. Revoking it again has no effect and is not an error. */
export async function revokeKey(trx: Trx, view: KeyView, keyId: string): Promise<ApiKey | undefined> {
  const revoked = await trx
    .updateTable('apiKeys')
    .set({ revokedAt: sql<Date>`clock_timestamp()` })
    .where('accountId', '=', view.accountId)
    .where('id', '=', keyId)
    .where('revokedAt', 'is', null)
    .$if(view.mode !== undefined, (keys) => keys.where('mode', '=', view.mode as KeyMode))
    .returning(COLUMNS)
    .executeTakeFirst()
  if (revoked === undefined) return findKey(trx, view, keyId)
  await emitKeyEvent(trx, revoked, 'key.revoked')
  return revoked
}

/** Like `findKey`, with a lock until the transaction ends. */
export function lockKey(trx: Trx, view: KeyView, keyId: string): Promise<ApiKey | undefined> {
  return keysIn(trx, view).select(COLUMNS).where('id', '=', keyId).forUpdate().executeTakeFirst()
}

/** Creates a key with the settings of a locked one. The old key stays valid for the overlap, but not beyond its own expiry. */
export async function replaceKey(trx: Trx, old: ApiKey, overlapS: number): Promise<{ text: string; key: ApiKey }> {
  const { id, accountId, mode, name, scopes, ipAllowList, monthlyCap, expiresAt } = old
  const { kind, allowedOrigins, allowedPolicies, visitorCap, lineages } = old
  const limits = { ipAllowList, monthlyCap, expiresAt, allowedOrigins, allowedPolicies, visitorCap }
  const made = await insertKey(trx, accountId, { mode, name, scopes, kind, ...limits, lineages, replaces: id })
  const overlapEnd = sql<Date>`least(expires_at, clock_timestamp() + make_interval(secs => ${overlapS}))`
  const keys = trx.updateTable('apiKeys').set({ replacedBy: made.key.id, expiresAt: overlapEnd })
  const own = keys.where('accountId', '=', accountId).where('id', '=', id)
  await emitKeyEvent(trx, await own.returning(COLUMNS).executeTakeFirstOrThrow(), 'key.rotated')
  return made
}

/** Emits `key.expired` once for each expired key, and returns their number. Safe to run in several processes at once. */
export async function announceExpiredKeys(db: Db, max: number): Promise<number> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ accountId: string; id: string }>`select * from list_expired_keys(${max})`.execute(trx),
  )
  for (const { accountId, id } of rows) await inTenant(db, accountId, (trx) => announceExpiredKey(trx, id))
  return rows.length
}

async function announceExpiredKey(trx: Trx, id: string): Promise<void> {
  const { rows } = await sql<KeyOfEvent>`select * from mark_expired_key(${id})`.execute(trx)
  for (const key of rows) await emitKeyEvent(trx, key, 'key.expired')
}

/** The limits of a key, within which it creates and changes keys. `remaining` is null where no monthly cap applies to it. */
export type KeyBounds = Pick<ApiKey, 'id' | 'scopes' | 'expiresAt' | 'ipAllowList' | 'lineages'> & {
  remaining: number | null
}

export function findKeyBounds(trx: Trx, accountId: string, keyId: string): Promise<KeyBounds | undefined> {
  return keysIn(trx, { accountId })
    .select(['id', 'scopes', 'expiresAt', 'ipAllowList', 'lineages'])
    .select(sql<number | null>`remaining_key_cap(account_id, id)`.as('remaining'))
    .where('id', '=', keyId)
    .executeTakeFirst()
}

/** The number of keys that are active or paused, and of those created in the last 24 hours. Other creations wait until commit. */
export async function countKeys(trx: Trx, accountId: string): Promise<{ current: number; recent: number }> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`keys of ${accountId}`}, 0))`.execute(trx)
  return trx
    .selectFrom('apiKeys')
    .select([
      sql<number>`count(*) filter (where revoked_at is null and (expires_at is null or expires_at > clock_timestamp()))`.as(
        'current',
      ),
      sql<number>`count(*) filter (where created_at > clock_timestamp() - interval '1 day')`.as('recent'),
    ])
    .where('accountId', '=', accountId)
    .executeTakeFirstOrThrow()
}

/** The data that authenticates a key. */
export type AuthKey = {
  id: string
  accountId: string
  mode: KeyMode
  name: string
  scopes: KeyScope[]
  ipAllowList: string[]
  expiresAt: Date | null
  pausedAt: Date | null
  revokedAt: Date | null
  retentionDays: number
  plan: string
  apiAccess: boolean
  requestsPerWindow: number
  windowS: number
  interactiveInFlight: number
  kind: KeyType
  allowedOrigins: string[]
  allowedPolicies: string[]
  visitorCap: number | null
  /** IP allowlist of the account; empty allows every address. */
  accountIpAllowList: string[]
  /** Whether an operator has suspended the account. */
  suspended: boolean
} & AccountOptions

/** Features of the plan and sending settings of the account. */
export type AccountOptions = { ai: boolean; catchall: boolean; sendThreshold: number; excludedTraits: Trait[] }

/** Finds a key of any account by its hash. */
export async function findAuthKey(db: Db, hash: Buffer): Promise<AuthKey | undefined> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<AuthKey>`
    select k.*, is_account_suspended(k.account_id) as suspended from find_api_key(${hash}) k`.execute(trx),
  )
  return rows[0]
}

/** The keys of all accounts that were changed within the last seconds, by id. */
export async function listChangedKeys(db: Db, withinSeconds: number): Promise<string[]> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ id: string }>`select id from api_keys_changed_within(${withinSeconds}) as id`.execute(trx),
  )
  return rows.map((row) => row.id)
}

export type KeyUse = { keyId: string; requests: number; lastUsedAt: Date; lastRequest?: LastRequest | undefined }

/** Adds what one process saw since its last report to the keys and to the day's usage. */
export async function recordKeyUse(db: Db, uses: KeyUse[]): Promise<void> {
  const ids = uses.map((use) => use.keyId)
  const requests = uses.map((use) => use.requests)
  const lastUsed = uses.map((use) => use.lastUsedAt)
  const lastRequests = uses.map(({ lastRequest }) => (lastRequest ? JSON.stringify(lastRequest) : null))
  await withoutTenant(db, (trx) =>
    sql`select record_key_use(${ids}::uuid[], ${requests}::bigint[], ${lastUsed}::timestamptz[],
      ${lastRequests}::text[]::jsonb[])`.execute(trx),
  )
}

/** Whether any publishable key of any account is for pages of this origin. */
export async function isAllowedOrigin(db: Db, origin: string): Promise<boolean> {
  const { rows } = await withoutTenant(db, (trx) =>
    sql<{ isAllowed: boolean }>`select is_allowed_origin(${origin}) as is_allowed`.execute(trx),
  )
  return rows[0]?.isAllowed === true
}
