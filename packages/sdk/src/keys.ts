import type { Call } from './call.ts'
import type { CallOptions, Connection } from './connection.ts'
import type { ApiKey, ApiKeyChanges, ApiKeyRotation, ApiKeyToCreate, CreatedApiKey } from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'

type Scopes = ApiKeyToCreate['scopes']

export type KeySettings = {
  /** No more than the calling key may do itself. */
  scopes?: Scopes | undefined
  /** When the key stops working; null for never. The calling key's own expiry if left out. */
  expiresAt?: string | Date | null | undefined
  /** The addresses or CIDR ranges that may use the key; an empty list lets all use it. The calling key's own list if left out. */
  ipAllowList?: string[] | undefined
  /** Credits that the key and the keys that it creates can use in a calendar month (UTC); null for no cap. */
  monthlyCap?: number | null | undefined
  /** Of a publishable key: the origins whose pages may use it. */
  allowedOrigins?: string[] | undefined
  /** Of a publishable key: the policies that pages may name. The first one applies if they name none. */
  allowedPolicies?: string[] | undefined
  /** Of a publishable key: how many requests in an hour one network address may make. */
  visitorCap?: number | undefined
}

export type CreateKeyOptions = CallOptions &
  KeySettings & {
    name: string
    mode?: 'live' | 'test' | undefined
    /** `publishable` for a key that stands in web pages; it needs `allowedOrigins`. */
    type?: 'secret' | 'publishable' | undefined
  }
export type UpdateKeyOptions = CallOptions & KeySettings & { name?: string | undefined; paused?: boolean | undefined }

export type RotateKeyOptions = CallOptions & { overlapS?: number | undefined }

/** API keys. Needs a key with the scope `keys`. */
export type Keys = {
  /** One page, newest first. */
  list(options?: PageOptions): Call<ApiKey[]>
  /** All keys, newest first, fetched page by page. */
  all(options?: CallOptions): AsyncGenerator<ApiKey, void, undefined>
  get(id: string, options?: CallOptions): Call<ApiKey>
  /** Makes a key. Its secret is in `key`, and is shown this once. */
  create(options: CreateKeyOptions): Call<CreatedApiKey>
  /** Changes what is named and leaves the rest. */
  update(id: string, options: UpdateKeyOptions): Call<ApiKey>
  /** Makes a key with the settings of this one, which goes on working for `overlapS` seconds: a day if left out. */
  rotate(id: string, options?: RotateKeyOptions): Call<CreatedApiKey>
  /** Ends a key for good. */
  revoke(id: string, options?: CallOptions): Call<ApiKey>
}

export function keysOf({ ask }: Connection): Keys {
  const list = ({ skip, limit, ...options }: PageOptions = {}) =>
    ask<ApiKey[]>({ ...options, method: 'GET', path: ['keys'], query: { skip, limit }, repeatable: true })
  return {
    list,
    all: (options = {}) => listAll(list, options),
    get: (id, options = {}) => ask({ ...options, method: 'GET', path: ['keys', id], repeatable: true }),
    create({ signal, timeoutMs, name, mode, type, ...settings }) {
      const json: ApiKeyToCreate = { name, ...(mode && { mode }), ...(type && { type }), ...settingsOf(settings) }
      // Not sent twice: each would be a key.
      return ask({ signal, timeoutMs, method: 'POST', path: ['keys'], json, repeatable: false })
    },
    update(id, { signal, timeoutMs, name, paused, ...settings }) {
      const changed = { ...(name !== undefined && { name }), ...(paused !== undefined && { paused }) }
      const json: ApiKeyChanges = { ...changed, ...settingsOf(settings) }
      return ask({ signal, timeoutMs, method: 'PATCH', path: ['keys', id], json, repeatable: true })
    },
    rotate(id, { overlapS, ...options } = {}) {
      const json: ApiKeyRotation = overlapS === undefined ? {} : { overlap_s: overlapS }
      // Not sent twice: the second would be told that the key has been replaced.
      return ask({ ...options, method: 'POST', path: ['keys', id, 'rotate'], json, repeatable: false })
    },
    revoke: (id, options = {}) => ask({ ...options, method: 'DELETE', path: ['keys', id], repeatable: true }),
  }
}

/** As it goes over the wire. What is left out stays out: the service would take null for a wish. */
function settingsOf(settings: KeySettings) {
  const { scopes, expiresAt, ipAllowList, monthlyCap, allowedOrigins, allowedPolicies, visitorCap } = settings
  return {
    ...(scopes !== undefined && { scopes }),
    ...(expiresAt !== undefined && { expires_at: expiresAt instanceof Date ? expiresAt.toISOString() : expiresAt }),
    ...(ipAllowList !== undefined && { ip_allow_list: ipAllowList }),
    ...(monthlyCap !== undefined && { monthly_cap: monthlyCap }),
    ...(allowedOrigins !== undefined && { allowed_origins: allowedOrigins }),
    ...(allowedPolicies !== undefined && { allowed_policies: allowedPolicies }),
    ...(visitorCap !== undefined && { visitor_cap: visitorCap }),
  }
}
