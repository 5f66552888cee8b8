import { connect } from '@probity/database/connection/connect'
import { createTestDatabase } from '@probity/database/connection/test-database'
import { makeFolder, removeFolder } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { openStorage } from '@probity/uploads/open-storage'
import { Registry } from 'prom-client'
import { expect, test, vi } from 'vitest'
import { openTestLog } from '../server/test-log.ts'
import { startMaintenance } from './maintenance.ts'
import { createMaintenanceMetrics } from './metrics.ts'
import { STEPS, type Step } from './steps.ts'

async function openContext() {
  const { url } = await createTestDatabase()
  const db = connect(url, { connectionsMax: 2, programRole: 'probity_maintenance' })
  whenDone(() => db.destroy())
  const folder = makeFolder('probity-uploads')
  whenDone(() => removeFolder(folder))
  const registry = new Registry()
  const { log, lines } = openTestLog()
  const storage = openStorage({ kind: 'folder', folder })
  return { db, storage, log, lines, registry, metrics: createMaintenanceMetrics(registry) }
}

test('every step runs with the rights of the maintenance role', async () => {
  const context = await openContext()
  const maintenance = startMaintenance(context)
  const counted = async () => {
    const metric = await context.registry.getSingleMetric('probity_maintenance_runs_total')?.get()
    return (metric?.values ?? []).map(({ labels }) => `${labels['step']} ${labels['outcome']}`)
  }
  await vi.waitFor(async () => expect(await counted()).toHaveLength(STEPS.length), { timeout: 30_000, interval: 100 })
  await maintenance.stop()
  expect((await counted()).toSorted()).toEqual(STEPS.map(({ name }) => `${name} success`).toSorted())
  expect(context.lines().filter(({ level }) => Number(level) > 30)).toEqual([])
})

test('a step that fails is logged and counted, and the next one runs', async () => {
  const context = await openContext()
  const broken: Step = {
    name: 'broken',
    everyMs: 60_000,
    run: async () => {
      throw new Error('no such step')
    },
    levels: { done: 'warn', failed: 'error' },
  }
  const next: Step = { name: 'next', everyMs: 60_000, run: async () => ({ rows: 2 }), done: 'deleted rows' }
  const maintenance = startMaintenance(context, [broken, next])
  await vi.waitFor(() => expect(context.lines()).toHaveLength(2))
  await maintenance.stop()
  expect(context.lines()).toMatchObject([
    { level: 50, step: 'broken', msg: 'maintenance step failed; retrying at the next run' },
    { level: 30, step: 'next', rows: 2, msg: 'deleted rows' },
  ])
  const text = await context.registry.metrics()
  expect(text).toContain('probity_maintenance_runs_total{step="broken",outcome="failure"} 1')
  expect(text).toContain('probity_maintenance_runs_total{step="next",outcome="success"} 1')
  expect(text).not.toMatch(/last_success_timestamp_seconds\{step="broken"/)
})
