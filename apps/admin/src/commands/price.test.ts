import { createTestDatabase } from '@probity/database/test-database'
import { expect, test } from 'vitest'
import { refusalOf, resultOf, runAdmin } from '../test-admin.ts'

const { url } = await createTestDatabase()
const run = (...args: string[]) => runAdmin(url, 'price', ...args)

test('a price is set, set otherwise, withdrawn and set again, and the list has it all along', async () => {
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
  ['what is no price', ['set', '--price', 'prod_a', '--credits', '1'], /begins with price_/],
  ['credits below nothing', ['set', '--price', 'price_c', '--credits=-1'], /0 to 1,000,000,000 credits/],
  ['a pack of nothing', ['set', '--price', 'price_c', '--credits', '0'], /gives credits, a plan, or both/],
  ['an unknown plan', ['set', '--price', 'price_c', '--plan', 'gold', '--credits', '1'], /Plans: free, growth/],
  ['a price that was never set', ['withdraw', '--price', 'price_c'], /no such price/],
]

test.for(MISTAKES)('%s is refused in one line', { timeout: 60_000 }, async ([, args, said]) => {
  expect(refusalOf(await run(...args))).toMatch(said)
})
