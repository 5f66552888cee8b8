import { setTimeout as sleep } from 'node:timers/promises'
import { asOwner, type Db } from '@probity/database/connection/connect'
import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { ApiClient } from './instance.ts'
import { confirmList, getDone, type TestSimulation } from './jobs.ts'

const LISTS_MAX = 200
/** Leaves half of the CPU time to processes that start meanwhile. */
const PAUSE_MS = 2_000
const SLOWLY = { timeout: 180_000, interval: 20 }

type Task = { db: Db; url: string; apiClient: ApiClient; simulation: TestSimulation; rows: number; atOnce: number }

/** A customer with a fixed number of concurrent jobs, who confirms the next one shortly after one has completed. */
export function startListAfterList({ db, url, apiClient, simulation, rows, atOnce }: Task) {
  const jobs: string[] = []
  let going = true
  const confirmNext = async () => {
    const id = await confirmList(url, apiClient, simulation.draw(rows))
    jobs.push(id)
    return id
  }
  const first = confirmNext()
  async function goOn(): Promise<void> {
    await first
    while (going && jobs.length < LISTS_MAX) {
      await vi.waitFor(async () => expect(await countUnderWay(db)).toBeLessThan(atOnce), SLOWLY)
      await sleep(PAUSE_MS)
      await confirmNext()
    }
  }
  const running = goOn()
  return {
    first,
    /** Waits until the latest job is partly done. */
    async atWork() {
      await vi.waitFor(async () => {
        const done = await getDone(db, jobs.at(-1) ?? '')
        expect(done).toBeGreaterThan(0)
        expect(done).toBeLessThan(rows * 0.8)
      }, SLOWLY)
    },
    async stop() {
      going = false
      await running
      return jobs
    },
  }
}

async function countUnderWay(db: Db): Promise<number> {
  const { rows } = await asOwner(db, (trx) =>
    sql<{ n: number }>`select count(*)::integer as n from jobs where finished_at is null`.execute(trx),
  )
  return rows[0]?.n ?? 0
}
