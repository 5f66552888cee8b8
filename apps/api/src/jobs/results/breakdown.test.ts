import { BOUNCE_RANGES } from '@probity/contract/constants/data/presets'
import { PRESET_NAMES } from '@probity/contract/constants/jobs'
import type { Breakdown, Result } from '@probity/contract/schemas/jobs/results'
import { asOwner } from '@probity/database/connection/connect'
import { changeTestResults, orderTestResults } from '@probity/database/jobs/results/test-results'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../testing/test-api.ts'
import { keepList, type TestList } from '../../testing/test-results.ts'

const api = await startTestApi()
const caller = await api.openCaller()

const keep = (content: string, list: Partial<TestList> = {}) => keepList(api, { content, by: caller, ...list })
const urlOf = (jobId: string, rest: string) => `/api/v1/bulk/jobs/${jobId}/${rest}`

async function getBreakdown(jobId: string): Promise<Breakdown> {
  const { status, text } = await caller.call({ method: 'GET', url: urlOf(jobId, 'breakdown') })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return JSON.parse(text) as Breakdown
}

/** Two valid addresses, one of them a role account; one address of each other status; a duplicate; and a row without an address. */
const LIST = `name,email
a,vera@one.example
b,vinfo@one.example
c,ino@one.example
d,rosa@two.example
e,una@two.example
f,VERA@one.example
g,
`

/** The engine's result for role accounts. */
const notSafe = (jobId: string, email: string) =>
  changeTestResults(api.db, jobId, (result) => (result.email === email ? { ...result, safe_to_send: false } : result))

test('the breakdown counts unique addresses by reason, provider and domain, largest first', async () => {
  const found = await getBreakdown(await keep(LIST))
  expect(found.by_reason).toEqual([
    { status: 'valid', sub_status: '', count: 2 },
    { status: 'risky', sub_status: 'catch_all', count: 1 },
    { status: 'unknown', sub_status: 'greylisted', count: 1 },
    { status: 'invalid', sub_status: 'mailbox_not_found', count: 1 },
  ])
  expect(found.by_provider).toEqual([
    { provider: 'google', count: 4, valid: 2, invalid: 1, risky: 1, unknown: 0 },
    { provider: '', count: 1, valid: 0, invalid: 0, risky: 0, unknown: 1 },
  ])
  expect(found.by_domain).toEqual([
    { domain: 'one.example', provider: 'google', count: 3, valid: 2, invalid: 1, risky: 0, unknown: 0 },
    { domain: 'two.example', provider: 'google', count: 1, valid: 0, invalid: 0, risky: 1, unknown: 0 },
  ])
})

test('of many domains the 20 largest are named', async () => {
  const emails = Array.from({ length: 30 }, (_, n) => Array.from({ length: n + 1 }, (__, m) => `v${m}@d${n}.example`))
  const { by_domain } = await getBreakdown(await keep(`email\n${emails.flat().join('\n')}\n`))
  expect(by_domain.map(({ domain }) => domain)).toEqual(Array.from({ length: 20 }, (_, n) => `d${29 - n}.example`))
})

test('each preset reports kept and removed results, and the expected bounces among the kept ones', async () => {
  const jobId = await keep(LIST)
  await notSafe(jobId, 'vinfo@one.example')
  const { keep_plans } = await getBreakdown(jobId)
  expect(keep_plans.map(({ preset, keep_count, remove_count }) => [preset, keep_count, remove_count])).toEqual([
    ['safest', 1, 4],
    ['balanced', 3, 2],
    ['all_but_bounces', 4, 1],
  ])
  const [safest, balanced] = keep_plans
  expect(safest).toMatchObject({ keeps: [''], expected_bounce_rate: BOUNCE_RANGES[''] })
  expect(balanced?.keeps).toEqual(['', 'catch_all', 'provider_unverifiable'])
  const rates = keep_plans.map(({ expected_bounce_rate: { low, high } }) => [low, high])
  expect(rates).toEqual(rates.toSorted(([a = 0], [b = 0]) => a - b))
})

