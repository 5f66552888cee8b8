import { formatKey } from '@probity/contract/constants/keys'
import { expect, test } from 'vitest'
import { openLog } from './log.ts'

const KEY = formatKey('live', 'q7Xw2LmZr9TbKc4VnJh8Gd5PsYf3AeRu')

test('keys and addresses are removed from every log line, wherever they occur', () => {
  const lines: string[] = []
  const log = openLog('debug', { write: (line: string) => lines.push(line) })
  log.error({ err: new Error('no such row: canary@example.org'), key: KEY }, 'failed for canary@example.org')
  expect(lines.join('')).toContain('[address]')
  expect(lines.join('')).not.toMatch(/canary|pb_live_q/)
})
