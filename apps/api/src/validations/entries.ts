import { createHash } from 'node:crypto'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { completeCached } from '@probity/engine/address/cached-result'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { keyWithFeatures, readRecentResults } from '@probity/redis/cache'
import type { Redis } from 'ioredis'
import { mapInSlices } from '../http/in-slices.ts'
import { storableEmail } from '../http/text.ts'
import { ALL_FEATURES, type Features } from '../http/validation-options.ts'
import type { Auth } from '../middleware/authentication/auth.ts'
import type { RecentKeys } from '../middleware/rate-limit/recent-keys.ts'

/** One unique address of a bulk request: as it was first sent, as it is stored, and its positions in the request. */
export type Entry = {
  id: string
  email: string
  kept: string
  emailKey: string
  features: Features
  indexes: number[]
}

/**
 * The unique addresses of a list in the order of first occurrence. Their ids are derived from the subject of the request, so that a second
 * attempt finds the rows of the first.
 */
export async function readEntries(
  emails: string[],
  subject: string,
  features: Features = ALL_FEATURES,
): Promise<Entry[]> {
  const read = await mapInSlices(emails, (email) => {
    const kept = storableEmail(email)
    return { email, kept, emailKey: keyWithFeatures(dedupeKey(kept), features) }
  })
  const entries = new Map<string, Entry>()
  for (const [index, { email, kept, emailKey }] of read.entries()) {
    const known = entries.get(emailKey)
    if (known) known.indexes.push(index)
    else entries.set(emailKey, { id: idOf(subject, entries.size), email, kept, emailKey, features, indexes: [index] })
  }
  return [...entries.values()]
}

/** A UUID of version 8 (RFC 9562 §5.8), whose bits are application-defined. */
function idOf(subject: string, n: number): string {
  const hex = createHash('sha256').update(`${subject} ${n}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

type RecentDependencies = { redis: Redis; recentKeyOf: RecentKeys['keyOf'] }

/** The account's recent results, by the position of the entry. None without Redis. */
export async function findRecent(
  { redis, recentKeyOf }: RecentDependencies,
  { auth, maxAgeS }: { auth: Auth; maxAgeS: number | undefined },
  entries: Entry[],
): Promise<Map<number, StoredResult>> {
  const recent = new Map<number, StoredResult>()
  const keys = entries.map(({ kept, features }) => recentKeyOf(auth, kept, features))
  if (auth.retentionDays === 0 || maxAgeS === 0 || keys.includes(undefined)) return recent
  try {
    const texts = await readRecentResults(redis, keys as string[], maxAgeS)
    for (const [n, text] of texts.entries()) {
      const email = entries[n]?.kept ?? ''
      if (text !== null) recent.set(n, { ...JSON.parse(completeCached(text, email)), email })
    }
  } catch {
    // Redis is unavailable: all addresses are validated.
  }
  return recent
}
