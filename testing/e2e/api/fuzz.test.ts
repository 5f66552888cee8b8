import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stopChild } from '@probity/lab/services/daemon'
import { whenDone } from '@probity/lab/when-done'
import { expect, test } from 'vitest'
import { ROOT } from '../environment/programs.ts'

/** `pnpm fuzz` sends 50,000 requests, and takes other seeds. */
const REQUESTS = 1_200
const SEED = 7
const CLEANS_UP_WITHIN_MS = 60_000

test('hostile requests to every operation get no response with 5xx', { timeout: 300_000 }, async () => {
  const options = ['--requests', String(REQUESTS), '--seed', String(SEED)]
  const child = spawn(process.execPath, [join(ROOT, 'benchmarks/fuzz/main.ts'), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  whenDone(() => stopChild(child, 'SIGTERM', CLEANS_UP_WITHIN_MS))
  const ended = once(child, 'close')
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  await ended

  expect(child.exitCode, errors.slice(-5_000)).toBe(0)
  const result = JSON.parse(out.trim().split('\n').at(-1) ?? '')
  expect(result).toMatchObject({ requests: REQUESTS, server_errors: 0, unanswered: 0 })
  expect(result.covered).toBe(result.operations)
  expect(result.succeeded).toBeGreaterThan(result.operations * 0.6)
  expect(result.rate_limited).toBeLessThan(REQUESTS * 0.05)
  for (const operation of ['POST /api/v1/feedback', 'POST /api/v1/keys', 'POST /api/v1/policies']) {
    expect(result.without_success).not.toHaveProperty([operation])
  }
})
