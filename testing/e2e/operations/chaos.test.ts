import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { listLeaks } from '@probity/lab/leaks'
import { makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { ROOT } from '../environment/programs.ts'

/** `pnpm chaos` takes more rows and other seeds. */
const SEED = 1
const CLEANS_UP_WITHIN_MS = 60_000

test(
  'a job of 5,000 rows has one result and one charge per row while every process is killed',
  { timeout: 600_000 },
  () => expectExactResults(5_000, ['--concurrent', '--no-rerun']),
)

test('a job of 10,000 rows and its rerun have one result and one charge per row while every process is killed', {
  tags: ['long'],
  timeout: 900_000,
}, async () => {
  const figures = await expectExactResults(10_000)
  expect(figures).toMatchObject({
    rerun_merges: 1,
    rerun_charged: figures['rerun_addresses'],
    rerun_export_identical: true,
  })
  expect(figures['rerun_addresses']).toBeGreaterThan(100)
})

/** The results, the charges and the exported bytes equal those of a run without kills. */
async function expectExactResults(rows: number, more: string[] = []): Promise<Record<string, unknown>> {
  const logs = makeFolder('probity-chaos-logs')
  whenDone(() => removeFolder(logs))
  const options = ['--rows', String(rows), '--seed', String(SEED), '--logs', logs, ...more]
  const child = spawn(process.execPath, [join(ROOT, 'testing/chaos/main.ts'), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  whenDone(() => stopChild(child, 'SIGTERM', CLEANS_UP_WITHIN_MS))

  const ended = once(child, 'close')
  const [out, said] = await Promise.all([text(child.stdout), text(child.stderr)])
  await ended

  expect(child.exitCode, said.slice(-5_000)).toBe(0)
  const figures = JSON.parse(out.trim().split('\n').at(-1) ?? '')
  expect(figures).toMatchObject({ lost: 0, duplicated: 0, credit_drift: 0, export_identical: true, violations: [] })
  expect(figures.faults).toBeGreaterThanOrEqual(10)
  expect([...listLeaks(join(logs, 'in peace')), ...listLeaks(join(logs, 'harmed'))]).toEqual([])
  return figures
}
