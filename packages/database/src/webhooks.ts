import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Trx } from './connect.ts'
import type { Schema } from './schema.ts'
import type { View } from './view.ts'

export type Webhook = Omit<Selectable<Schema['webhookEndpoints']>, 'secret'>

export type NewWebhook = { url: string; description?: string; events?: string[] }

const COLUMNS = [
  'id',
  'accountId',
  'mode',
  'url',
  'description',
  'events',
  'state',
  'disabledReason',
  'disabledAt',
  'failingSince',
  'previousUntil',
  'createdAt',
] as const

/** Of an account, in both modes together. */
export const WEBHOOKS_MAX = 10

/** For how long the secret before the last still signs. */
const ROTATION_HOURS = 24

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32

function makeSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Makes an endpoint; undefined where the account has as many as it may. Nobody but the signer ever reads its secret again. */
export async function insertWebhook(
  trx: Trx,
  { accountId, mode }: View,
  webhook: NewWebhook,
): Promise<{ webhook: Webhook; secret: string } | undefined> {
  // Two at once would each count without the other.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${accountId}`}, 0))`.execute(trx)
  const { total } = await trx
    .selectFrom('webhookEndpoints')
    .select((of) => of.fn.countAll<number>().as('total'))
    .where('accountId', '=', accountId)
    .executeTakeFirstOrThrow()
  if (total >= WEBHOOKS_MAX) return undefined
  const secret = makeSecret()
  const row = await trx
    .insertInto('webhookEndpoints')
    .values({ ...webhook, accountId, mode, secret })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { webhook: row, secret }
}

export function findWebhook(trx: Trx, view: View, webhookId: string): Promise<Webhook | undefined> {
  return webhooksIn(trx, view).select(COLUMNS).where('id', '=', webhookId).executeTakeFirst()
}

/** One page of the endpoints, newest first, and how many there are. */
export async function listWebhooks(trx: Trx, view: View, page: { skip: number; limit: number }) {
  const webhooks = await webhooksIn(trx, view)
    .select(COLUMNS)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .offset(page.skip)
    .limit(page.limit)
    .execute()
  const { total } = await webhooksIn(trx, view)
    .select((of) => of.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { webhooks, total }
}

function webhooksIn(trx: Trx, { accountId, mode }: View) {
  return trx.selectFrom('webhookEndpoints').where('accountId', '=', accountId).where('mode', '=', mode)
}

export type WebhookChange = Partial<NewWebhook> & { enabled?: boolean }

/** Changes what is named. What was on its way to an endpoint that is disabled has failed. */
export async function updateWebhook(
  trx: Trx,
  view: View,
  webhookId: string,
  { enabled, ...change }: WebhookChange,
): Promise<Webhook | undefined> {
  // An endpoint that was moved or switched on again gets its five days anew.
  const anew = change.url !== undefined || enabled === true
  const back = enabled === true && { state: 'enabled' as const, disabledReason: null, disabledAt: null }
  const set = { ...change, ...(anew && { failingSince: null }), ...back }
  if (Object.keys(set).length > 0) {
    const webhooks = trx.updateTable('webhookEndpoints').set(set).where('accountId', '=', view.accountId)
    await webhooks.where('mode', '=', view.mode).where('id', '=', webhookId).execute()
  }
  const webhook = await findWebhook(trx, view, webhookId)
  if (webhook === undefined || enabled !== false) return webhook
  await sql`select disable_webhook(${webhookId}, 'by_owner')`.execute(trx)
  return findWebhook(trx, view, webhookId)
}

/** Removes an endpoint with its log. False where there is none. */
export async function removeWebhook(trx: Trx, view: View, webhookId: string): Promise<boolean> {
  const webhooks = trx.deleteFrom('webhookEndpoints').where('accountId', '=', view.accountId)
  const removed = await webhooks.where('mode', '=', view.mode).where('id', '=', webhookId).executeTakeFirst()
  return removed.numDeletedRows > 0n
}

/** Gives an endpoint a new secret. The one before signs beside it for a day. */
export async function rotateSecret(trx: Trx, view: View, webhookId: string) {
  if ((await findWebhook(trx, view, webhookId)) === undefined) return undefined
  const secret = makeSecret()
  await sql`select rotate_webhook_secret(${webhookId}, ${secret}, ${ROTATION_HOURS})`.execute(trx)
  const webhook = await findWebhook(trx, view, webhookId)
  return webhook && { webhook, secret }
}
