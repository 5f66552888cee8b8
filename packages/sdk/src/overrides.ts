import type { ApiPromise } from './api-promise.ts'
import type { CreateOverridesRequest, CreateOverridesResult, Override } from './generated/wire.ts'
import { listBySkip, type PageOptions, type PagePromise } from './pages.ts'
import { splitOptions, toQuery, toWire } from './to-wire.ts'
import { deleteObject, type IdempotentRequestOptions, type RequestOptions, type Transport } from './transport.ts'

export type OverrideFilter = {
  /** Only overrides with this action. */
  action?: 'allow' | 'block' | undefined
  /** Only overrides whose target contains this text. */
  search?: string | undefined
}

export type CreateOverridesOptions = IdempotentRequestOptions & {
  /** Whether the targets are allowed or blocked. */
  action: 'allow' | 'block'
  /** Up to 1,000 addresses and domains. */
  targets: readonly string[]
  /** Reason for the overrides. */
  note?: string | undefined
}

/** Addresses and domains that the account always allows or blocks. Scopes: `account:read`, and `account:write` for changes. */
export type OverridesApi = {
  /** Overrides, sorted by target. */
  list(options?: RequestOptions & PageOptions & OverrideFilter): PagePromise<Override>
  /** Allows or blocks addresses and domains, and returns the number of changes. */
  create(options: CreateOverridesOptions): ApiPromise<CreateOverridesResult>
  /** Deletes an override. */
  delete(id: string, options?: RequestOptions): ApiPromise<void>
  /** All overrides as CSV. */
  download(options?: RequestOptions & OverrideFilter): ApiPromise<ReadableStream<Uint8Array>>
}

export function createOverridesApi(transport: Transport): OverridesApi {
  return {
    list: (options = {}) => listBySkip(transport, ['overrides'], options),
    create(options) {
      const { call, fields } = splitOptions(options)
      const json: CreateOverridesRequest = toWire(fields)
      return transport.request({ ...call, method: 'POST', path: ['overrides'], json })
    },
    delete: (id, options) => deleteObject(transport, ['overrides', id], options),
    download(options = {}) {
      const { call, fields } = splitOptions(options)
      const query = toQuery({ ...fields, format: 'csv' })
      return transport.download({ ...call, method: 'GET', path: ['overrides'], query })
    },
  }
}
