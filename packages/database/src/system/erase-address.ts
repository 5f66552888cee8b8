import { sql } from 'kysely'
import { type Db, inTenant, type Trx } from '../connection/connect.ts'
import { getMarkSecret, MARK_KEPT_DAYS, markOf } from '../feedback/outcomes.ts'
import { type ErasedAddress, withoutAddress } from '../jobs/results/erase-results.ts'

/** Rows that one transaction reads. Other requests run between two of them. */
const ROWS_AT_ONCE = 500

/** The erasure of one address from the data of one account. The signal ends it between two transactions; what is done stays done. */
export type Erasing = { db: Db; accountId: string; address: ErasedAddress; signal: AbortSignal }

/** Deletes the validations of the address and removes it from the suggestions of its typos. Returns the number of deleted ones. */
export async function eraseValidations(erasing: Erasing): Promise<number> {
  let count = 0
  for (const day of await listDays(erasing, 'validations')) {
    // Validations with the same local part, and texts that are no address. One of them can be the address, contain it or suggest it.
    for (const key of [erasing.address.key, null]) {
      for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
        const page: ErasedPage = await eraseValidationPage(erasing, { day, key, after })
        count += page.count
        after = page.next
      }
    }
  }
  return count
}

type ErasedPage = { count: number; next: string | undefined }
type PageOfDay = { day: string; key: string | null; after: string }
type Candidate = { id: string; email: string; result: unknown; provisional: unknown }

async function eraseValidationPage(erasing: Erasing, { day, key, after }: PageOfDay): Promise<ErasedPage> {
  const { db, accountId, address, signal } = erasing
  signal.throwIfAborted()
  return inTenant(db, accountId, async (trx) => {
    const { rows } = await sql<Candidate>`
      select * from list_erasable_validations(${day}, ${key}, ${after}, ${ROWS_AT_ONCE})`.execute(trx)
    const own = rows.filter(({ email }) => address.isIn(email))
    const typos = rows.filter((row) => !own.includes(row) && address.isInJson([row.result, row.provisional]))
    if (own.length > 0) await deleteValidations(trx, accountId, { day, ids: own.map(({ id }) => id) })
    for (const { id, result, provisional } of typos) {
      const rest = withoutAddress({ result, provisional }, address.isIn)
      await sql`
        update validations set result = ${jsonOrNull(rest.result)}::json, provisional = ${jsonOrNull(rest.provisional)}::json
        where expires_on = ${day} and account_id = ${accountId} and id = ${id}`.execute(trx)
    }
    return { count: own.length, next: rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?.id }
  })
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

async function deleteValidations(trx: Trx, accountId: string, { day, ids }: { day: string; ids: string[] }) {
  const waiting = trx.deleteFrom('uncollectedResults').where('accountId', '=', accountId)
  await waiting.where('validationId', 'in', ids).execute()
  const validations = trx.deleteFrom('validations').where('expiresOn', '=', day).where('accountId', '=', accountId)
  await validations.where('id', 'in', ids).execute()
}

/** The days with a partition of the table, from today on. */
async function listDays({ db, accountId }: Erasing, table: string): Promise<string[]> {
  const { rows } = await inTenant(db, accountId, (trx) =>
    sql<{ day: string }>`
      select to_date(right(c.relname, 8), 'YYYYMMDD') as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = ${table}::regclass and right(c.relname, 8) >= to_char(utc_today(), 'YYYYMMDD')
      order by 1`.execute(trx),
  )
  return rows.map(({ day }) => day)
}

type StoredResponse = { route: string; keyHash: Buffer; body: string | null }

/** Deletes the stored responses that contain the address. A repetition of such a request is processed as a new one. */
export async function eraseIdempotencyRecords(erasing: Erasing): Promise<number> {
  let count = 0
  for (const day of await listDays(erasing, 'idempotency_records')) {
    for (let after: StoredResponse | undefined = NO_RESPONSE; after !== undefined; ) {
      const page = await eraseResponsePage(erasing, day, after)
      count += page.count
      after = page.next
    }
  }
  return count
}

const NO_RESPONSE: StoredResponse = { route: '', keyHash: Buffer.alloc(0), body: null }

async function eraseResponsePage(erasing: Erasing, day: string, after: StoredResponse) {
  const { db, accountId, address, signal } = erasing
  signal.throwIfAborted()
  return inTenant(db, accountId, async (trx) => {
    const { rows } = await sql<StoredResponse>`
      select r.route, r.key_hash, case when strpos(lower(r.body), ${address.probe}) > 0 then r.body end as body
      from idempotency_records r
      where r.expires_on = ${day} and r.account_id = ${accountId} and (r.route, r.key_hash) > (${after.route}, ${after.keyHash})
      order by r.route, r.key_hash limit ${ROWS_AT_ONCE}`.execute(trx)
    const own = rows.filter(({ body }) => body !== null && address.isInJson(readJson(body)))
    for (const { route, keyHash } of own) {
      const records = trx
        .deleteFrom('idempotencyRecords')
        .where('expiresOn', '=', day)
        .where('accountId', '=', accountId)
      await records.where('route', '=', route).where('keyHash', '=', keyHash).execute()
    }
    return { count: own.length, next: rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1) }
  })
}

