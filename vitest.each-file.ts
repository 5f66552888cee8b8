import { afterAll, vi } from 'vitest'

/** What is waited for without saying how long comes within a second on a quiet machine; others may take most of this one. */
const PATIENCE_MS = 20_000

const waitFor = vi.waitFor
vi.waitFor = (callback, options = {}) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options })

// Files share a process: what one of them set is not for the next. Hooks of this file run after those of the file itself.
afterAll(() => void vi.unstubAllEnvs())
