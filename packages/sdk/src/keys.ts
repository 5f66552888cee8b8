import type {
  ApiKey,
  ApiKeyWithSecret,
  CreateApiKeyRequest,
  RotateApiKeyRequest,
  UpdateApiKeyRequest,
} from './generated/api-types.ts'
import { listBySkip, type PageOptions, type PagePromise } from './http/pages.ts'
import { splitOptions, toBody } from './http/request-body.ts'
import type { ApiPromise } from './http/response.ts'
import type { IdempotentRequestOptions, RequestOptions, Transport } from './http/transport.ts'

export type KeySettings = {
  /** Scopes of the key; only those that the calling key has itself. A write scope adds the read scope of its subject. */
  scopes?: CreateApiKeyRequest['scopes'] | undefined
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

export type CreateKeyOptions = IdempotentRequestOptions &
  KeySettings & {
    /** Name of the key. */
    name: string
    /** Whether to create a live key; false creates a test key. Default: the mode of the calling key. */
    livemode?: boolean | undefined
    /** `publishable` for a key in web pages; it needs `allowedOrigins`. */
    type?: 'secret' | 'publishable' | undefined
  }

export type UpdateKeyOptions = RequestOptions &
  KeySettings & {
    /** Name of the key. */
    name?: string | undefined
  }

export type RotateKeyOptions = IdempotentRequestOptions & {
  /** Seconds for which the old key keeps working, at most a week. Default: a day. */
  overlapSeconds?: number | undefined
}

/** API keys. Scopes: `keys:read`, and `keys:write` for changes. */
export type KeysApi = {
  /** Keys, newest first. */
  list(options?: RequestOptions & PageOptions): PagePromise<ApiKey>
  /** One key without its secret. */
  get(id: string, options?: RequestOptions): ApiPromise<ApiKey>
  /** Creates a key. The secret is in `key` and is not shown again. */
  create(options: CreateKeyOptions): ApiPromise<ApiKeyWithSecret>
  /** Changes the given settings. */
  update(id: string, options: UpdateKeyOptions): ApiPromise<ApiKey>
  /** Creates a key with the settings of this one, which keeps working for `overlapSeconds`. */
  rotate(id: string, options?: RotateKeyOptions): ApiPromise<ApiKeyWithSecret>
  /** Rejects requests with the key until it is resumed. */
  pause(id: string, options?: RequestOptions): ApiPromise<ApiKey>
  /** Accepts requests with a paused key again. */
  resume(id: string, options?: RequestOptions): ApiPromise<ApiKey>
  /** Revokes the key permanently. */
  revoke(id: string, options?: RequestOptions): ApiPromise<ApiKey>
}

export function createKeysApi(transport: Transport): KeysApi {
  const { request } = transport
  const update = (id: string, json: UpdateApiKeyRequest, options: RequestOptions = {}) =>
    request<ApiKey>({ ...options, method: 'PATCH', path: ['keys', id], json })
  return {
    list: (options = {}) => listBySkip(transport, ['keys'], options),
    get: (id, options = {}) => request({ ...options, method: 'GET', path: ['keys', id] }),
    create(options) {
      const { call, fields } = splitOptions(options)
      const json: CreateApiKeyRequest = toBody(fields)
      return request({ ...call, method: 'POST', path: ['keys'], json })
    },
    update(id, options) {
      const { call, fields } = splitOptions(options)
      return update(id, toBody(fields), call)
    },
    rotate(id, options = {}) {
      const { call, fields } = splitOptions(options)
      const json: RotateApiKeyRequest = toBody(fields)
      return request({ ...call, method: 'POST', path: ['keys', id, 'rotate'], json })
    },
    pause: (id, options) => update(id, { paused: true }, options),
    resume: (id, options) => update(id, { paused: false }, options),
    revoke: (id, options = {}) => request({ ...options, method: 'DELETE', path: ['keys', id] }),
  }
}
