import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner, type Db } from '@probity/database/connection/connect'

const PAUSE_MS = 50

export type LedgerMonitor = {
  /** The number of reads of the balances, and of sums that differed from the granted credits. */
  end(): Promise<{ reads: number; wrong: number }>
}

/**
 * Reads the balances of an account continuously. Their sum always equals the grant: no credit is lost or counted twice.
 */
export function watchLedger(db: Db, accountId: string, granted: number): LedgerMonitor {
  let isOver = false
  let reads = 0
  let wrong = 0
  const watch = async () => {
    while (!isOver) {
      await sleep(PAUSE_MS)
      try {
        const total = await readTotal(db, accountId)
        reads += 1
        if (total !== granted) wrong += 1
      } catch {
        // PostgreSQL is down at the moment: the read does not count.
      }
    }
  }
  const watching = watch()
  return {
    async end() {
      isOver = true
      await watching
      return { reads, wrong }
    },
  }
}

async function readTotal(db: Db, accountId: string): Promise<number> {
  const { available, reserved, spent } = await asOwner(db, (trx) =>
    trx.selectFrom('accounts').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow(),
  )
  return available + reserved + spent
}
