import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROVIDER_LIMITS } from './data/limits.ts'
import { limitsFor } from './limits.ts'

const page = readFileSync(new URL('../../../../../docs/deliverability-setup.md', import.meta.url), 'utf8')

/** The cells of the table whose header begins with these words. */
function readTable(header: string): string[][] {
  const [, after = ''] = page.split(`| ${header} |`)
  const [table = ''] = after.split('\n\n')
  const [, , ...rows] = table.split('\n')
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const numberOf = (text = '') => Number(/^[\d,]+/.exec(text)?.[0].replaceAll(',', ''))

const rows = readTable('provider | connections')

test.each(rows)('the limits of %s on the page are those that workers use', (name = '', ...cells) => {
  const provider = /`(.+)`/.exec(name)?.[1] ?? ''
  expect(provider === '' || Object.hasOwn(PROVIDER_LIMITS, provider)).toBe(true)
  const limits = limitsFor(provider, PROVIDER_LIMITS)
  const { connectionsPerEgress, connectionsPerMinute, recipientsPerConnection, errorsPerHour } = limits
  const perHour = Math.min(Number(errorsPerHour) / 0.05, connectionsPerMinute * 60 * recipientsPerConnection)
  const expected = [connectionsPerEgress, connectionsPerMinute, recipientsPerConnection, errorsPerHour, perHour]
  expect(cells.map(numberOf)).toEqual(expected)
})

test('the warm-up plan begins below the limit of Mimecast for one hour, and rejects 5% of its addresses', () => {
  const plan = readTable('day | addresses per egress').slice(0, -1)
  expect(rows.length + plan.length).toBe(8 + 7)
  const [first] = plan
  expect(numberOf(first?.[2])).toBeLessThan(PROVIDER_LIMITS.mimecast.errorsPerHour)
  for (const [, addresses, rejected] of plan) expect(numberOf(rejected)).toBe(numberOf(addresses) * 0.05)
})
