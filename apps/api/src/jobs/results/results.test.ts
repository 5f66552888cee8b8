import { randomUUID } from 'node:crypto'
import { resultNoOf } from '@probity/contract/constants/jobs'
import type { Result } from '@probity/contract/schemas/jobs/results'
import type { StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { insertKey } from '@probity/database/accounts/keys'
import { asOwner, inTenant } from '@probity/database/connection/connect'
import { eraseResults } from '@probity/database/jobs/results/erase-results'
import { changeTestResults, orderTestResults } from '@probity/database/jobs/results/test-results'
import { openAddressMatcher } from '@probity/engine/address/match-address'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestClient } from '../../testing/test-api.ts'
import { keepList, keepResults, resultOf, type TestList } from '../../testing/test-results.ts'

const api = await startTestApi()
const caller = await api.openCaller()

function keep(content: string | Buffer, list: Partial<TestList> = {}): Promise<string> {
  return keepList(api, { content, by: caller, ...list })
}

/** Not with `call`, which parses all JSON as one document. */
async function get(jobId: string, query: Record<string, string> = {}, { key }: Pick<TestClient, 'key'> = caller) {
  const url = `/api/v1/bulk/jobs/${jobId}/results`
  const { statusCode, headers, payload } = await api.app.inject({ url, query, headers: { 'x-api-key': key } })
  const body: Record<string, unknown> = statusCode < 400 ? {} : JSON.parse(payload)
  return { status: statusCode, headers: headers as Record<string, string>, text: payload, body }
}

async function getResults(jobId: string, query: Record<string, string> = {}) {
  const { status, text } = await get(jobId, query)
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return JSON.parse(text) as Result[]
}

async function getLines(jobId: string, query: Record<string, string> = {}): Promise<Result[]> {
  const { text } = await get(jobId, { format: 'ndjson', ...query })
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Result)
}

async function getCsv(jobId: string, query: Record<string, string> = {}): Promise<string> {
  const { status, text } = await get(jobId, { format: 'csv', ...query })
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  return text
}

function readCsv(text: string, delimiter = ','): string[][] {
  return parse(text, { delimiter, record_delimiter: '\r\n', bom: true })
}

