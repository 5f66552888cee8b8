import { readFileSync } from 'node:fs'
import { PROBLEMS } from '@probity/contract/data/problems'
import { ConnectionError, ProbityApiError, ProbityError, TimeoutError } from '@probity/sdk'
import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { EXIT_CODES } from './data/exit-codes.ts'
import { findExit } from './exit-code.ts'
import { Refusal } from './refusal.ts'

function problem(code: string, status: number) {
  const rest = { detail: '', requestId: undefined, problem: undefined, retryable: false, retryAfterSeconds: undefined }
  return new ProbityApiError({ code, status, headers: new Headers(), ...rest })
}

test('the codes are those that scripts rely on', () => {
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
    ['interrupted', 130],
  ])
})

test('docs/cli.md has the same table', () => {
  const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8')
  for (const { code, meaning } of Object.values(EXIT_CODES)) expect(page).toContain(`| ${code} | ${meaning} |`)
})

test('every problem of the service agrees with the class of its status', () => {
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
])('a code that was added later goes by its status %i: %s', (status, exit) => {
  expect(findExit(problem('not_known_yet', status))).toBe(exit)
  expect(findExit(problem('toString', status))).toBe(exit)
})

test('everything else that is expected has its code, and a bug has none', () => {
  expect(findExit(new Refusal('credits', ''))).toBe('credits')
  expect(findExit(new CommanderError(1, 'commander.unknownCommand', ''))).toBe('usage')
  expect(findExit(new CommanderError(0, 'commander.helpDisplayed', ''))).toBe('ok')
  expect(findExit(new ConnectionError(''))).toBe('network')
  expect(findExit(new TimeoutError(''))).toBe('network')
  expect(findExit(new ProbityError(''))).toBe('input')
  expect(findExit(new TypeError(''))).toBeUndefined()
})
