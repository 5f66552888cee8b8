import { type Db, inTenant, type Trx } from '@probity/database/connection/connect'
import { sumKeptUploads } from '@probity/database/jobs/uploads'
import { Problem } from '../../http/problem.ts'

/** Storage limits per account. */
export type UploadLimits = {
  /** Unconfirmed uploads. */
  uploadsMax: number
  /** Bytes of these, and of confirmed ones of test mode, which are free. */
  bytesMax: number
}

/** Enforces the storage limits of accounts. */
export type UploadShares = {
  /** Runs while a file arrives, which counts as an upload meanwhile. Throws a Problem if the account is at its limit. */
  hold<T>(accountId: string, receive: () => Promise<T>): Promise<T>
  /**
   * Throws a Problem if a file of this size exceeds the limit. Holds a lock until the transaction ends, so that no other is added
   * meanwhile.
   */
  check(trx: Trx, accountId: string, sizeBytes: number): Promise<void>
}

export function openUploadShares(db: Db, { uploadsMax, bytesMax }: UploadLimits): UploadShares {
  const receiving = new Map<string, number>()

  async function refuseBeyond(trx: Trx, accountId: string, more: { uploads: number; bytes: number }): Promise<void> {
    const kept = await sumKeptUploads(trx, accountId)
    if (kept.uploads + more.uploads <= uploadsMax && kept.bytes + more.bytes <= bytesMax) return
    const megabytes = Math.floor(bytesMax / 1_000_000).toLocaleString('en')
    throw new Problem(
      'too_many_uploads',
      `An account has at most ${uploadsMax} uploads that are not confirmed, and ${megabytes} MB.`,
    )
  }

  return {
    async hold(accountId, receive) {
      const own = (receiving.get(accountId) ?? 0) + 1
      receiving.set(accountId, own)
      try {
        await inTenant(db, accountId, (trx) => refuseBeyond(trx, accountId, { uploads: own, bytes: 1 }))
        return await receive()
      } finally {
        const left = (receiving.get(accountId) ?? 1) - 1
        if (left > 0) receiving.set(accountId, left)
        else receiving.delete(accountId)
      }
    },
    check: (trx, accountId, sizeBytes) => refuseBeyond(trx, accountId, { uploads: 1, bytes: sizeBytes }),
  }
}
