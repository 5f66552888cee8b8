import type { Evidence } from './evidence.ts'

/** What an account has said of an address, or of all addresses of a domain. */
export const LISTS = {
  allow: 'the account vouches for it.',
  block: 'the account does not want it.',
} as const satisfies Record<string, string>

export type Listed = keyof typeof LISTS
export const LIST_NAMES = Object.keys(LISTS) as Listed[]

/**
 * Under which names an address can stand on the account's lists, the nearest first: its own and that of its domain. Takes the key by
 * which two spellings are the same address; what is no address has a space before it, and is on no list.
 */
export function namesOnLists(key: string): string[] {
  const at = key.lastIndexOf('@')
  return key.startsWith(' ') || at < 1 ? [] : [key, key.slice(at + 1)]
}

/** Which list an address is on: what is said of itself goes before what is said of its domain. */
export function listOf(key: string, found: ReadonlyMap<string, Listed>): Listed | null {
  for (const name of namesOnLists(key)) {
    const list = found.get(name)
    if (list) return list
  }
  return null
}

type Answer = { status: string; safe_to_send: boolean; evidence: Evidence[] }

/**
 * A result with what the account's own lists say. The verdict stays as it was found: a list is a wish and no finding. What somebody
 * blocked is not safe to send to; what they vouch for is, unless mail to it is known to come back.
 */
export function withListing<T extends Answer>(result: T, listed: Listed): T & { listed: Listed } {
  const safe_to_send = listed === 'allow' && result.status !== 'invalid'
  return { ...result, listed, safe_to_send, evidence: [...result.evidence, evidenceOf(listed)] }
}

function evidenceOf(listed: Listed): Evidence {
  const at = Date.now() / 1000
  return { check: 'own_lists', outcome: listed, detail: DETAILS[listed], source: 'live', at, ms: 0 }
}

const DETAILS: Record<Listed, string> = {
  allow: 'The address or its domain is on the allow list of the account.',
  block: 'The address or its domain is on the block list of the account.',
}