/** Addresses of all four statuses in turn. */
function emails(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${'viru'.charAt(n % 4)}${n}@example.com`)
}

const STABLE_FIELDS = [
  'email',
  'row',
  'position',
  'status',
  'sub_status',
  'confidence',
  'deliverability',
  'depth',
  'safe_to_send',
  'is_valid',
  'did_you_mean',
  'domain',
  'provider',
  'is_disposable',
  'is_role_based',
  'has_spf',
  'has_dmarc',
  'flags',
  'override',
]

test('a page has the first ten results in row order, the total, and a link to the next page', async () => {
  const jobId = await keep(`email\n${emails(25).join('\n')}\n`)
  const { status, headers, text } = await get(jobId)
  const page = JSON.parse(text) as Result[]
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
  expect(page.map(({ row }) => row)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  expect(headers['x-total-count']).toBe('25')
  expect(headers['link']).toBe(`</api/v1/bulk/jobs/${jobId}/results?skip=10&limit=10>; rel="next"`)
  expect((await getResults(jobId, { skip: '20' })).map(({ row }) => row)).toEqual([22, 23, 24, 25, 26])
  expect(await getResults(jobId, { skip: '25' })).toEqual([])
})

test('a download is recorded in the audit log, and a page of results is not', async () => {
  const by = await api.openCaller()
  const jobId = await keep('email\na@example.com\n', { by, filename: 'spring.csv' })
  for (const query of [{}, { format: 'csv' }, { format: 'ndjson' }])
    expect((await get(jobId, query, by)).status).toBe(200)
  const { rows } = await asOwner(api.db, (trx) =>
    sql`select action, actor, actor_id, subject_id, subject_name from audit_entries
        where account_id = ${by.accountId} and action like 'export.%'`.execute(trx),
  )
  const entry = {
    action: 'export.results',
    actor: 'key',
    actorId: by.keyId,
    subjectId: jobId,
    subjectName: 'spring.csv',
  }
  expect(rows).toEqual([entry, entry])
})

test('a limit above 100 counts as 100', async () => {
  const jobId = await keep(`email\n${emails(120).join('\n')}\n`)
  expect(await getResults(jobId, { limit: '5000' })).toHaveLength(100)
})

test('a result has the stable fields in their order and no others', async () => {
  const jobId = await keep('email\nino@example.com\n')
  const [result] = await getResults(jobId)
  expect(Object.keys(result ?? {})).toEqual(STABLE_FIELDS)
  expect(result).toEqual({
    email: 'ino@example.com',
    row: 2,
    position: 1,
    status: 'invalid',
    sub_status: 'mailbox_not_found',
    confidence: 0.97,
    deliverability: 0.97,
    depth: 'dns',
    safe_to_send: false,
    is_valid: false,
    did_you_mean: 'vno@example.com',
    domain: 'example.com',
    provider: 'google',
    is_disposable: false,
    is_role_based: false,
    has_spf: true,
    has_dmarc: false,
    flags: { is_free: false, is_privacy_relay: false, is_tagged: false, is_machine_generated: false },
    override: null,
  })
  const { text } = await get(jobId, { format: 'ndjson' })
  expect(text).toBe(`${JSON.stringify(result)}\n`)
})

test('with evidence a result also has the complete validation result, in every format', async () => {
  const jobId = await keep('email\nvera@example.com\n')
  const [result] = await getResults(jobId, { evidence: 'true' })
  const { evidence: _, ...standing } = resultOf('vera@example.com')
  expect(result).toMatchObject(standing)
  expect(result?.evidence).toMatchObject([{ check: 'mx', outcome: 'found', source: 'live' }])
  expect(await getLines(jobId, { evidence: 'true' })).toEqual([result])
  const [names = [], cells = []] = readCsv(await getCsv(jobId, { evidence: 'true' }))
  expect(names.at(-1)).toBe('probity_result')
  expect(JSON.parse(cells.at(-1) ?? '')).toEqual(result)
})

test('a status filter applies to every format, the total and the links', async () => {
  const jobId = await keep(`email\n${emails(40).join('\n')}\n`)
  const { headers, text } = await get(jobId, { status: 'valid,risky', limit: '5' })
  const page = JSON.parse(text) as Result[]
  expect(page.map(({ status }) => status)).toEqual(['valid', 'risky', 'valid', 'risky', 'valid'])
  expect(headers['x-total-count']).toBe('20')
  expect(headers['link']).toContain(`/results?status=valid%2Crisky&skip=5&limit=5>; rel="next"`)
  const next = /<([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1] ?? ''
  const after = await caller.call({ method: 'GET', url: next })
  expect((JSON.parse(after.text) as Result[])[0]?.status).toBe('risky')

  const lines = await getLines(jobId, { status: 'unknown' })
  expect(lines.map(({ row }) => row)).toEqual([5, 9, 13, 17, 21, 25, 29, 33, 37, 41])
  const [, ...rows] = readCsv(await getCsv(jobId, { status: 'invalid' }))
  expect(rows.map(([email]) => email)).toEqual(lines.map(({ row }) => `i${row - 4}@example.com`))
})

test('sort changes the order of a page, and its link keeps it', async () => {
  const jobId = await keep(`email\n${emails(12).join('\n')}\n`)
  const byStatus = await get(jobId, { sort: 'status', limit: '5' })
  expect((JSON.parse(byStatus.text) as Result[]).map(({ email }) => email.charAt(0)).join('')).toBe('vvvrr')
  expect(byStatus.headers['link']).toContain('sort=status')
  const fromTheEnd = await getResults(jobId, { sort: '-row', limit: '3' })
  expect(fromTheEnd.map(({ row }) => row)).toEqual([13, 12, 11])
  expect((await getLines(jobId, { sort: '-row' })).map(({ row }) => row)[0]).toBe(2)
  expect((await get(jobId, { sort: 'confidence' })).status).toBe(400)
})

test('rows selects results in every format', async () => {
  const jobId = await keep(`email\n${emails(12).join('\n')}\n`)
  const rows = '3,5,13,99'
  expect((await getResults(jobId, { rows })).map(({ row }) => row)).toEqual([3, 5, 13])
  expect((await getLines(jobId, { rows })).map(({ row }) => row)).toEqual([3, 5, 13])
  const [, ...cells] = readCsv(await getCsv(jobId, { rows }))
  expect(cells.map(([email]) => email)).toEqual(['i1@example.com', 'u3@example.com', 'u11@example.com'])
  const tooMany = Array.from({ length: 101 }, (_, n) => n + 2).join(',')
  for (const wrong of ['0', '2,', 'a', tooMany]) {
    expect([wrong, (await get(jobId, { rows: wrong })).status]).toEqual([wrong, 400])
  }
})

const MIXED = `email
vera@one.example
ino@one.example
vito@two.example
rosa@two.example
una@two.example
V%_x@xn--bcher-kva.example
`

test.each<[Record<string, string>, number[]]>([
  [{ sub_status: 'mailbox_not_found' }, [3]],
  [{ sub_status: 'catch_all,greylisted' }, [5, 6]],
  [{ status: 'valid', domain: 'two.example' }, [4]],
  [{ status: 'valid', sub_status: 'catch_all' }, []],
  [{ provider: 'google' }, [2, 3, 4, 5, 7]],
  [{ provider: '' }, [6]],
  [{ provider: 'Google' }, []],
  [{ domain: 'ONE.example' }, [2, 3]],
  [{ domain: 'bücher.example' }, [7]],
  [{ domain: 'example' }, []],
  [{ search: 'ER' }, [2, 7]],
  [{ search: '%' }, [7]],
  [{ search: 'v%_X@' }, [7]],
  [{ search: 'v_r' }, []],
  [{ search: '\\' }, []],
  [{ search: 'o', provider: 'google', status: 'valid,risky', domain: 'two.example' }, [4, 5]],
  [{ search: 'a\0' }, []],
])('the filters %j select the same rows in every format, and in the total', async (query, expected) => {
  const jobId = await keep(MIXED)
  for (const isOrdered of [false, true]) {
    if (isOrdered) await orderTestResults(api.db, jobId)
    const page = await get(jobId, query)
    expect((JSON.parse(page.text) as Result[]).map(({ row }) => row)).toEqual(expected)
    expect(page.headers['x-total-count']).toBe(String(expected.length))
    expect((await getLines(jobId, query)).map(({ row }) => row)).toEqual(expected)
    const [, ...sheet] = readCsv(await getCsv(jobId, query))
    expect(sheet.map(([email]) => email)).toEqual(expected.map((row) => MIXED.split('\n')[row - 1]))
  }
})

test('the results of a job are identical in every format before and after they are ordered by row', async () => {
  const jobId = await keep(
    `name,email\n${emails(250)
      .map((email, n) => `${n},${email}`)
      .join('\n')}\nagain,V0@example.com\n`,
  )
  const read = () =>
    Promise.all(['json', 'ndjson', 'csv'].map(async (format) => (await get(jobId, { format, evidence: 'true' })).text))
  const before = await read()
  await orderTestResults(api.db, jobId)
  expect(await read()).toEqual(before)
})

test('the row of an erased address has its verdict in every format, and nothing of the file or the address', async () => {
  const by = await api.openCaller()
  const list = 'name,email,note\nAda,vada@example.com,first\nBo,ino@example.com,\nCy,VADA@Example.com,again\n'
  const jobId = await keepList(api, { content: list, by, isOrdered: true })
  const read = async (format: string) => (await get(jobId, { format, evidence: 'true' }, by)).text
  const address = openAddressMatcher('vada@example.com')
  expect(await eraseResults(api.db, by.accountId, address)).toMatchObject({ jobs: [jobId], unfinished: [] })
  const texts = await Promise.all(['json', 'ndjson', 'csv'].map(read))
  for (const text of texts) expect(text.toLowerCase()).not.toContain('vada')
  const [json = '', lines = '', sheet = ''] = texts
  const erased = { row: 2, email: '', domain: '', status: 'valid', provider: 'google', evidence: [] }
  expect(JSON.parse(json)).toMatchObject([erased, { row: 3, email: 'ino@example.com' }])
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(JSON.parse(json))
  expect(readCsv(sheet).map((cells) => cells.slice(0, 4))).toEqual([
    ['name', 'email', 'note', 'probity_status'],
    ['', '', '', 'valid'],
    ['Bo', 'ino@example.com', '', 'invalid'],
    ['', '', '', 'valid'],
  ])
})

test('pages of filtered results are consecutive, and their links keep the filter', async () => {
  const jobId = await keep(MIXED)
  const rows: number[] = []
  let url = `/api/v1/bulk/jobs/${jobId}/results?provider=google&search=E&limit=2`
  for (let pages = 0; url !== '' && pages < 9; pages++) {
    const { text, headers } = await caller.call({ method: 'GET', url })
    rows.push(...(JSON.parse(text) as Result[]).map(({ row }) => row))
    expect(headers['x-total-count']).toBe('5')
    url = /<([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1] ?? ''
  }
  expect(rows).toEqual([2, 3, 4, 5, 7])
})

test('a result can be read by its row, with its evidence', async () => {
  const jobId = await keep('email\nvera@example.com\nVERA@example.com\nuna@example.com\n')
  const at = (row: string) => caller.call({ method: 'GET', url: `/api/v1/bulk/jobs/${jobId}/results/${row}` })
  const [whole] = await getResults(jobId, { evidence: 'true' })
  expect((await at('2')).body).toEqual(whole)
  expect(whole?.evidence).toHaveLength(1)
  const refused = await Promise.all(['3', '99', '0', 'x', '2147483648'].map(at))
  expect(refused.map(({ status }) => status)).toEqual([404, 404, 400, 400, 400])
  await asOwner(api.db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${jobId}`.execute(trx))
  expect((await at('2')).body['code']).toBe('results_expired')
})

