import { createTestDatabase } from '@probity/database/connection/test-database'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { url } = await createTestDatabase()
const run = (...args: string[]) => runAdmin(url, 'price', ...args)

test('price set, withdraw and list change and show a price', async () => {
  const pack = resultOf(await run('set', '--price', 'price_a', '--credits', '1000'))
  expect(pack).toEqual({ price: 'price_a', plan: null, credits: 1000, withdrawn: false })
  const plan = resultOf(await run('set', '--price', 'price_b', '--plan', 'growth', '--credits', '0'))
  expect(plan).toEqual({ price: 'price_b', plan: 'growth', credits: 0, withdrawn: false })
  const more = resultOf(await run('set', '--price', 'price_a', '--credits', '2000'))
  expect(more).toEqual({ ...pack, credits: 2000 })
  expect(resultOf(await run('withdraw', '--price', 'price_a'))).toEqual({ ...more, withdrawn: true })
  expect(resultOf(await run('list'))).toEqual([{ ...more, withdrawn: true }, plan])
  expect(resultOf(await run('set', '--price', 'price_a', '--credits', '2000'))).toEqual(more)
})

const MISTAKES: [string, string[], RegExp][] = [
  ['an invalid price id', ['set', '--price', 'prod_a', '--credits', '1'], /start with price_/],
  ['negative credits', ['set', '--price', 'price_c', '--credits=-1'], /0 to 1,000,000,000 credits/],
  [
    'a price without credits and plan',
    ['set', '--price', 'price_c', '--credits', '0'],
    /must grant credits, a plan, or both/,
  ],
  ['an unknown plan', ['set', '--price', 'price_c', '--plan', 'gold', '--credits', '1'], /Plans: free, growth/],
  ['an unknown price', ['withdraw', '--price', 'price_c'], /Price not found/],
]

test.for(MISTAKES)('price rejects %s with a one-line error', { timeout: 60_000 }, async ([, args, said]) => {
  expect(refusalOf(await run(...args))).toMatch(said)
})
