import type { WebhookEvent } from './generated/wire.ts'
import { followStream, parseEventData, type StreamOptions } from './server-sent-events.ts'
import type { Transport } from './transport.ts'

export type StreamEventsOptions = StreamOptions & {
  /** Event types to return, for example `['job.completed']`. Default: all. */
  types?: readonly WebhookEvent['type'][] | undefined
}

/** Events of the account. Scope: `webhooks:read`. */
export type EventsApi = {
  /**
   * Iterates over the events of the mode of the key as they occur, with the same content as webhook requests. The stream reconnects
   * after a lost connection; events that occur in between are not repeated.
   */
  stream(options?: StreamEventsOptions): AsyncGenerator<WebhookEvent, void, undefined>
}

export function createEventsApi(transport: Transport): EventsApi {
  return {
    async *stream({ types, ...options } = {}) {
      for await (const { data } of followStream(transport, ['events', 'stream'], options)) {
        const event = parseEventData<WebhookEvent>(data)
        if (types === undefined || types.includes(event.type)) yield event
      }
    },
  }
}
