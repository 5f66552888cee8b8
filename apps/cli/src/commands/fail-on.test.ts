import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { CliError } from '../cli-error.ts'
import { checkFailOn, checkFailOnNames, readFailOn } from './options.ts'

const TALLY = {
  total: 200,
  counts: new Map([
    ['invalid', 4],
    ['catch_all', 1],
  ]),
}

function isExceeded(...texts: string[]): boolean {
  const limits = texts.reduce((earlier, text) => readFailOn(text, earlier), readFailOn('valid'))
  try {
    checkFailOn(limits, TALLY)
    return false
  } catch (error) {
    expect(error).toBeInstanceOf(CliError)
    expect((error as CliError).exit).toBe('failed_on')
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
])('%s with 4 invalid of 200 results is exceeded: %s', (text, expected) => {
  expect(isExceeded(text)).toBe(expected)
})

test('checkFailOn throws if one of several limits is exceeded', () => {
  expect(isExceeded('invalid>50%', 'catch_all')).toBe(true)
})

test('checkFailOn accepts no results', () => {
  expect(() => checkFailOn(readFailOn('invalid>0%'), { total: 0, counts: new Map() })).not.toThrow()
})

test.each(['', '>2%', 'invalid>', 'invalid>2%%', 'invalid<2', 'invalid>101%', 'invalid>-1', 'Invalid', 'invalid>1e9'])(
  'readFailOn rejects %j',
  (text) => {
    expect(() => readFailOn(text)).toThrow(InvalidArgumentError)
  },
)

test('checkFailOnNames rejects unknown names', async () => {
  await expect(checkFailOnNames(readFailOn('invald>2%'))).rejects.toMatchObject({ exit: 'usage' })
  await expect(checkFailOnNames(readFailOn('mailbox_full>2%'))).resolves.toBeUndefined()
})
