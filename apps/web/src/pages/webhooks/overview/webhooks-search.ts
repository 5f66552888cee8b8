/** Whether the form for a new webhook is open. */
export type WebhooksSearch = { create?: true | undefined }

export function readWebhooksSearch({ create }: Record<string, unknown>): WebhooksSearch {
  return create === true ? { create } : {}
}
