import { createHmac } from 'node:crypto'
import { eventName, timestampOf } from '@probity/contract/webhook-request'

type Message = { eventId: string; body: string; signedAt: Date }

const PREFIX = 'whsec_'

/**
 * The signatures of Standard Webhooks, one by each secret: HMAC-SHA256 over id, time and body. The time is in it, so that nobody can
 * send a request again years later that they have overheard.
 */
export function sign({ eventId, body, signedAt }: Message, secrets: string[]): string {
  const content = `${eventName(eventId)}.${timestampOf(signedAt)}.${body}`
  return secrets.map((secret) => `v1,${hmac(secret, content)}`).join(' ')
}

function hmac(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(content).digest('base64')
}
