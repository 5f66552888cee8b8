import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { readFailOn, refuseMatched, refuseUnknownNames } from './fail-on.ts'
import { Refusal } from './refusal.ts'

const TALLY = {
  total: 200,
  counts: new Map([
    ['invalid', 4],
    ['catch_all', 1],
  ]),
}

function isMatched(...texts: string[]): boolean {
  const bounds = texts.reduce((earlier, text) => readFailOn(text, earlier), readFailOn('valid'))
  try {
    refuseMatched(bounds, TALLY)
    return false
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal)
    expect((error as Refusal).exit).toBe('failed_on')
    return true
  }
}

test.each([
  ['invalid>2%', false],
  ['invalid>1.99%', true],
  ['invalid>4', false],
  ['invalid>3', true],
  ['invalid', true],
  ['invalid > 1 %', true],
  ['catch_all>0', true],
  ['catch_all>1', false],
  ['risky', false],
  ['risky>0%', false],
])('%s of 4 invalid ones in 200: %s', (text, expected) => {
  expect(isMatched(text)).toBe(expected)
})

test('of several bounds one is enough', () => {
  expect(isMatched('invalid>50%', 'catch_all')).toBe(true)
})

test('nothing is matched where nothing was validated', () => {
  expect(() => refuseMatched(readFailOn('invalid>0%'), { total: 0, counts: new Map() })).not.toThrow()
})

test.each(['', '>2%', 'invalid>', 'invalid>2%%', 'invalid<2', 'invalid>101%', 'invalid>-1', 'Invalid', 'invalid>1e9'])(
  'refuses %j',
  (text) => {
    expect(() => readFailOn(text)).toThrow(InvalidArgumentError)
  },
)

test('a name that no result can have is refused before anything is spent', async () => {
  await expect(refuseUnknownNames(readFailOn('invald>2%'))).rejects.toMatchObject({ exit: 'usage' })
  await expect(refuseUnknownNames(readFailOn('mailbox_full>2%'))).resolves.toBeUndefined()
})
