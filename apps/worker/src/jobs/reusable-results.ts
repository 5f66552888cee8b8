import type { KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import type { ClaimedBatch } from '@probity/database/jobs/batches'
import { completeCached } from '@probity/engine/address/cached-result'
import { dedupeKey } from '@probity/engine/address/dedupe-key'
import { keyWithFeatures, readRecentResults } from '@probity/redis/cache'
import { recentKey } from '@probity/redis/keys'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'

/** Without Redis the addresses are validated: waiting for it would save nothing. */
const READ_WITHIN_MS = 250

/** Results of single and bulk requests of the account that a job may use instead of a new validation. */
export type ReusableResults = {
  /** One entry per address of the batch; undefined if it is to be validated. */
  find(batch: ClaimedBatch): Promise<(StoredResult | undefined)[]>
}

type Needed = { redis: Redis; secret: KeyObject; log: Logger }

export function openReusableResults({ redis, secret, log }: Needed): ReusableResults {
  async function read(batch: ClaimedBatch, maxAgeS: number): Promise<(string | null)[]> {
    const keys = batch.emails.map((email) => nameOf(secret, batch, email))
    const timer = new AbortController()
    const timeUp = sleep(READ_WITHIN_MS, [], { signal: timer.signal })
    timeUp.catch(() => undefined) // aborted
    return Promise.race([readRecentResults(redis, keys, maxAgeS), timeUp]).finally(() => timer.abort())
  }

  return {
    async find(batch) {
      const { emails, maxAgeS, mode, jobId } = batch
      // With 0 every result is too old, and in test mode nothing is validated.
      if (maxAgeS === null || maxAgeS === 0 || mode === 'test') return emails.map(() => undefined)
      try {
        const texts = await read(batch, maxAgeS)
        return emails.map((email, n) => readResult(texts[n] ?? null, email))
      } catch (error) {
        log.warn({ err: error, jobId }, 'failed to read recent results')
        return emails.map(() => undefined)
      }
    },
  }
}

function nameOf(secret: KeyObject, batch: ClaimedBatch, email: string): string {
  const asked = { ai: batch.askedAi, catchall: batch.askedCatchall, mailbox: true }
  return recentKey(secret, batch.accountId, keyWithFeatures(dedupeKey(email), asked), batch)
}

/** The stored id belongs to the validation that the result comes from. */
function readResult(text: string | null, email: string): StoredResult | undefined {
  if (text === null) return undefined
  const { id: _, ...result } = JSON.parse(completeCached(text, email)) as StoredResult & { id: string }
  return { ...result, email }
}
