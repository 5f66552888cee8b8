/** The public id of an event, the same in every attempt, so that receivers can ignore duplicates. */
export function eventName(eventId: string): string {
  return `evt_${eventId}`
}

/** The headers that are the same in every webhook request. */
export const WEBHOOK_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Probity-Webhooks/1' } as const

/** The headers of one attempt, as Standard Webhooks names them. */
export function sentHeaders({ eventId, signedAt, signature }: { eventId: string; signedAt: Date; signature: string }) {
  return {
    ...WEBHOOK_HEADERS,
    'webhook-id': eventName(eventId),
    'webhook-timestamp': timestampOf(signedAt),
    'webhook-signature': signature,
  }
}

/** Unix time in whole seconds. */
export function timestampOf(signedAt: Date): string {
  return String(Math.floor(signedAt.getTime() / 1000))
}
