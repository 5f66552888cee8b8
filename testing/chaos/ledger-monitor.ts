import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner, type Db } from '@probity/database/connection/connect'

const PAUSE_MS = 50

export type Bank = {
  /** How often the balances were read, and how often they did not add up to what was granted. */
  end(): Promise<{ reads: number; wrong: number }>
}

/** Looks at an account all the time: whenever it looks, no credit is missing and none is there twice. */
export function watchBank(db: Db, accountId: string, granted: number): Bank {
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
        // PostgreSQL is down at the moment, and with it the bank.
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
