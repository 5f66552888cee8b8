import { hashSessionToken } from '@probity/database/users/sessions'
import type { BetterAuthPlugin } from 'better-auth'

/**
 * Lets the sign-in library work with session tokens while the database has only their hashes, so that a copy of the database contains
 * no session. The library has no option for it, so its database adapter is wrapped.
 */
export function hashedSessionTokens(): BetterAuthPlugin {
  return {
    id: 'hashed-session-tokens',
    init: ({ adapter }) => ({ context: { adapter: hashTokens(adapter) } }),
  }
}

type Condition = { field: string; value: unknown }
type Query = { model: string; where?: Condition[]; data?: Row; update?: Row }
type Row = Record<string, unknown>
type Method = (query: Query) => Promise<unknown>

const METHODS = [
  'create',
  'findOne',
  'findMany',
  'update',
  'updateMany',
  'delete',
  'deleteMany',
  'consumeOne',
  'incrementOne',
  'count',
] as const

/** The adapter with the same methods, which hash tokens on the way in. */
function hashTokens<A extends object>(adapter: A): A {
  const methods = adapter as unknown as Record<string, Method>
  const wrapped = { ...adapter } as Record<string, unknown>
  for (const name of METHODS) {
    const method = methods[name]
    if (method) wrapped[name] = (query: Query) => (query.model === 'session' ? runHashed(method, query) : method(query))
  }
  const begin = methods['transaction'] as unknown as (work: (trx: object) => unknown) => unknown
  wrapped['transaction'] = (work: (trx: object) => unknown) => begin((trx) => work(hashTokens(trx)))
  return wrapped as A
}

async function runHashed(method: Method, query: Query): Promise<unknown> {
  const tokens = new Map<unknown, string>()
  const hashed = (token: unknown): unknown => {
    if (Array.isArray(token)) return token.map(hashed)
    if (typeof token !== 'string') return token
    const hash = hashSessionToken(token)
    tokens.set(hash, token)
    return hash
  }
  const inRow = (row: Row | undefined) => (row && 'token' in row ? { ...row, token: hashed(row['token']) } : row)
  const { where, data, update } = query
  const result = await method({
    ...query,
    ...(where && { where: where.map((one) => (one.field === 'token' ? { ...one, value: hashed(one.value) } : one)) }),
    ...(data && { data: inRow(data) }),
    ...(update && { update: inRow(update) }),
  } as Query)
  // The library gets back the tokens that it named, for the cookie. Of other sessions it sees the hash.
  const shown = (row: unknown) =>
    isRow(row) && tokens.has(row['token']) ? { ...row, token: tokens.get(row['token']) } : row
  return Array.isArray(result) ? result.map(shown) : shown(result)
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !(value instanceof Date)
}
