import { streamBody } from './body-stream.ts'
import { asCall, type Call } from './call.ts'
import type { CallOptions, Connection, IdempotentCallOptions } from './connection.ts'
import type { CreateOverridesRequest, CreateOverridesResult, Override } from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'

export type OverrideFilter = {
  action?: 'allow' | 'block' | undefined
  /** Only overrides whose target contains this text. */
  search?: string | undefined
}

export type AddOverridesOptions = IdempotentCallOptions & {
  /** The reason for the overrides. */
  note?: string | undefined
}

/** Addresses and domains that the account always allows, or always blocks. */
export type Overrides = {
  /** One page, sorted by target. */
  list(options?: PageOptions & OverrideFilter): Call<Override[]>
  all(options?: CallOptions & OverrideFilter): AsyncGenerator<Override, void, undefined>
  /** Allows up to 1,000 addresses and domains. */
  allow(targets: readonly string[], options?: AddOverridesOptions): Call<CreateOverridesResult>
  /** Blocks up to 1,000 addresses and domains. */
  block(targets: readonly string[], options?: AddOverridesOptions): Call<CreateOverridesResult>
  remove(id: string, options?: CallOptions): Call<void>
  /** All of them as CSV. */
  download(options?: CallOptions & OverrideFilter): Call<ReadableStream<Uint8Array>>
}

/** How long a download may stand still before it is given up. */
const SILENCE_MS = 60_000

export function overridesOf({ ask, open }: Connection): Overrides {
  const list = ({ signal, timeoutMs, ...query }: PageOptions & OverrideFilter = {}) =>
    ask<Override[]>({ ...WISH, signal, timeoutMs, query })
  const add = (
    action: CreateOverridesRequest['action'],
    targets: readonly string[],
    options: AddOverridesOptions = {},
  ) => {
    const { note, idempotencyKey, ...rest } = options
    const json: CreateOverridesRequest = { action, targets: [...targets], ...(note !== undefined && { note }) }
    return ask<CreateOverridesResult>({
      ...rest,
      method: 'POST',
      path: ['overrides'],
      json,
      repeatable: { idempotencyKey },
    })
  }
  return {
    list,
    all: ({ signal, timeoutMs, ...filter } = {}) =>
      listAll((page) => list({ ...filter, ...page }), { signal, timeoutMs }),
    allow: (targets, options) => add('allow', targets, options),
    block: (targets, options) => add('block', targets, options),
    // Sent once: a repeated request would be answered 404.
    remove: (id, options = {}) => ask({ ...options, method: 'DELETE', path: ['overrides', id], repeatable: false }),
    download({ signal, timeoutMs, ...filter } = {}) {
      const query = { ...filter, format: 'csv' }
      const wish = { ...WISH, signal, timeoutMs, headers: { accept: '*/*' }, query }
      return asCall(open(wish, async (response, deadline) => streamBody(response, deadline, SILENCE_MS)))
    },
  }
}

const WISH = { method: 'GET', path: ['overrides'], repeatable: true } as const
