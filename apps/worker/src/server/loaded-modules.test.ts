import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { WorkerConfig } from './config.ts'
import { startTestWorld } from './test-worker.ts'

const world = await startTestWorld()
const PROGRAM = join(import.meta.dirname, 'test-loaded-modules.ts')
/** Modules that read input of other parties: SMTP replies, DNS responses and uploaded files. */
const UNTRUSTED =
  /\/packages\/(engine|doctor)\/|\/packages\/uploads\/src\/(read-|records|columns|delimiter|erase)|\/csv-parse\/|\/worker\/src\/(validations|jobs|webhooks|probing)\//

async function listLoaded(tasks: WorkerConfig['tasks']): Promise<string[]> {
  const config = JSON.stringify({
    ...world.config,
    tasks,
    mail: { url: 'smtp://127.0.0.1:1', from: 'post@probity.example' },
    publicUrl: 'https://probity.example',
  })
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, config], { maxBuffer: 10_000_000 })
  return JSON.parse(stdout) as string[]
}

test('a process for maintenance and notifications loads no module that parses SMTP, DNS or CSV', async () => {
  const loaded = await listLoaded(['maintenance', 'notifications'])
  expect(loaded.some((url) => url.endsWith('/maintenance/steps.ts'))).toBe(true)
  expect(loaded.some((url) => url.endsWith('/notifications/notifications.ts'))).toBe(true)
  expect(loaded.filter((url) => UNTRUSTED.test(url))).toEqual([])
})

test('a process for validations loads the modules that the pattern names, and none of maintenance', async () => {
  const loaded = await listLoaded(['validations', 'jobs', 'webhooks'])
  for (const part of ['/packages/engine/src/smtp/', '/packages/engine/src/domain/', '/worker/src/jobs/', '/csv-parse/'])
    expect([part, loaded.some((url) => url.includes(part) && UNTRUSTED.test(url))]).toEqual([part, true])
  expect(loaded.filter((url) => /\/worker\/src\/(maintenance|notifications)\//.test(url))).toEqual([])
})
