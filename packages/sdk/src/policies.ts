import type { Call } from './call.ts'
import type { CallOptions, Connection, IdempotentCallOptions } from './connection.ts'
import type { CreatePolicyRequest, Policy, PolicyList, UpdatePolicyRequest } from './generated/wire.ts'

export type PolicySettings = {
  /** What the policy is for. */
  description?: string | undefined
  /** In their order: the first that applies decides. */
  rules: CreatePolicyRequest['rules']
  /** What is decided where no rule applies. */
  default: CreatePolicyRequest['default']
}

export type CreatePolicyOptions = IdempotentCallOptions & PolicySettings & { name: string }
export type UpdatePolicyOptions = CallOptions & Partial<PolicySettings>

/** Rules that turn a result into a decision. Scopes: `account:read`, and `account:write` with a live key for changes. */
export type PolicyBook = {
  /** All that a request may name, built in and own. */
  list(options?: CallOptions): Call<PolicyList>
  get(name: string, options?: CallOptions): Call<Policy>
  create(options: CreatePolicyOptions): Call<Policy>
  /** Changes what is named and leaves the rest; `rules` are replaced as a whole. */
  update(name: string, options: UpdatePolicyOptions): Call<Policy>
  remove(name: string, options?: CallOptions): Call<void>
}

export function policiesOf({ ask }: Connection): PolicyBook {
  return {
    list: (options = {}) => ask({ ...options, method: 'GET', path: ['policies'], repeatable: true }),
    get: (name, options = {}) => ask({ ...options, method: 'GET', path: ['policies', name], repeatable: true }),
    create({ signal, timeoutMs, idempotencyKey, name, description, rules, default: fallback }) {
      const json: CreatePolicyRequest = {
        name,
        ...(description !== undefined && { description }),
        rules,
        default: fallback,
      }
      return ask({ signal, timeoutMs, method: 'POST', path: ['policies'], json, repeatable: { idempotencyKey } })
    },
    update(name, { signal, timeoutMs, description, rules, default: fallback }) {
      const json: UpdatePolicyRequest = {
        ...(description !== undefined && { description }),
        ...(rules !== undefined && { rules }),
        ...(fallback !== undefined && { default: fallback }),
      }
      return ask({ signal, timeoutMs, method: 'PATCH', path: ['policies', name], json, repeatable: true })
    },
    // Not sent twice: the second would be told that there is no such policy.
    remove: (name, options = {}) => ask({ ...options, method: 'DELETE', path: ['policies', name], repeatable: false }),
  }
}
