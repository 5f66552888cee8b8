import type {
  CreateOverridesRequest,
  CreateOverridesResult,
  CreatePolicyRequest,
  Override,
  Policy,
  UpdatePolicyRequest,
} from './generated/api-types.ts'
import { createPagePromise, listBySkip, type PageOptions, type PagePromise } from './http/pages.ts'
import { splitOptions, toBody, toQuery } from './http/request-body.ts'
import type { ApiPromise } from './http/response.ts'
import { deleteObject, type IdempotentRequestOptions, type RequestOptions, type Transport } from './http/transport.ts'

export type PolicySettings = {
  /** Purpose of the policy. */
  description?: string | undefined
  /** Rules in their order: the first match decides. */
  rules: CreatePolicyRequest['rules']
  /** Decision if no rule matches. */
  default: CreatePolicyRequest['default']
}

export type CreatePolicyOptions = IdempotentRequestOptions &
  PolicySettings & {
    /** Name of the policy, which requests refer to. */
    name: string
  }
export type UpdatePolicyOptions = RequestOptions & { [K in keyof PolicySettings]?: PolicySettings[K] | undefined }

/** Rules that map a result to a decision. Scopes: `account:read`, and `account:write` with a live key for changes. */
export type PoliciesApi = {
  /** All policies, built in and own. They fit on one page. */
  list(options?: RequestOptions): PagePromise<Policy>
  /** One policy by its name. */
  get(name: string, options?: RequestOptions): ApiPromise<Policy>
  /** Creates a policy. */
  create(options: CreatePolicyOptions): ApiPromise<Policy>
  /** Changes the given settings. `rules` replaces all rules. */
  update(name: string, options: UpdatePolicyOptions): ApiPromise<Policy>
  /** Deletes a policy of the account. Built-in policies cannot be deleted. */
  delete(name: string, options?: RequestOptions): ApiPromise<void>
}

export function createPoliciesApi(transport: Transport): PoliciesApi {
  const { request } = transport
  return {
    list: (options = {}) => listPolicies(transport, options),
    get: (name, options = {}) => request({ ...options, method: 'GET', path: ['policies', name] }),
    create(options) {
      const { call, fields } = splitOptions(options)
      const json: CreatePolicyRequest = toBody(fields)
      return request({ ...call, method: 'POST', path: ['policies'], json })
    },
    update(name, options) {
      const { call, fields } = splitOptions(options)
      const json: UpdatePolicyRequest = toBody(fields)
      return request({ ...call, method: 'PATCH', path: ['policies', name], json })
    },
    delete: (name, options) => deleteObject(transport, ['policies', name], options),
  }
}

/** The API returns all policies in one response. */
function listPolicies({ request }: Transport, options: RequestOptions): PagePromise<Policy> {
  const load = async () => {
    const spec = { ...options, method: 'GET', path: ['policies'] } as const
    const { data, response } = await request<Policy[]>(spec).withResponse()
    const nextPage = async () => undefined
    return { data: { data, hasMore: false, nextCursor: null, total: data.length, nextPage }, response }
  }
  return createPagePromise(load, async function* iterate() {
    yield* (await load()).data.data
  })
}

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
      const json: CreateOverridesRequest = toBody(fields)
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
