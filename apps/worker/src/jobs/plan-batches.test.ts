import { expect, test } from 'vitest'
import { type DomainRows, planBatches } from './plan-batches.ts'

let rowNo = 0
const domain = (count: number, site?: DomainRows['site']): DomainRows => ({
  site,
  rows: Array.from({ length: count }, () => ({ rowNo: ++rowNo, email: `a${rowNo}@example.com` })),
})
const google = { key: 'google', connectionsMax: 10 }

test('every row is in one batch, and no batch has more than a hundred', () => {
  const domains = [
    domain(250, google),
    domain(7, google),
    domain(3),
    domain(120, { key: 'mx.small', connectionsMax: 2 }),
  ]
  const batches = planBatches(domains)
  const laidOut = batches.flatMap(({ rowNos, emails }) => rowNos.map((row, n) => `${row} ${emails[n]}`))
  expect(laidOut.toSorted()).toEqual(
    domains.flatMap(({ rows }) => rows.map((row) => `${row.rowNo} ${row.email}`)).toSorted(),
  )
  expect(batches.every(({ emails }) => emails.length > 0 && emails.length <= 100)).toBe(true)
})

test('domains of one provider share its lane, and small ones share batches without a lane', () => {
  const shape = planBatches([
    domain(60, google),
    domain(60, google),
    domain(3, { key: 'mx.one', connectionsMax: 2 }),
    domain(4),
  ])
  expect(shape.map(({ site, siteMax, emails }) => [site, siteMax, emails.length])).toEqual([
    ['google', 10, 100],
    ['', 0, 7],
    ['google', 10, 20],
  ])
})

test('the batches of large sites alternate', () => {
  const lanes = planBatches([domain(300, google), domain(300, { key: 'mx.large', connectionsMax: 2 }), domain(150)])
  expect(lanes.map(({ site }) => site)).toEqual([
    'google',
    'mx.large',
    '',
    'google',
    'mx.large',
    '',
    'google',
    'mx.large',
  ])
})

test('a site with many hosts has a short name', () => {
  const key = Array.from({ length: 40 }, (_, n) => `mx${n}.example.com`).join(',')
  const [batch] = planBatches([domain(30, { key, connectionsMax: 2 })])
  expect(batch?.site).toMatch(/^[0-9a-f]{64}$/)
})

test('a list without a valid domain is planned too', () => {
  expect(planBatches([domain(201)]).map(({ emails }) => emails.length)).toEqual([100, 100, 1])
})
