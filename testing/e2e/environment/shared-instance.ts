import { readFileSync, statSync } from 'node:fs'
import { connect } from '@probity/database/connection/connect'
import type { TestDatabase } from '@probity/database/connection/test-database'
import { whenDone } from '@probity/lab/when-done'
import { inject } from 'vitest'
import type { ApiProcess } from './processes.ts'
import type { InstanceDetails } from './shared-instance-server.ts'

export type SharedInstance = TestDatabase & { api: Omit<ApiProcess, 'stop'>; settings: Record<string, string> }

/**
 * A running API and worker with open sign-up, for files that only use them. Earlier files have left users, accounts and jobs. Tests that stop a part
 * of the instance, or that count all rows, start their own with `startInstance`.
 */
export async function useSharedInstance(): Promise<SharedInstance> {
  const slot = `${inject('sharedInstances')}/${process.env['VITEST_POOL_ID']}`
  const response = await fetch(slot)
  if (!response.ok) throw new Error(`no shared instance: ${await response.text()}`)
  whenDone(() => fetch(slot, { method: 'DELETE' }))
  const { url, port, logFile, settings } = (await response.json()) as InstanceDetails
  const db = connect(String(settings['DATABASE_URL']), { connectionsMax: 10 })
  whenDone(() => db.destroy())
  const before = statSync(logFile).size
  const readLog = () => readFileSync(logFile).subarray(before).toString()
  return { url: String(settings['DATABASE_URL']), db, api: { url, port, readLog }, settings }
}
