import { afterAll, vi } from 'vitest'

/**
 * Default timeout of waits: conditions are met within a second on an idle machine, and other load may take most of this
 * time.
 */
const WAIT_TIMEOUT_MS = 20_000

const waitFor = vi.waitFor
vi.waitFor = (callback, options = {}) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: WAIT_TIMEOUT_MS, ...options })

// Files share a process, so settings of one file must not affect the next. Hooks of this file run after those of the
// file itself.
afterAll(() => void vi.unstubAllEnvs())
