import { FAILURES } from './data/dns-failures.ts'

/**
 * Why DNS would not say. `loop` is an alias that leads to nothing that was asked for; `contradiction` is a resolver that says of
 * one name both that it exists and that it does not.
 */
export type DnsFailure = (typeof FAILURES)[keyof typeof FAILURES] | 'unresolved_alias' | 'inconsistent' | 'other'

/** "There is none" is an answer, and of two kinds; "could not ask" is not. Nobody may take the one for the other. */
export type QueryResult<T> =
  | { kind: 'records'; records: T[] }
  | { kind: 'no_data' }
  | { kind: 'no_name' }
  | { kind: 'failed'; failure: DnsFailure }

export async function queryDns<T>(query: Promise<T[]>): Promise<QueryResult<T>> {
  try {
    const records = await query
    // A list without entries is what Node makes of an answer that holds an alias and nothing else. Whether the name behind the
    // alias has no such record, or the chain never ends, it does not tell.
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
