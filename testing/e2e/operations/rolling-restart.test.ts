import { setTimeout as sleep } from 'node:timers/promises'
import { insertKey } from '@probity/database/accounts/keys'
import { inTenant } from '@probity/database/connection/connect'
import { createTestDatabase, openTestAccount } from '@probity/database/connection/test-database'
import { startHaproxy } from '@probity/lab/services/haproxy'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { startApiProcess } from '../environment/processes.ts'

const CLIENTS = 16
/** Without a pause the load would take the CPU time that the next process needs to start. */
const PAUSE_MS = 25

test('processes are replaced one by one under load without a failed request', { tags: ['timed'] }, async () => {
  const { url: databaseUrl, db } = await createTestDatabase()
  const account = await openTestAccount(db, 10, { plan: 'scale' })
  const { text: key } = await inTenant(db, account.id, (trx) =>
    insertKey(trx, account.id, { mode: 'live', name: 'load', scopes: ['account:read'] }),
  )
  const settings = { DATABASE_URL: databaseUrl, STOP_NOTICE_MS: '3000' }
  const processes = await Promise.all([startApiProcess(settings), startApiProcess(settings)])
  const balancer = await startHaproxy(processes.map((process) => process.port))
  whenDone(() => balancer.stop())
  const bothUp = () => expect.poll(() => balancer.countServersUp(), { timeout: 20_000 }).toBe(2)
  await bothUp()

  const load = startLoad(`${balancer.url}/api/v1/account`, key)
  const stops = []
  for (const [n, process] of processes.entries()) {
    await load.answered(200)
    stops.push(await process.stop())
    processes[n] = await startApiProcess(settings, process.port)
    await bothUp()
  }
  await load.answered(200)
  const { failed, total } = await load.stop()

  expect(failed).toEqual([])
  expect(total).toBeGreaterThan(600)
  for (const { code, ms } of stops) {
    expect(code).toBe(0)
    expect(ms).toBeLessThan(30_000)
  }
})

/** Clients that send the next request shortly after a response, over keep-alive connections. */
function startLoad(url: string, key: string) {
  const failed: string[] = []
  let total = 0
  let going = true

  async function sendRepeatedly(): Promise<void> {
    while (going) {
      try {
        const answer = await fetch(url, { headers: { 'x-api-key': key } })
        const text = await answer.text()
        if (answer.status !== 200) failed.push(`${answer.status} ${text.slice(0, 200)}`)
      } catch (error) {
        failed.push(String(error))
      }
      total++
      await sleep(PAUSE_MS)
    }
  }
  const clients = Array.from({ length: CLIENTS }, sendRepeatedly)
  return {
    async answered(more: number) {
      for (const goal = total + more; total < goal; ) await sleep(20)
    },
    async stop() {
      going = false
      await Promise.all(clients)
      return { failed, total }
    },
  }
}
