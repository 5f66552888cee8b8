import type { Call } from './call.ts'
import type { CallOptions, Connection, IdempotentCallOptions } from './connection.ts'
import type {
  ApiKey,
  ApiKeyWithSecret,
  CreateApiKeyRequest,
  RotateApiKeyRequest,
  UpdateApiKeyRequest,
} from './generated/wire.ts'
import { listAll, type PageOptions } from './pages.ts'

type Scopes = CreateApiKeyRequest['scopes']

export type KeySettings = {
  /** Scopes of the key; only those that the calling key has itself. A write scope adds the read scope of its subject. */
  scopes?: Scopes | undefined
  /** Expiry; null for none. Default: the expiry of the calling key. */
  expiresAt?: string | Date | null | undefined
  /** IP addresses and CIDR ranges that requests can come from; an empty array for no restriction. Default: the allowlist of the calling key. */
  ipAllowlist?: string[] | undefined
  /** Credits that the key and the keys it creates can use per calendar month (UTC); null for no cap. */
  monthlyCap?: number | null | undefined
  /** Origins whose pages can use a publishable key. */
  allowedOrigins?: string[] | undefined
  /** Names of the policies that pages can use with a publishable key. The first one is the default. */
  allowedPolicies?: string[] | undefined
  /** Requests per hour and client IP address with a publishable key. */
  visitorCap?: number | undefined
}

export type CreateKeyOptions = IdempotentCallOptions &
  KeySettings & {
    name: string
    /** Whether to create a live key; false creates a test key. Default: the mode of the calling key. */
    livemode?: boolean | undefined
    /** `publishable` for a key in web pages; it needs `allowedOrigins`. */
    type?: 'secret' | 'publishable' | undefined
  }
export type UpdateKeyOptions = CallOptions & KeySettings & { name?: string | undefined; paused?: boolean | undefined }

export type RotateKeyOptions = IdempotentCallOptions & { overlapS?: number | undefined }

/** API keys. Scopes: `keys:read`, and `keys:write` for changes. */
export type Keys = {
  /** One page, newest first. */
  list(options?: PageOptions): Call<ApiKey[]>
  /** All keys, newest first, fetched page by page. */
  all(options?: CallOptions): AsyncGenerator<ApiKey, void, undefined>
  get(id: string, options?: CallOptions): Call<ApiKey>
  /** Creates a key. The secret is in `key` and is not shown again. */
  create(options: CreateKeyOptions): Call<ApiKeyWithSecret>
  /** Changes the given settings. */
  update(id: string, options: UpdateKeyOptions): Call<ApiKey>
  /** Creates a key with the settings of this one, which keeps working for `overlapS` seconds (default: a day). */
  rotate(id: string, options?: RotateKeyOptions): Call<ApiKeyWithSecret>
  /** Revokes a key permanently. */
  revoke(id: string, options?: CallOptions): Call<ApiKey>
}

export function keysOf({ ask }: Connection): Keys {
  const list = ({ skip, limit, ...options }: PageOptions = {}) =>
    ask<ApiKey[]>({ ...options, method: 'GET', path: ['keys'], query: { skip, limit }, repeatable: true })
  return {
    list,
    all: (options = {}) => listAll(list, options),
    get: (id, options = {}) => ask({ ...options, method: 'GET', path: ['keys', id], repeatable: true }),
    create({ signal, timeoutMs, idempotencyKey, name, livemode, type, ...settings }) {
      const kind = { ...(livemode !== undefined && { livemode }), ...(type && { type }) }
      const json: CreateApiKeyRequest = { name, ...kind, ...settingsOf(settings) }
      return ask({ signal, timeoutMs, method: 'POST', path: ['keys'], json, repeatable: { idempotencyKey } })
    },
    update(id, { signal, timeoutMs, name, paused, ...settings }) {
      const changed = { ...(name !== undefined && { name }), ...(paused !== undefined && { paused }) }
      const json: UpdateApiKeyRequest = { ...changed, ...settingsOf(settings) }
      return ask({ signal, timeoutMs, method: 'PATCH', path: ['keys', id], json, repeatable: true })
    },
    rotate(id, { overlapS, idempotencyKey, ...options } = {}) {
      const json: RotateApiKeyRequest = overlapS === undefined ? {} : { overlap_s: overlapS }
      return ask({ ...options, method: 'POST', path: ['keys', id, 'rotate'], json, repeatable: { idempotencyKey } })
    },
    revoke: (id, options = {}) => ask({ ...options, method: 'DELETE', path: ['keys', id], repeatable: true }),
  }
}

/** The settings as in the request. Undefined settings are left out: null is a value. */
function settingsOf(settings: KeySettings) {
  const { scopes, expiresAt, ipAllowlist, monthlyCap, allowedOrigins, allowedPolicies, visitorCap } = settings
  return {
    ...(scopes !== undefined && { scopes }),
    ...(expiresAt !== undefined && { expires_at: expiresAt instanceof Date ? expiresAt.toISOString() : expiresAt }),
    ...(ipAllowlist !== undefined && { ip_allowlist: ipAllowlist }),
    ...(monthlyCap !== undefined && { monthly_cap: monthlyCap }),
    ...(allowedOrigins !== undefined && { allowed_origins: allowedOrigins }),
    ...(allowedPolicies !== undefined && { allowed_policies: allowedPolicies }),
    ...(visitorCap !== undefined && { visitor_cap: visitorCap }),
  }
}
