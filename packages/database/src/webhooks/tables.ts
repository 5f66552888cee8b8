import type { ColumnType, Generated } from 'kysely'
import type { SetByDatabase } from '../connection/columns.ts'

export type WebhookTables = {
  callbackSecrets: CallbackSecretsTable
  webhookAttempts: WebhookAttemptsTable
  webhookDeliveries: WebhookDeliveriesTable
  webhookEndpoints: WebhookEndpointsTable
  webhookEvents: WebhookEventsTable
}

type WebhookEndpointsTable = {
  id: SetByDatabase<string>
  accountId: string
  mode: 'live' | 'test'
  url: string
  description: Generated<string>
  events: Generated<string[]>
  state: Generated<'enabled' | 'disabled'>
  disabledReason: Generated<'by_owner' | 'gone' | 'failing' | null>
  disabledAt: Generated<Date | null>
  failingSince: Generated<Date | null>
  secret: ColumnType<never, string, never>
  privateKey: ColumnType<never, string, never>
  publicKey: ColumnType<string, string, never>
  jobId: SetByDatabase<string | null>
  previousUntil: SetByDatabase<Date | null>
  createdAt: SetByDatabase<Date>
}

/** Signs the callbacks of an account's jobs in one mode. */
type CallbackSecretsTable = {
  accountId: string
  mode: 'live' | 'test'
  secret: string
  previousSecret: Generated<string | null>
  previousUntil: Generated<Date | null>
  createdAt: SetByDatabase<Date>
}

type WebhookEventsTable = {
  expiresOn: SetByDatabase<string>
  accountId: SetByDatabase<string>
  id: SetByDatabase<string>
  mode: SetByDatabase<'live' | 'test'>
  type: SetByDatabase<string>
  body: SetByDatabase<string | null>
  createdAt: SetByDatabase<Date>
}

type WebhookDeliveriesTable = {
  id: SetByDatabase<string>
  accountId: SetByDatabase<string>
  endpointId: SetByDatabase<string>
  expiresOn: SetByDatabase<string>
  eventId: SetByDatabase<string>
  type: SetByDatabase<string>
  state: SetByDatabase<'pending' | 'delivered' | 'failed'>
  attemptsBegun: SetByDatabase<number>
  attempts: SetByDatabase<number>
  nextAt: SetByDatabase<Date | null>
  claimedUntil: SetByDatabase<Date | null>
  createdAt: SetByDatabase<Date>
  finishedAt: SetByDatabase<Date | null>
}

type WebhookAttemptsTable = {
  accountId: SetByDatabase<string>
  deliveryId: SetByDatabase<string>
  no: SetByDatabase<number>
  signedAt: SetByDatabase<Date>
  signature: SetByDatabase<string>
  status: SetByDatabase<number | null>
  error: SetByDatabase<string | null>
  durationMs: SetByDatabase<number>
}
