import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Trx } from '../connection/connect.ts'
import { countRows, type Page, readPage } from '../connection/page.ts'
import type { Schema } from '../connection/schema.ts'
import type { View } from '../connection/scope.ts'

export type Webhook = Omit<Selectable<Schema['webhookEndpoints']>, 'secret' | 'privateKey' | 'jobId'>

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
  'publicKey',
] as const

/** Limit of an account, for both modes together. */
export const WEBHOOKS_MAX = 10

/** How long the previous secret and private key also sign. */
export const ROTATION_HOURS = 24

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32

export function makeSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** An Ed25519 key pair in the form of Standard Webhooks: the 32 bytes of each key (RFC 8032), in base64. */
function makeKeyPair(): { privateKey: string; publicKey: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const encode = (part: string) => Buffer.from(part, 'base64url').toString('base64')
  return { privateKey: `whsk_${encode(d)}`, publicKey: `whpk_${encode(x)}` }
}

/** Creates an endpoint; undefined if the account has reached the limit. Only the signer can read its secret later. */
export async function insertWebhook(
  trx: Trx,
  { accountId, mode }: View,
  webhook: NewWebhook,
): Promise<{ webhook: Webhook; secret: string } | undefined> {
  // Concurrent requests would each count without the other and exceed the limit together.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${accountId}`}, 0))`.execute(trx)
  const webhooks = trx.selectFrom('webhookEndpoints').where('accountId', '=', accountId).where('jobId', 'is', null)
  if ((await countRows(webhooks)) >= WEBHOOKS_MAX) return undefined
  const secret = makeSecret()
  const row = await trx
    .insertInto('webhookEndpoints')
    .values({ ...webhook, accountId, mode, secret, ...makeKeyPair() })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return { webhook: row, secret }
}

export function findWebhook(trx: Trx, view: View, webhookId: string): Promise<Webhook | undefined> {
  return webhooksIn(trx, view).select(COLUMNS).where('id', '=', webhookId).executeTakeFirst()
}

/** One page of the webhooks, newest first, and their number. */
export async function listWebhooks(trx: Trx, view: View, page: Page) {
  const { rows, total } = await readPage(webhooksIn(trx, view), page, (webhooks) =>
    webhooks.select(COLUMNS).orderBy('createdAt', 'desc').orderBy('id'),
  )
  return { webhooks: rows, total }
}

function webhooksIn(trx: Trx, { accountId, mode }: View) {
  const endpoints = trx.selectFrom('webhookEndpoints').where('accountId', '=', accountId).where('mode', '=', mode)
  return endpoints.where('jobId', 'is', null) // job callbacks are not webhooks
}

export type WebhookChange = Partial<NewWebhook> & { enabled?: boolean }

/** Changes the given fields. Pending deliveries of an endpoint that is disabled fail. */
export async function updateWebhook(
  trx: Trx,
  view: View,
  webhookId: string,
  { enabled, ...change }: WebhookChange,
): Promise<Webhook | undefined> {
  // After a new URL or being enabled again, an endpoint starts its five days anew.
  const anew = change.url !== undefined || enabled === true
  const back = enabled === true && { state: 'enabled' as const, disabledReason: null, disabledAt: null }
  const set = { ...change, ...(anew && { failingSince: null }), ...back }
  if (Object.keys(set).length > 0) {
    const webhooks = trx.updateTable('webhookEndpoints').set(set).where('accountId', '=', view.accountId)
    await webhooks.where('mode', '=', view.mode).where('jobId', 'is', null).where('id', '=', webhookId).execute()
  }
  const webhook = await findWebhook(trx, view, webhookId)
  if (webhook === undefined || enabled !== false) return webhook
  await sql`select disable_webhook(${webhookId}, 'by_owner')`.execute(trx)
  return findWebhook(trx, view, webhookId)
}

/** Deletes an endpoint with its log. False if it does not exist. */
export async function removeWebhook(trx: Trx, view: View, webhookId: string): Promise<boolean> {
  const webhooks = trx.deleteFrom('webhookEndpoints').where('accountId', '=', view.accountId)
  const own = webhooks.where('mode', '=', view.mode).where('jobId', 'is', null)
  const removed = await own.where('id', '=', webhookId).executeTakeFirst()
  return removed.numDeletedRows > 0n
}

/** Sets a new secret and a new key pair. The previous ones also sign for a day. */
export async function rotateSecret(trx: Trx, view: View, webhookId: string) {
  if ((await findWebhook(trx, view, webhookId)) === undefined) return undefined
  const secret = makeSecret()
  const { privateKey, publicKey } = makeKeyPair()
  await sql`
    select rotate_webhook_secret(${webhookId}, ${secret}, ${privateKey}, ${publicKey}, ${ROTATION_HOURS})`.execute(trx)
  const webhook = await findWebhook(trx, view, webhookId)
  return webhook && { webhook, secret }
}

/** The secret that signs the callbacks of an account's jobs in one mode. `previousUntil` is set after a rotation. */
export type CallbackSecret = { secret: string; previousUntil: Date | null; createdAt: Date }

/** Returns the secret, and creates it at the first use. */
export async function getCallbackSecret(trx: Trx, { accountId, mode }: View): Promise<CallbackSecret> {
  const secrets = trx.insertInto('callbackSecrets').values({ accountId, mode, secret: makeSecret() })
  await secrets.onConflict((conflict) => conflict.doNothing()).execute()
  return trx
    .selectFrom('callbackSecrets')
    .select(['secret', 'previousUntil', 'createdAt'])
    .where('accountId', '=', accountId)
    .where('mode', '=', mode)
    .executeTakeFirstOrThrow()
}

/** Sets a new secret. The previous one also signs for a day. */
export async function rotateCallbackSecret(trx: Trx, view: View): Promise<CallbackSecret> {
  await getCallbackSecret(trx, view)
  await trx
    .updateTable('callbackSecrets')
    .set((of) => ({
      secret: makeSecret(),
      previousSecret: of.ref('secret'),
      previousUntil: sql<Date>`clock_timestamp() + make_interval(hours => ${ROTATION_HOURS})`,
    }))
    .where('accountId', '=', view.accountId)
    .where('mode', '=', view.mode)
    .execute()
  return getCallbackSecret(trx, view)
}
