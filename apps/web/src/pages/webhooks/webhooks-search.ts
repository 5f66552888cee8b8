/** Whether a webhook is being made. */
export type WebhooksSearch = { create?: true | undefined }

export function readWebhooksSearch({ create }: Record<string, unknown>): WebhooksSearch {
  return create === true ? { create } : {}
}