test.each([
  { sub_status: 'good' },
  { sub_status: '' },
  { search: '' },
  { status: 'good' },
  { status: 'valid,' },
  { format: 'xls' },
  { skip: '-1' },
  { limit: '0' },
])('%j is rejected', async (query) => {
  const { status, body } = await get(await keep('email\nvera@example.com\n'), query)
  expect([status, body['code']]).toEqual([400, 'invalid_request'])
})

test('10,000 results are identical NDJSON on every read, each row once and in order', async () => {
  const jobId = await keep(`email\n${emails(10_000).join('\n')}\n`)
  const [first, second] = [await get(jobId, { format: 'ndjson' }), await get(jobId, { format: 'ndjson' })]
  expect(first.headers['content-type']).toBe('application/x-ndjson')
  expect(first.headers['content-disposition']).toBe(
    `attachment; filename="list-results.ndjson"; filename*=UTF-8''list-results.ndjson`,
  )
  expect(second.text === first.text).toBe(true)
  const rows = first.text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as Result).row)
  expect(rows).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 2))
})

test('two jobs over the same list are identical NDJSON, whenever their results were found', async () => {
  const list = `email\n${emails(50).join('\n')}\n`
  const [one, other] = [await keep(list), await keep(list)]
  expect((await get(one, { format: 'ndjson' })).text).toBe((await get(other, { format: 'ndjson' })).text)
})

