import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { listLeaks } from '@probity/lab/leaks'
import { makeFolder, removeFolder, stopChild } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { ROOT } from './programs.ts'

/** `pnpm chaos` takes more rows and other seeds. */
const ROWS = 10_000
const SEED = 1
const CLEANS_UP_WITHIN_MS = 60_000

test('every row gets one result and is paid for once, whatever is killed, and the export is the same to the byte', async () => {
  const logs = makeFolder('probity-chaos-logs')
  whenDone(() => removeFolder(logs))
  const options = ['--rows', String(ROWS), '--seed', String(SEED), '--logs', logs]
  const child = spawn(process.execPath, [join(ROOT, 'chaos/main.ts'), ...options], {
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
}, 900_000)
