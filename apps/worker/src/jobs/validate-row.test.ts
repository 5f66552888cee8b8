import type { ClaimedBatch } from '@probity/database/jobs/batches'
import { whenDone } from '@probity/lab/when-done'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { openServices } from '../server/services.ts'
import { startTestWorld } from '../server/test-worker.ts'
import { validateRow } from './validate-row.ts'

const world = await startTestWorld()
const services = await openServices(world.config, world.environment, { log: world.log, metrics: new Registry() })
whenDone(() => services.close())

const BATCH = { jobId: 'job', no: 0, mode: 'live', emails: ['ann@example.com', 'bob@example.com'], egress: null }
const PROGRESS = { deferrals: 0, throttles: 0, noResponses: 0, ai: true, catchall: true, excludedTraits: [] }

test.for([
  { attempts: 2, outcome: { kind: 'failed', waitReason: 'internal_error' } },
  { attempts: 3, outcome: { kind: 'final', result: { status: 'unknown', sub_status: 'internal_error' } } },
])('a row whose validation fails in attempt $attempts ends as $outcome.kind', async ({ attempts, outcome }) => {
  const broken = {
    classify: () => {
      throw new Error('planted: the lists cannot be read')
    },
  }
  const batch = { ...BATCH, ...PROGRESS, accountId: world.accountId, attempts } as unknown as ClaimedBatch
  const network = { ...services.network, lists: broken }
  expect(await validateRow({ ...services, network }, batch, 'ann@example.com')).toMatchObject(outcome)
})
