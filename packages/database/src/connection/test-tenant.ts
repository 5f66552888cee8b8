import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { claimIdempotency } from '../accounts/idempotency.ts'
import { insertKey, recordKeyUse } from '../accounts/keys.ts'
import { addOverrides } from '../accounts/overrides.ts'
import { insertPolicy } from '../accounts/policies.ts'
import { recordRequests } from '../accounts/requests.ts'
import { testRequest } from '../accounts/test-requests.ts'
import { recordVerdicts } from '../accounts/usage.ts'
import { keepSubscription, offerPayment, saveCustomer } from '../billing/payments.ts'
import { reconcileLedger } from '../billing/reconciliation.ts'
import { countOutcomes } from '../feedback/outcomes.ts'
import { reportOf, testOutcome } from '../feedback/test-outcomes.ts'
import { claimBatch, dispatchBatches } from '../jobs/batches.ts'
import { insertReportLink } from '../jobs/report-links.ts'
import { makeTestRows, orderTestResults, storeTestResults } from '../jobs/results/test-results.ts'
import { settleBatch } from '../jobs/settle-batches.ts'
import { confirmTestJob, finalRows, planTestJob, startTestWorker } from '../jobs/test-jobs.ts'
import { insertUpload, type NewUpload } from '../jobs/uploads.ts'
import { countDomainAddresses } from '../validations/probing.ts'
import { deferResult, openValidations, type ValidationRef } from '../validations/validations.ts'
import { sendTestEvent } from '../webhooks/deliveries.ts'
import { insertEventStream } from '../webhooks/event-streams.ts'
import { claimDelivery, dispatchDeliveries, recordAttempt } from '../webhooks/events.ts'
import { getCallbackSecret, insertWebhook } from '../webhooks/webhooks.ts'
import { asOwner, type Db, inTenant, type Trx } from './connect.ts'
import type { View } from './scope.ts'
import { openTestAccount } from './test-database.ts'

export type TenantTable = { table: string; column: string; secured: boolean; policies: number }

/** All tables with rows of accounts, from the catalog: new tables are tested without being listed. */
export function listTenantTables(db: Db): Promise<TenantTable[]> {
  return asOwner(db, async (trx) => {
    const { rows } = await sql<TenantTable>`
      select c.relname as table, a.attname as column, c.relrowsecurity as secured,
             (select count(*) from pg_policy p where p.polrelid = c.oid) as policies
      from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and (a.attname = 'account_id' or (c.relname = 'accounts' and a.attname = 'id'))
      order by c.relname`.execute(trx)
    return rows
  })
}

/** An account with a row in every table that belongs to tenants. */
export async function openTenantWithRows(db: Db): Promise<string> {
  const { id: accountId } = await openTestAccount(db, 5)
  const keyId = await inTenant(db, accountId, async (trx) => {
    const { key } = await insertKey(trx, accountId, { mode: 'live', name: 'key', scopes: [] })
    const opening = { accountId, keyId: key.id, retentionDays: 30, group: randomUUID() }
    const row = { id: randomUUID(), email: 'ann@example.com', emailKey: 'ann@example.com' }
    const opened = await openValidations(trx, opening, [row])
    if (opened.kind === 'opened') await deferResult(trx, opened.refs[0] as ValidationRef)
    await insertUpload(trx, accountId, uploadOf(randomUUID()))
    await claimIdempotency(trx, { route: 'POST /', keyHash: randomBytes(32), fingerprint: randomBytes(32) })
    await addOverrides(trx, accountId, { action: 'block', targets: ['ann@example.com'], createdBy: 'Ann' })
    await insertPolicy(trx, accountId, { name: 'own', rules: [], fallback: { decision: 'allow', reason: 'Nothing.' } })
    return key.id
  })
  await storeOrdered(db, accountId)
  await planTestJob(db, accountId, [{ size: 1 }, { size: 1 }])
  const workerId = await startTestWorker(db, 8)
  const own = (await dispatchBatches(db, [])).find((released) => released.accountId === accountId)
  const batch = own && (await claimBatch(db, workerId, own))
  if (batch) await settleBatch(db, batch, { final: finalRows(batch), later: [] })
  await sendWebhook(db, accountId)
  await streamEvent(db, { accountId, mode: 'live' })
  await inTenant(db, accountId, (trx) => countDomainAddresses(trx, new Map([['example.com', 1]]), 200))
  await asOwner(db, (trx) =>
    sql`insert into job_reviews (job_id, account_id, reason, state, domain, domain_count)
        select id, account_id, 'domain_limit', 'released', 'example.com', 1 from jobs where account_id = ${accountId}`.execute(
      trx,
    ),
  )
  await inTenant(db, accountId, (trx) => countOutcomes(trx, accountId, reportOf([testOutcome('ann@example.com')])))
  await inTenant(db, accountId, (trx) => buy(trx, accountId))
  await asOwner(db, (trx) => addUsers(trx, accountId))
  await recordKeyUse(db, [{ keyId, requests: 1, lastUsedAt: new Date() }])
  await recordRequests(db, [testRequest({ accountId, keyId })], 7)
  await recordVerdicts(db, [{ accountId, mode: 'live', day: '2026-11-02', status: 'valid', count: 1 }])
  await reconcileLedger(db) // which remembers the sums of the ledger
  return accountId
}

