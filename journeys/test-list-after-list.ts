import type { Db } from '@probity/database/connect'
import { expect, vi } from 'vitest'
import { confirmList, getDone, type TestWorld } from './test-lists.ts'
import type { Customer } from './test-product.ts'

const LISTS_MAX = 200
const SLOWLY = { timeout: 180_000, interval: 20 }

type Task = { db: Db; url: string; customer: Customer; world: TestWorld; rows: number }

/** A customer who confirms the next list when half of the last one is done, so that one is always under way. */
export function startListAfterList({ db, url, customer, world, rows }: Task) {
  const jobs: string[] = []
  let going = true
  const confirmNext = async () => {
    const id = await confirmList(url, customer, world.draw(rows))
    jobs.push(id)
    return id
  }
  const first = confirmNext()
  async function goOn(): Promise<void> {
    for (let id = await first; going && jobs.length < LISTS_MAX; id = await confirmNext()) {
      await vi.waitFor(async () => expect(await getDone(db, id)).toBeGreaterThan(rows / 2), SLOWLY)
    }
  }
  const running = goOn()
  return {
    first,
    /** Waits until some of the latest list is done and some of it is not. */
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