/** A body that is not JSON is searched as a text. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type StoredEvent = { id: string; createdAt: string; body: string | null }

/** Deletes the webhook events that contain the address, with their deliveries. A delivery that is being sent is not sent again. */
export async function eraseEvents(erasing: Erasing): Promise<number> {
  let count = 0
  for (const day of await listDays(erasing, 'webhook_events')) {
    for (let after: StoredEvent | undefined = NO_EVENT; after !== undefined; ) {
      const page = await eraseEventPage(erasing, day, after)
      count += page.count
      after = page.next
    }
  }
  return count
}

const NO_EVENT: StoredEvent = { id: FIRST_ID, createdAt: '-infinity', body: null }

async function eraseEventPage(erasing: Erasing, day: string, after: StoredEvent) {
  const { db, accountId, address, signal } = erasing
  signal.throwIfAborted()
  return inTenant(db, accountId, async (trx) => {
    // The time as text: a Date would lose its microseconds, and rows would be read twice.
    const { rows } = await sql<StoredEvent>`
      select v.id, v.created_at::text as created_at, case when strpos(lower(v.body), ${address.probe}) > 0 then v.body end as body
      from webhook_events v
      where v.expires_on = ${day} and v.account_id = ${accountId}
        and (v.created_at, v.id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)
      order by v.created_at, v.id limit ${ROWS_AT_ONCE}`.execute(trx)
    const own = rows.filter(({ body }) => body !== null && address.isInJson(readJson(body))).map(({ id }) => id)
    if (own.length > 0) await sql`select erase_events(${own}::uuid[])`.execute(trx)
    return { count: own.length, next: rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1) }
  })
}

/** Deletes what is found by the key of the address: overrides, marks of reported outcomes, and its mentions in notes and names of files. */
export async function eraseByKey(trx: Trx, accountId: string, { key, isIn }: ErasedAddress) {
  const overrides = await trx
    .deleteFrom('overrides')
    .where('accountId', '=', accountId)
    .where('target', '=', key)
    .executeTakeFirst()
  await eraseNotes(trx, accountId, isIn)
  await sql`
    delete from uncollected_results
    where account_id = ${accountId} and (email_key = ${key} or starts_with(email_key, ${`${key} `}))`.execute(trx)
  await sql`select erase_mentions(${[key.trim()]}::text[])`.execute(trx)
  return { overrides: Number(overrides.numDeletedRows), feedback: await deleteMarks(trx, accountId, key) }
}

async function eraseNotes(trx: Trx, accountId: string, isIn: ErasedAddress['isIn']): Promise<void> {
  const noted = trx.selectFrom('overrides').select(['id', 'note']).where('accountId', '=', accountId)
  const own = (await noted.where('note', 'like', '%@%').execute()).filter(({ note }) => isIn(note))
  for (const { id } of own) {
    const overrides = trx.updateTable('overrides').set({ note: '' }).where('accountId', '=', accountId)
    await overrides.where('id', '=', id).execute()
  }
}

/** A mark is a hash of the address and of a day, so there is one for each day on which a message can have been sent. */
async function deleteMarks(trx: Trx, accountId: string, key: string): Promise<number> {
  const secret = await getMarkSecret(trx)
  const { rows: days } = await sql<{ day: string }>`
    select (utc_today() + n)::text as day from generate_series(${-MARK_KEPT_DAYS}::integer, 1) n`.execute(trx)
  const marks = days.map(({ day }) => markOf(secret, accountId, `${key}\0${day}`))
  const { rows } = await sql<{ count: number }>`
    with deleted as (
      delete from outcome_marks m using unnest(${days.map(({ day }) => day)}::date[], ${marks}::text[]) as g (day, mark)
      where m.expires_on = g.day + ${MARK_KEPT_DAYS}::integer and m.account_id = ${accountId} and m.mark = decode(g.mark, 'hex')
      returning 1
    )
    select count(*)::integer as count from deleted`.execute(trx)
  return rows[0]?.count ?? 0
}

/** Writes the counts to the audit log, without the address. */
export async function recordErasure(trx: Trx, counts: Record<string, number>): Promise<void> {
  await sql`select record_erasure(${JSON.stringify(counts)}::jsonb)`.execute(trx)
}