/** A job that has ended, whose results are in row order. */
async function storeOrdered(db: Db, accountId: string): Promise<void> {
  const { id } = await confirmTestJob(db, accountId, { uniqueCount: 1, mode: 'test' })
  await storeTestResults(db, id, makeTestRows(1))
  await asOwner(db, (trx) =>
    sql`update jobs set state = 'completed', done_count = 1, finished_at = clock_timestamp() where id = ${id}`.execute(
      trx,
    ),
  )
  await orderTestResults(db, id)
  await inTenant(db, accountId, (trx) => insertReportLink(trx, { accountId, mode: 'test' }, { jobId: id, days: 1 }))
}

/** A customer of Stripe with an offer and a subscription. */
async function buy(trx: Trx, accountId: string): Promise<void> {
  await saveCustomer(trx, accountId, `cus_${accountId}`)
  await offerPayment(trx, accountId, { reference: `cs_${accountId}`, credits: 1 })
  const subscription = { id: `sub_${accountId}`, price: 'price_none', isPaid: false, beganAt: new Date() }
  await keepSubscription(trx, { ...subscription, checkedAt: new Date().toISOString() })
}

/** A member with a notification, and an invited user. */
async function addUsers(trx: Trx, accountId: string): Promise<void> {
  const email = `${randomUUID()}@example.com`
  await sql`
    with new_user as (insert into users (name, email) values ('Ann', ${email}) returning id),
         member as (insert into members (account_id, user_id, role) select ${accountId}, id, 'owner' from new_user),
         notification as (
           insert into notifications (account_id, user_id, kind, subject, data) select ${accountId}, id, 'job_done', '', '{}' from new_user
         )
    insert into invitations (account_id, email, role, inviter_id, expires_at)
    select ${accountId}, ${email}, 'viewer', id, clock_timestamp() + interval '1 day' from new_user`.execute(trx)
}

/** A webhook, an event, its delivery and an attempt. */
async function sendWebhook(db: Db, accountId: string): Promise<void> {
  const view = { accountId, mode: 'live' as const }
  await inTenant(db, accountId, async (trx) => {
    const made = await insertWebhook(trx, view, { url: 'https://hooks.example.com/' })
    await sendTestEvent(trx, view, made?.webhook.id ?? '')
  })
  const own = (await dispatchDeliveries(db, 10)).find((released) => released.accountId === accountId)
  const claimed = own && (await claimDelivery(db, own, 30))
  const tried = { signedAt: new Date(), signature: 'v1,', status: 200, error: null, durationMs: 1 }
  if (claimed) await recordAttempt(db, claimed, { kind: 'delivered' }, tried)
}

/** An open event stream with an event, and a callback secret. */
async function streamEvent(db: Db, view: View): Promise<void> {
  await insertEventStream(db, view, randomUUID())
  await inTenant(db, view.accountId, async (trx) => {
    await insertKey(trx, view.accountId, { mode: 'live', name: 'streamed', scopes: [] })
    await getCallbackSecret(trx, view)
  })
}

function uploadOf(storageKey: string): NewUpload {
  const counts = { rowCount: 3, emailCount: 2, uniqueCount: 1, sizeBytes: 40 }
  const form = { columns: ['email'], suggestedColumn: 'email', delimiter: ',', encoding: 'utf-8', headerRow: 1 }
  return { mode: 'live', filename: 'list.csv', storageKey, ...counts, ...form }
}
