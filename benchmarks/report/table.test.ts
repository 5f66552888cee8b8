import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeSums } from './capacity.ts'
import { ROWS } from './data/table.ts'
import { writePage, writeScale } from './table.ts'

test('docs/benchmarks.md equals the page written from the stored figures', () => {
  expect(readFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), 'utf8')).toBe(writePage())
})

test('capacity calculations use the stored figures', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8')
  expect(page).toContain('<!-- sums -->')
  expect(writeScale(page)).toBe(page)
})

test('one hundred times the volume needs one hundred times the cores and egress addresses', () => {
  const cpuUs = { api: 10, postgres: 100, redis: 10, worker_1: 60, worker_2: 40 }
  const table = writeSums({ cpuUs, redisCommands: 2, walBytes: 1_000, keptBytes: 1_000, connections: 0.1 })
  const row = (name: string) =>
    table
      .split('\n')
      .find((line) => line.startsWith(`| ${name}`))
      ?.split(' | ')
      .slice(1)
  // One million per day is 11.6 per second and 34.7 at the peak, of 100 µs each, on cores that are 60 % busy.
  expect(row('cores for workers')).toEqual(['< 0.01', '0.58', '5.8 |'])
  expect(row('results of 30 days')).toEqual(['30 GB', '3,000 GB', '30,000 GB |'])
  // 28 of 100 addresses are at Google, which accepts 300 rejected recipients per hour; 8 of 100 are rejected.
  expect(row('egress addresses')).toEqual(['4 (google)', '310 (google)', '3,100 (google) |'])
})

test('the path of a job names tables and functions of the schema', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8')
  const [, diagram = ''] = /<!-- test: job-path -->\n```text\n(.*?)```/s.exec(page) ?? []
  const names = new Set(diagram.match(/\b[a-z]+_[a-z]+\b/g))
  expect(names.size).toBeGreaterThan(2)
  const schema = readFileSync(join(import.meta.dirname, '../../packages/database/migrations/0001_baseline.sql'), 'utf8')
  const created = [...schema.matchAll(/create (?:table|function) (\w+)/g)].map(([, name]) => name)
  expect(created).toEqual(expect.arrayContaining([...names]))
})

test('ROWS has no duplicate figures', () => {
  const names = ROWS.map(({ bench, figure }) => `${bench} ${figure}`)
  expect(new Set(names).size).toBe(names.length)
})
