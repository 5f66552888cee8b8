import { readFileSync } from 'node:fs'
import { PROBLEMS } from '@probity/contract/constants/data/problems'
import { ConnectionError, ProbityApiError, ProbityError, TimeoutError } from '@probity/sdk'
import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { CliError } from '../cli-error.ts'
import { EXIT_CODES } from '../data/exit-codes.ts'
import { findExit } from './explain.ts'

function problem(code: string, status: number) {
  const rest = { detail: '', headers: new Headers(), requestId: undefined, problem: undefined, retryable: false }
  return new ProbityApiError({ code, status, ...rest, retryAfterSeconds: undefined })
}

test('EXIT_CODES has stable codes', () => {
  const codes = Object.entries(EXIT_CODES).map(([name, { code }]) => [name, code])
  expect(codes).toEqual([
    ['ok', 0],
    ['other', 1],
    ['usage', 2],
    ['auth', 3],
    ['input', 4],
    ['later', 5],
    ['network', 6],
    ['credits', 7],
    ['failed_on', 8],
    ['declined', 9],
    ['interrupted', 130],
  ])
})

test('docs/cli.md contains the table of EXIT_CODES', () => {
  const page = readFileSync(new URL('../../../../docs/cli.md', import.meta.url), 'utf8').replaceAll('`', '')
  for (const { code, meaning } of Object.values(EXIT_CODES)) expect(page).toContain(`| ${code} | ${meaning} |`)
})

test('findExit maps every problem code in line with its status', () => {
  const expected: Record<number, string[]> = {
    401: ['auth'],
    402: ['credits'],
    403: ['auth'],
    404: ['input'],
    422: ['input'],
    429: ['later'],
  }
  for (const [code, { status }] of Object.entries(PROBLEMS)) {
    const exit = findExit(problem(code, status))
    expect([code, expected[status] ?? [exit]]).toEqual([code, [exit]])
    if (status >= 500) expect(['later', 'network']).toContain(exit)
  }
})

test.each([
  [401, 'auth'],
  [402, 'credits'],
  [403, 'auth'],
  [418, 'input'],
  [429, 'later'],
  [502, 'network'],
])('findExit maps an unknown code with status %i to %s', (status, exit) => {
  expect(findExit(problem('not_known_yet', status))).toBe(exit)
  expect(findExit(problem('toString', status))).toBe(exit)
})

test('findExit maps expected errors and returns undefined for a bug', () => {
  expect(findExit(new CliError('credits', ''))).toBe('credits')
  expect(findExit(new CommanderError(1, 'commander.unknownCommand', ''))).toBe('usage')
  expect(findExit(new CommanderError(0, 'commander.helpDisplayed', ''))).toBe('ok')
  expect(findExit(new ConnectionError(''))).toBe('network')
  expect(findExit(new TimeoutError(''))).toBe('network')
  expect(findExit(new ProbityError(''))).toBe('input')
  expect(findExit(new TypeError(''))).toBeUndefined()
})
