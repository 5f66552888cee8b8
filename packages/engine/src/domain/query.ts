import { FAILURES } from './data/dns-failures.ts'

/**
 * Why a query failed. `unresolved_alias`: an alias without a record of the queried type. `inconsistent`: responses that say both that
 * the name exists and that it does not.
 */
export type DnsFailure = (typeof FAILURES)[keyof typeof FAILURES] | 'unresolved_alias' | 'inconsistent' | 'other'

/** A response without a record, of two kinds, is a result. A failed query is not, and is never treated as one. */
export type QueryResult<T> =
  | { kind: 'records'; records: T[] }
  | { kind: 'no_data' }
  | { kind: 'no_name' }
  | { kind: 'failed'; failure: DnsFailure }

export async function queryDns<T>(query: Promise<T[]>): Promise<QueryResult<T>> {
  try {
    const records = await query
    // Node returns an empty list for a response that contains only an alias. It does not report whether the target has no such
    // record or the chain is a loop.
    return records.length > 0 ? { kind: 'records', records } : { kind: 'failed', failure: 'unresolved_alias' }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENODATA') return { kind: 'no_data' }
    if (code === 'ENOTFOUND') return { kind: 'no_name' }
    return { kind: 'failed', failure: isKnown(code) ? FAILURES[code] : 'other' }
  }
}

function isKnown(code: string): code is keyof typeof FAILURES {
  return Object.hasOwn(FAILURES, code)
}
