import type { ApiPromise } from './api-promise.ts'
import type { CreatePolicyRequest, Policy, UpdatePolicyRequest } from './generated/wire.ts'
import { createPagePromise, type PagePromise } from './pages.ts'
import { splitOptions, toWire } from './to-wire.ts'
import { deleteObject, type IdempotentRequestOptions, type RequestOptions, type Transport } from './transport.ts'

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
      const json: CreatePolicyRequest = toWire(fields)
      return request({ ...call, method: 'POST', path: ['policies'], json })
    },
    update(name, options) {
      const { call, fields } = splitOptions(options)
      const json: UpdatePolicyRequest = toWire(fields)
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
