import { isSharedDomain } from '@probity/engine/address/shared-domains'
import { expect, test } from 'vitest'
import { findSample } from './plan-batches.ts'

/** A list with the given number of addresses per domain. */
function listOf(counts: Record<string, number>) {
  let rowNo = 1
  return new Map(
    Object.entries(counts).map(([domain, count]) => [
      domain,
      Array.from({ length: count }, () => ({ rowNo: ++rowNo, email: `a${rowNo}@${domain}` })),
    ]),
  )
}

const sampleOf = (counts: Record<string, number>, jobId = 'job') => findSample(jobId, listOf(counts), isSharedDomain)
const manyOf = (domains: number, each: number) =>
  Object.fromEntries(Array.from({ length: domains }, (_, n) => [`customer${n}.example`, each]))

test('a list with most addresses at one domain has a sample of 200 of them', () => {
  const sample = sampleOf({ 'target.example': 5_000, 'gmail.com': 3_000 })
  expect(sample).toMatchObject({ domain: 'target.example', domainAddresses: 5_000 })
  expect(sample?.rows.size).toBe(200)
  expect([...(sample?.rows ?? [])].every(({ email }) => email.endsWith('@target.example'))).toBe(true)
})

test('subdomains count with their registrable domain, and several large domains count together', () => {
  expect(sampleOf({ 'a.target.example': 150, 'b.target.example': 150 })).toMatchObject({ domain: 'target.example' })
  expect(sampleOf(manyOf(20, 100))?.rows.size).toBe(200)
})

test('a list with one address more than 30 percent at a domain has a sample', () => {
  expect(sampleOf({ ...manyOf(210, 20), 'target.example': 1_801 })).toMatchObject({ domainAddresses: 1_801 })
})

test('the sample does not depend on the order of the file, and planning again gives the same one', () => {
  const rows = (jobId: string) =>
    [...(sampleOf({ 'target.example': 1_000 }, jobId)?.rows ?? [])].map(({ rowNo }) => rowNo)
  expect(rows('one')).toEqual(rows('one'))
  expect(rows('one')).not.toEqual(rows('two'))
  expect(Math.max(...rows('one'))).toBeGreaterThan(500)
})

test.each([
  ['addresses over 500 domains', manyOf(500, 20)],
  ['addresses at free providers', { 'gmail.com': 9_000, 'outlook.com': 1_000 }],
  ['addresses at a privacy relay', { 'duck.com': 5_000 }],
  ['a large domain with less than 30 percent', { ...manyOf(400, 20), 'target.example': 2_000 }],
  ['a large domain with exactly 30 percent', { ...manyOf(210, 20), 'target.example': 1_800 }],
  ['no more addresses than a sample has', { 'target.example': 200 }],
  ['texts without a domain', { '': 5_000 }],
])('a list with %s has no sample', (_what, counts) => {
  expect(sampleOf(counts)).toBeUndefined()
})