test.each(PRESET_NAMES)(
  '%s: both parts can be read in every format, and each result is in exactly one of them',
  async (preset) => {
    const jobId = await keep(LIST)
    await notSafe(jobId, 'vinfo@one.example')
    const plan = (await getBreakdown(jobId)).keep_plans.find((one) => one.preset === preset)
    const read = async (part: string, format: string) => {
      const url = urlOf(jobId, `results?preset=${preset}&part=${part}&format=${format}`)
      return api.app.inject({ url, headers: { 'x-api-key': caller.key } })
    }
    const parts = await Promise.all(
      ['keep', 'remove'].map(async (part) => {
        const page = await read(part, 'json')
        const rows = (JSON.parse(page.payload) as Result[]).map(({ row }) => row)
        expect(page.headers['x-total-count']).toBe(String(rows.length))
        const lines = (await read(part, 'ndjson')).payload.split('\n').slice(0, -1)
        expect(lines.map((line) => (JSON.parse(line) as Result).row)).toEqual(rows)
        const sheet: string[][] = parse((await read(part, 'csv')).payload)
        return { rows, names: sheet.slice(1).map(([name]) => name) }
      }),
    )
    expect(parts.map(({ rows }) => rows.length)).toEqual([plan?.keep_count, plan?.remove_count])
    expect(parts.flatMap(({ rows }) => rows).toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6])
    // A repeated address is in the part of its first row, and the row without an address in neither.
    expect(new Set(parts.flatMap(({ names }) => names))).toEqual(new Set('abcdef'))
    expect(parts[0]?.names).toContain('f')
  },
)

test.each(PRESET_NAMES)('%s counts results with an override as they are exported', async (preset) => {
  for (const isOrdered of [false, true]) {
    const jobId = await keep(LIST)
    await changeTestResults(api.db, jobId, (result) => {
      if (result.email === 'vera@one.example') return { ...result, override: 'block', safe_to_send: false }
      return result.email === 'una@two.example' ? { ...result, override: 'allow', safe_to_send: true } : result
    })
    if (isOrdered) await orderTestResults(api.db, jobId)
    const plan = (await getBreakdown(jobId)).keep_plans.find((one) => one.preset === preset)
    const { headers } = await caller.call({ method: 'GET', url: urlOf(jobId, `results?preset=${preset}`) })
    expect([isOrdered, headers['x-total-count']]).toEqual([isOrdered, String(plan?.keep_count)])
  }
})

test('the default part is the kept one, and a part without a preset is rejected', async () => {
  const jobId = await keep(LIST)
  const get = (query: string) => caller.call({ method: 'GET', url: urlOf(jobId, `results?${query}`) })
  expect((await get('preset=balanced')).headers['x-total-count']).toBe('3')
  const [alone, wrong] = [await get('part=keep'), await get('preset=best')]
  expect([alone.status, alone.body['code'], wrong.status]).toEqual([400, 'invalid_request', 400])
  expect(alone.body['errors']).toMatchObject([{ pointer: '/part' }])
  expect((await get('preset=balanced&part=keep&limit=2')).headers['link']).toContain(
    '/results?preset=balanced&part=keep&skip=2&limit=2>; rel="next"',
  )
})

test('the breakdown of a job in progress counts the available results, and is empty without any', async () => {
  const some = await keep(LIST, { isDone: (email) => email.startsWith('v') })
  expect((await getBreakdown(some)).by_reason).toEqual([{ status: 'valid', sub_status: '', count: 2 }])
  const { keep_plans, ...rest } = await getBreakdown(await keep(LIST, { isDone: () => false }))
  expect(rest).toEqual({ by_reason: [], by_provider: [], by_domain: [] })
  expect(keep_plans[0]).toMatchObject({ keep_count: 0, expected_bounce_rate: { low: 0, high: 0 } })
})

test('the breakdown is empty after the results have expired', async () => {
  const jobId = await keep(LIST)
  await asOwner(api.db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${jobId}`.execute(trx))
  const { status, body } = await caller.call({ method: 'GET', url: urlOf(jobId, 'breakdown') })
  expect([status, body['code']]).toEqual([410, 'results_expired'])
})
