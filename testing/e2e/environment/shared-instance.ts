import { readFileSync, statSync } from 'node:fs'
import { connect } from '@probity/database/connection/connect'
import type { TestDatabase } from '@probity/database/connection/test-database'
import { whenDone } from '@probity/lab/when-done'
import { inject } from 'vitest'
import type { ApiProcess } from './processes.ts'
import type { Lent } from './shared-instance-server.ts'

export type Borrowed = TestDatabase & { api: Omit<ApiProcess, 'stop'>; settings: Record<string, string> }

/**
 * The whole product with its doors open, for files that only use it: others have used it before, and there are people, accounts and
 * lists that are not theirs. Whoever stops a part of it, or looks at what is there in all, starts one of their own.
 */
export async function borrowProduct(): Promise<Borrowed> {
  const place = `${inject('lender')}/${process.env['VITEST_POOL_ID']}`
  const answer = await fetch(place)
  if (!answer.ok) throw new Error(`there is no product to borrow: ${await answer.text()}`)
  whenDone(() => fetch(place, { method: 'DELETE' }))
  const { url, port, logFile, settings } = (await answer.json()) as Lent
  const db = connect(String(settings['DATABASE_URL']), { connectionsMax: 10 })
  whenDone(() => db.destroy())
  const before = statSync(logFile).size
  const readLog = () => readFileSync(logFile).subarray(before).toString()
  return { url: String(settings['DATABASE_URL']), db, api: { url, port, readLog }, settings }
}