const SHEET_HEAD = [
  'probity_status',
  'probity_sub_status',
  'probity_confidence',
  'probity_safe_to_send',
  'probity_is_valid',
  'probity_did_you_mean',
  'probity_domain',
  'probity_provider',
  'probity_is_disposable',
  'probity_is_role_based',
  'probity_has_spf',
  'probity_has_dmarc',
  'probity_is_free',
  'probity_is_privacy_relay',
  'probity_is_tagged',
  'probity_deliverability',
  'probity_is_machine_generated',
  'probity_override',
  'probity_depth',
  'probity_row',
  'probity_email',
]
const nothingIn = (row: number) => SHEET_HEAD.map((name) => (name === 'probity_row' ? String(row) : ''))

const LIST =
  'name,email,city\nAda,vera@example.com,Rome\nBo,ino@example.com\nNo one,,Bonn\nCy,VERA@Example.com,Oslo\nDee,una@example.com,\n'

test('a CSV has every row of the file with our columns appended, duplicates with the result of their first occurrence', async () => {
  const jobId = await keep(LIST, { filename: 'Kunden März.csv' })
  const { headers, text } = await get(jobId, { format: 'csv' })
  expect(headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="Kunden Ma_rz-results.csv"; filename*=UTF-8''Kunden%20M%C3%A4rz-results.csv`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  })
  const valid = ['valid', '', '0.97', 'true', 'true', '', 'example.com', 'google', ...'FFTFFFF', '0.97', 'F', '', 'dns']
  const invalid = [
    'invalid',
    'mailbox_not_found',
    '0.97',
    'false',
    'false',
    'vno@example.com',
    'example.com',
    'google',
    ...'FFTFFFF',
    '0.97',
    'F',
    '',
    'dns',
  ]
  const unknown = ['unknown', 'greylisted', '0.8', 'false', 'false', '', '', '', ...'FFFFFFF', '0.8', 'F', '', 'dns']
  const spell = (cells: string[]) => cells.map((cell) => ({ T: 'true', F: 'false' })[cell] ?? cell)
  expect(readCsv(text)).toEqual([
    ['name', 'email', 'city', ...SHEET_HEAD],
    ['Ada', 'vera@example.com', 'Rome', ...spell(valid), '2', 'vera@example.com'],
    ['Bo', 'ino@example.com', '', ...spell(invalid), '3', 'ino@example.com'],
    ['No one', '', 'Bonn', ...nothingIn(4)],
    ['Cy', 'VERA@Example.com', 'Oslo', ...spell(valid), '5', 'vera@example.com'],
    ['Dee', 'una@example.com', '', ...spell(unknown), '6', 'una@example.com'],
  ])
})

test('a CSV keeps the original cell and names the address that was validated', async () => {
  const cells = ['Vera V. <vera@example.com>', '"Vera, V." <VERA@example.com>', 'mailto:ino@example.com', 'no address']
  const jobId = await keep(`email\n${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join('\n')}\n`)
  const [head = [], ...rows] = readCsv(await getCsv(jobId))
  const look = (row: string[]) => ['email', 'probity_status', 'probity_email'].map((name) => row[head.indexOf(name)])
  expect(rows.map(look)).toEqual([
    [cells[0], 'valid', 'vera@example.com'],
    [cells[1], 'valid', 'vera@example.com'],
    [cells[2], 'invalid', 'ino@example.com'],
    [cells[3], '', ''],
  ])
})

test('results stored without deliverability and depth get derived values', async () => {
  const jobId = await keep('email\nvera@example.com\nino@example.com\n')
  await changeTestResults(api.db, jobId, ({ deliverability: _, depth: __, ...result }) => {
    const { is_machine_generated: ___, ...flags } = result.flags
    const evidence = result.evidence.map((one) => (result.status === 'invalid' ? { ...one, check: 'recipient' } : one))
    return { ...result, flags, evidence } as StoredResult
  })
  const [, valid, invalid] = readCsv(await getCsv(jobId))
  expect([valid?.slice(-6, -2), invalid?.slice(-6, -2)]).toEqual([
    ['0.97', 'false', '', 'dns'],
    ['0.03', 'false', '', 'smtp'],
  ])
})

test('every CSV cell is quoted, rows end with CRLF, and a byte order mark is added only on request', async () => {
  const jobId = await keep('email,note\nvera@example.com,5" disk\n')
  const text = await getCsv(jobId)
  const lines = text.split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[0]).toBe(['email', 'note', ...SHEET_HEAD].map((name) => `"${name}"`).join())
  expect(lines[1]).toMatch(/^"vera@example\.com","5"" disk","valid","",("[^"]*",?)+$/)
  expect(lines[2]).toBe('')
  expect(await getCsv(jobId, { bom: 'true' })).toBe(`\uFEFF${text}`)
})

test('unfinished rows have empty cells until they are finished', async () => {
  const jobId = await keep(LIST, { isDone: (email) => email !== 'ino@example.com' })
  expect(readCsv(await getCsv(jobId)).map((row) => row[3])).toEqual([
    'probity_status',
    'valid',
    '',
    '',
    'valid',
    'unknown',
  ])
  expect(await getLines(jobId)).toHaveLength(2)
  await keepResults(api, jobId, [{ rowNo: resultNoOf(3, 0), email: 'ino@example.com' }])
  expect(readCsv(await getCsv(jobId))[2]?.[3]).toBe('invalid')
  expect((await getLines(jobId)).map(({ row }) => row)).toEqual([2, 3, 6])
})

test("a job without results has an empty page, an empty NDJSON and the customer's rows as CSV", async () => {
  const jobId = await keep('email\nvera@example.com\n', { isDone: () => false })
  expect(await getResults(jobId)).toEqual([])
  expect(await getLines(jobId)).toEqual([])
  expect(readCsv(await getCsv(jobId))[1]).toEqual(['vera@example.com', ...nothingIn(2)])
})

test('a file without a header gets one: numbered columns and our names', async () => {
  const jobId = await keep('Ada,vera@example.com\nBo,ino@example.com,more\n')
  const [head, ...rows] = readCsv(await getCsv(jobId))
  expect(head).toEqual(['column_1', 'column_2', 'column_3', ...SHEET_HEAD])
  expect(rows.map((row) => row.slice(0, 4))).toEqual([
    ['Ada', 'vera@example.com', '', 'valid'],
    ['Bo', 'ino@example.com', 'more', 'invalid'],
  ])
})

test("a header is kept unchanged, and our names follow the customer's", async () => {
  const jobId = await keep('email,email,, Probity_Status ,probity_status_2\nvera@example.com,a,b,c,d,e\n')
  const [head] = readCsv(await getCsv(jobId))
  expect(head?.slice(0, 8)).toEqual([
    'email',
    'email',
    '',
    ' Probity_Status ',
    'probity_status_2',
    'column_6',
    'probity_status_3',
    'probity_sub_status',
  ])
})

test('an export can be uploaded again and exported again', async () => {
  const first = await getCsv(await keep(LIST))
  const again = readCsv(await getCsv(await keep(first)))
  expect(again[0]).toEqual(['name', 'email', 'city', ...SHEET_HEAD, ...SHEET_HEAD.map((name) => `${name}_2`)])
  expect(again[1]?.slice(3, 5)).toEqual(['valid', ''])
  expect(again[1]?.[3 + SHEET_HEAD.length]).toBe('valid')
})

const ENCODERS: [string, (text: string) => Buffer][] = [
  ['utf-8', (text) => Buffer.from(text)],
  ['utf-8 with a mark', (text) => Buffer.from(`\uFEFF${text}`)],
  ['utf-16le', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['utf-16be', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
  ['windows-1252', (text) => Buffer.from(text.replaceAll('€', '\x80'), 'latin1')],
]
const WRITTEN = ENCODERS.flatMap(([encoding, encode]) =>
  [',', ';', '\t', '|'].map((delimiter) => ({ encoding, encode, delimiter })),
)

test.each(WRITTEN)(
  'cells are exported unchanged: $encoding separated by "$delimiter"',
  async ({ encode, delimiter }) => {
    const theirs = [
      ['größe', 'e-mail', 'preis €'],
      [`Bücher${delimiter} "alt"`, 'vjörg@example.com', ' 1 '],
      ['zwei\r\nZeilen', 'ino@example.com', ''],
      ["'ja'", '', '2€'],
    ]
    const quoted = (cell: string) => (/[",;|\t\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
    const text = theirs.map((row) => row.map(quoted).join(delimiter)).join('\r\n')
    const rows = readCsv(await getCsv(await keep(encode(text))), delimiter)
    expect(rows.map((row) => row.slice(0, 3))).toEqual(theirs)
    expect(rows.map((row) => row[3])).toEqual(['probity_status', 'valid', 'invalid', ''])
  },
)

const HOSTILE = ['=1+1', "+cmd|'/c calc'!A0", '-2', '@SUM(1)', '＝1', ' =1', '\u00A0@A1', '\tx', 'x;=1;y', 'x\n=1']

test('no CSV cell starts a formula, including column names; without the guard cells are exported unchanged', async () => {
  const quoted = (cell: string) => `"${cell}"`
  const rows = HOSTILE.map((cell) => `vera@example.com,${quoted(cell)}`)
  const jobId = await keep(`email,"=head"\n${rows.join('\n')}\n"=i@example.com",x\n`)
  await changeTestResults(api.db, jobId, (result) => ({
    ...result,
    did_you_mean: result.did_you_mean ?? '=x@example.com',
  }))
  const safe = readCsv(await getCsv(jobId))
  expect(safe[0]?.[1]).toBe("'=head")
  expect(safe.slice(1, -1).map((row) => row[1])).toEqual([
    "'=1+1",
    "'+cmd|'/c calc'!A0",
    "'-2",
    "'@SUM(1)",
    "'＝1",
    "' =1",
    "'\u00A0@A1",
    "'\tx",
    "x;'=1;y",
    "x\n'=1",
  ])
  expect(safe.at(-1)?.[0]).toBe("'=i@example.com")
  expect(safe[1]?.[2 + SHEET_HEAD.indexOf('probity_did_you_mean')]).toBe("'=x@example.com")

  const exact = readCsv(await getCsv(jobId, { formula_safe: 'false' }))
  expect(exact.slice(1, -1).map((row) => row[1])).toEqual(HOSTILE)
})

test('after the file is deleted, format=csv returns 410 file_removed, and the other formats work', async () => {
  const jobId = await keep(LIST)
  await asOwner(api.db, (trx) =>
    sql`update uploads set expires_at = now() - interval '1 second'
      where id = (select upload_id from jobs where id = ${jobId})`.execute(trx),
  )
  const { status, body } = await get(jobId, { format: 'csv' })
  expect([status, body['code']]).toEqual([410, 'file_removed'])
  expect(body['advice']).toMatch(/json.*ndjson.*available/)
  expect(await getResults(jobId)).toHaveLength(3)
  expect(await getLines(jobId)).toHaveLength(3)
})

test.each(['json', 'ndjson', 'csv'])(
  'after the results have expired, format=%s returns 410 results_expired',
  async (format) => {
    const jobId = await keep(LIST)
    await asOwner(api.db, (trx) => sql`update jobs set expires_on = utc_today() - 1 where id = ${jobId}`.execute(trx))
    const { status, body } = await get(jobId, { format })
    expect([status, body['code']]).toEqual([410, 'results_expired'])
  },
)

test('results are available on the last day of the retention', async () => {
  const jobId = await keep(LIST)
  await asOwner(api.db, async (trx) => {
    await sql`update jobs set expires_on = utc_today() where id = ${jobId}`.execute(trx)
    await sql`update result_chunks set expires_on = utc_today() where job_id = ${jobId}`.execute(trx)
  })
  expect(await getResults(jobId)).toHaveLength(3)
  expect(readCsv(await getCsv(jobId))[1]?.[3]).toBe('valid')
})

test('a missing file returns internal_error before any byte is sent', async () => {
  const jobId = await keep(LIST)
  const { storageKey } = await asOwner(api.db, (trx) =>
    trx
      .selectFrom('uploads')
      .innerJoin('jobs', 'jobs.uploadId', 'uploads.id')
      .select('storageKey')
      .where('jobs.id', '=', jobId)
      .executeTakeFirstOrThrow(),
  )
  await api.services.storage.remove(storageKey)
  const { status, body, headers } = await get(jobId, { format: 'csv' })
  expect([status, body['code'], headers['content-type']]).toEqual([500, 'internal_error', 'application/problem+json'])
  expect(headers['content-disposition']).toBeUndefined()
})

test.each(['json', 'ndjson', 'csv'])(
  '%s: a job of another account and a missing one return the same 404',
  async (format) => {
    const jobId = await keep(LIST)
    const other = await api.openCaller()
    const foreign = await get(jobId, { format }, other)
    const missing = await get(randomUUID(), { format }, other)
    expect([foreign.status, missing.status]).toEqual([404, 404])
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
  },
)

test('jobs of test keys are visible to test keys only, and live jobs to live keys only', async () => {
  const [live, sandbox] = [await keep(LIST), await keep(LIST, { mode: 'test' })]
  const { text } = await inTenant(api.db, caller.accountId, (trx) =>
    insertKey(trx, caller.accountId, { mode: 'test', name: 'test', scopes: ['jobs:write'] }),
  )
  const tester = { key: text }
  const statuses = async (by: Pick<TestClient, 'key'>) => [
    (await get(live, {}, by)).status,
    (await get(sandbox, {}, by)).status,
  ]
  expect(await statuses(caller)).toEqual([200, 404])
  expect(await statuses(tester)).toEqual([404, 200])
})

test('results require the scope for jobs', async () => {
  const other = await api.openCaller({ key: { scopes: ['validations:write', 'account:read'] } })
  const { status, body } = await get(randomUUID(), {}, other)
  expect([status, body['code']]).toEqual([403, 'missing_scope'])
})

test('a policy decides on every result in each format at read time, and nothing is stored', async () => {
  const jobId = await keep(`email\n${emails(4).join('\n')}\n`)
  const decisions = (results: Result[]) => results.map(({ policy }) => policy?.decision)
  const asked = { policy: 'newsletter' }
  const pages = await getResults(jobId, asked)
  // The risky result here has enough deliverability for the fifth rule.
  expect(decisions(pages)).toEqual(['allow', 'block', 'allow', 'review'])
  expect(pages[1]?.policy).toEqual({
    name: 'newsletter',
    decision: 'block',
    reason: 'Mail to this address bounces.',
    rule: 1,
  })
  expect(decisions(await getLines(jobId, asked))).toEqual(decisions(pages))
  expect(decisions(await getResults(jobId, { policy: 'transactional' }))).toEqual(['allow', 'block', 'allow', 'allow'])
  expect(decisions(await getResults(jobId))).toEqual([undefined, undefined, undefined, undefined])

  const [head = [], , second = []] = readCsv(await getCsv(jobId, asked))
  expect(head.slice(-2)).toEqual(['probity_decision', 'probity_reason'])
  expect(second.slice(-2)).toEqual(['block', 'Mail to this address bounces.'])
  expect(readCsv(await getCsv(jobId))[0]).not.toContain('probity_decision')
  const { headers } = await get(jobId, { ...asked, limit: '2' })
  expect(headers['link']).toContain('policy=newsletter')
})

test('an unknown policy is rejected before anything is sent', async () => {
  const jobId = await keep('email\nada@example.com\n')
  const { status, body } = await get(jobId, { format: 'csv', policy: 'unknown' })
  expect([status, body['errors']]).toEqual([400, [{ pointer: 'policy', detail: 'must be the name of a policy' }]])
})
