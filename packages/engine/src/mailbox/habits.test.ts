import { expect, test } from 'vitest'
import { PROVIDERS } from '../domain/data/providers.ts'
import { HABITS } from './data/habits.ts'
import { errorsOnConnection, type Habits, type HabitTable, habitsOf } from './habits.ts'

const ROWS: [string, Habits][] = Object.entries(HABITS)

test('there are habits for every provider we know and for everybody else, and for nobody besides', () => {
  expect(Object.keys(HABITS).toSorted()).toEqual(['', ...PROVIDERS.map(({ id }) => id)].toSorted())
})

test.each(PROVIDERS)('$id is worth asking as much as the table of providers says', ({ id, probe }) => {
  expect(habitsOf(id, HABITS).probe).toBe(probe)
})

test.each(ROWS)('the numbers of “%s” make sense together', (_, habits) => {
  const whole = [
    habits.recipientsPerTransaction,
    habits.recipientsPerConnection,
    habits.connectionsPerEgress,
    habits.connectionsPerMinute,
    habits.errorsPerConnection,
    habits.errorsPerHour ?? 1,
    ...habits.retryLadderS,
    ...Object.values(habits.suspendS),
  ]
  for (const number of whole) expect(number).toSatisfy((n: number) => Number.isInteger(n) && n > 0)
  expect(habits.recipientsPerTransaction).toBeLessThanOrEqual(habits.recipientsPerConnection)
  expect(habits.connectionsPerEgress).toBeLessThanOrEqual(5)
  expect(habits.errorsPerConnection).toBeLessThanOrEqual(Math.min(4, habits.errorsPerHour ?? 4))
  expect(habits.retryLadderS).toEqual(habits.retryLadderS.toSorted((a, b) => a - b))
  expect(habits.retryLadderS.length).toBeLessThanOrEqual(4)
  expect(Math.max(...Object.values(habits.suspendS))).toBeLessThanOrEqual(86_400)
})

test('who refuses too often is turned away, so being turned away always makes us stop', () => {
  for (const [, { suspendS }] of ROWS) {
    expect(suspendS).toMatchObject({
      ip_blocked: expect.any(Number),
      rate_limited: expect.any(Number),
      too_many_errors: expect.any(Number),
    })
  }
})

test.each([
  ['microsoft', { recipientsPerTransaction: 1 }],
  ['microsoft365', { recipientsPerTransaction: 1 }],
  ['gmx', { errorsPerConnection: 1 }],
  ['ukr_net', { errorsPerConnection: 1 }],
  ['godaddy', { errorsPerHour: 10 }],
  ['google', { tls: 'offered', truthfulDomains: ['gmail.com', 'googlemail.com'] }],
])('what %s punishes is in its row', (id, expected) => {
  expect(habitsOf(id, HABITS)).toMatchObject(expected)
})

test.each(['nobody', 'constructor', '__proto__', 'toString', ''])('“%s” has the habits of everybody else', (id) => {
  expect(habitsOf(id, HABITS)).toBe(HABITS[''])
})

test('a Postfix that nobody we know runs bears nine refusals, an Exim three, every other server four', () => {
  expect(errorsOnConnection(HABITS[''], 'postfix')).toBe(9)
  expect(errorsOnConnection(HABITS[''], 'exim')).toBe(3)
  for (const family of ['exchange', 'opensmtpd', 'haraka', 'unknown'] as const) {
    expect(errorsOnConnection(HABITS[''], family)).toBe(4)
  }
})

test('a provider bears what its row says, whatever its greeting shows', () => {
  const table: HabitTable = HABITS
  for (const { id } of PROVIDERS) {
    const habits = habitsOf(id, table)
    expect(errorsOnConnection(habits, 'postfix')).toBe(habits.errorsPerConnection)
  }
})
