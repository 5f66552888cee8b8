import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { destination } from 'pino'
import { inject } from 'vitest'
import { openLog } from './log.ts'

/** A log whose lines can be read. It is kept and searched for secrets at the end of the run. */
export function openTestLog() {
  const logFile = join(inject('logFolder'), `worker-${randomUUID()}.log`)
  const log = openLog('debug', destination({ dest: logFile, sync: true }))
  const lines = () =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { log, lines }
}
