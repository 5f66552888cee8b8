import { evidenceItem } from '@probity/contract/constants/validations'
import { pendingResult, type StoredResult } from '@probity/contract/schemas/validations/stored-result'
import { expect, test } from 'vitest'
import {
  CHUNK_ROWS_MAX,
  type ChunkRow,
  chunkRow,
  DamagedChunkError,
  decodeChunk,
  decodeIndex,
  decodeResults,
  encodeChunk,
} from './result-chunk.ts'

const location = { jobId: '11111111-2222-4333-8444-555555555555', generation: 0, no: 7 }

function makeRow(rowNo: number, changes: Partial<ChunkRow> = {}): ChunkRow {
  const email = `Ada.${rowNo}@example.com`
  return {
    ...{
      rowNo,
      email,
      status: 'valid',
      subStatus: '',
      provider: 'google',
      domain: 'example.com',
      deliverability: 0.97,
    },
    ...{ safeToSend: true, override: null, result: JSON.stringify({ email, evidence: [{ detail: 'ß \u2028 “”' }] }) },
    ...changes,
  }
}

const rows = [
  makeRow(9, { status: 'unknown', subStatus: 'greylisted', provider: '', domain: '', safeToSend: false }),
  makeRow(2),
  makeRow(5, { override: 'block', safeToSend: false, deliverability: null, email: 'a"b\\ÄÖ@x.org' }),
  makeRow(3, { domain: 'example.org' }),
]

test('a decoded chunk has its rows in row order with unchanged texts', async () => {
  const chunk = await encodeChunk(rows)
  expect(chunk).toMatchObject({ size: 4, firstRow: 2, lastRow: 9, rowNos: [2, 3, 5, 9] })
  expect(decodeChunk({ ...location, ...chunk })).toEqual(rows.toSorted((a, b) => a.rowNo - b.rowNo))
})

test('a chunk counts its rows by verdict, recommendation and override', async () => {
  const { tally } = await encodeChunk(rows)
  expect(tally).toEqual([
    { status: 'valid', sub_status: '', safe_to_send: true, override: null, count: 2 },
    { status: 'valid', sub_status: '', safe_to_send: false, override: 'block', count: 1 },
    { status: 'unknown', sub_status: 'greylisted', safe_to_send: false, override: null, count: 1 },
  ])
})

test('an index excludes domains and parts of addresses that it does not have', async () => {
  const index = decodeIndex({ ...location, ...(await encodeChunk(rows)) })
  expect([index.hasDomain('example.org'), index.hasDomain('example.net')]).toEqual([true, false])
  const parts = ['ada.2', 'a"b', 'b\\äö@', 'eve'].map((part) => index.mayContain(part))
  expect(parts).toEqual([true, true, true, false])
})

test('chunkRow takes the fields of filters from the result', () => {
  const result = { ...pendingResult('Ada@Example.com', 'greylisted'), override: 'allow' as const }
  expect(chunkRow({ rowNo: 4, email: 'Ada@Example.com' }, result)).toEqual({
    ...{ rowNo: 4, email: 'Ada@Example.com', status: 'unknown', subStatus: 'greylisted', provider: '', domain: '' },
    ...{ deliverability: result.deliverability, safeToSend: false, override: 'allow', result: JSON.stringify(result) },
  })
})

test.each([0, 1, 20, -1])('a block with a damaged byte (%i) is rejected with its job and chunk', async (position) => {
  const chunk = await encodeChunk(Array.from({ length: 50 }, (_, n) => makeRow(n + 2)))
  const damage = (block: Buffer) => {
    const copy = Buffer.from(block)
    const at = position < 0 ? copy.length + position : position
    copy.writeUInt8(copy.readUInt8(at) ^ 0x41, at)
    return copy
  }
  const where = /chunk 7 \(generation 0\) of job 11111111-2222-4333-8444-555555555555/
  expect(() => decodeIndex({ ...location, ...chunk, index: damage(chunk.index) })).toThrow(DamagedChunkError)
  expect(() => decodeIndex({ ...location, ...chunk, index: damage(chunk.index) })).toThrow(where)
  expect(() => decodeResults({ ...location, ...chunk, results: damage(chunk.results) })).toThrow(where)
})

test('blocks that do not belong to the rows of their chunk are rejected', async () => {
  const [chunk, other] = [await encodeChunk(rows), await encodeChunk([makeRow(2)])]
  const index = decodeIndex({ ...location, ...chunk, index: other.index })
  expect(() => index.email(0)).toThrow(DamagedChunkError)
  expect(() => decodeResults({ ...location, ...chunk, results: other.results })).toThrow(DamagedChunkError)
  expect(() => decodeIndex({ ...location, ...chunk, index: chunk.results }).email(0)).toThrow(DamagedChunkError)
})

test('a chunk has between one and a thousand results with different rows', async () => {
  await expect(encodeChunk([])).rejects.toThrow(RangeError)
  await expect(encodeChunk([makeRow(2), makeRow(2)])).rejects.toThrow('Row 2 is in a chunk twice.')
  const most = Array.from({ length: CHUNK_ROWS_MAX }, (_, n) => makeRow(n + 2))
  expect((await encodeChunk(most)).size).toBe(CHUNK_ROWS_MAX)
  await expect(encodeChunk([...most, makeRow(5_000)])).rejects.toThrow(RangeError)
})

test('a chunk rejects what no reader could decode', async () => {
  await expect(encodeChunk([makeRow(2, { result: '{\n}' })])).rejects.toThrow('more than one line')
  await expect(encodeChunk([makeRow(2, { email: 'x'.repeat(17 * 1024 * 1024) })])).rejects.toThrow('limit')
})

const PARTS = ['mx', 'canonical_email', 'local_part', 'tag', 'domain_unicode']
const NAMES = ['ada.lovelace', 'grace', 'a.turing', 'katherine_johnson', 'dorothy+news', 'm.hamilton', 'joan', 'edith']

/** A result as a worker stores it, of a list with 10 addresses per domain. */
function makeResult(n: number): StoredResult {
  const domain = `company-${Math.floor(n / 10)}.example`
  const local = `${NAMES[n % NAMES.length]}${n}`
  const email = `${local}@${domain}`
  const unknown = pendingResult(email, 'not_probed')
  const mx = [10, 20].map((preference) => ({ host: `mx${preference}.${domain}`, preference }))
  const parts = { mx, canonical_email: email, local_part: local, tag: null, domain_unicode: domain }
  const details = { ...unknown.details, syntax_valid: true, dns_valid: true, domain, ...parts }
  // Durations and times as varied as those of a worker, and the same in every run.
  const checkedAt = (offset: number) => new Date(1_793_620_800_000 + ((n * 7_919) % 60_011) + offset).toISOString()
  const took = (factor: number) => ((n * 104_729 * factor) % 400_009) / 1_000
  const findings = [
    evidenceItem('syntax', 'passed', 'The address is well formed.', took(1) / 1_000),
    evidenceItem('mx', 'found', `The domain has 2 mail servers. The most preferred is mx10.${domain}.`, took(2)),
    evidenceItem('spf', 'found', 'The domain publishes an SPF record.', took(3)),
    evidenceItem('dmarc', 'absent', 'The domain does not publish a DMARC record.', took(4)),
    evidenceItem('domain_class', 'not_listed', 'The domain is in none of our domain lists.'),
    evidenceItem('recipient', 'accepted', `Host: mx10.${domain}. RCPT TO: “250 2.1.5 Ok”.`, took(5)),
    evidenceItem('catch_all', 'not_detected', 'The domain does not accept every recipient.'),
  ]
  const evidence = findings.map((item, position) => ({ ...item, checked_at: checkedAt(position * 40) }))
  const verdict = { status: 'valid', sub_status: '', is_valid: true, safe_to_send: true } as const
  return { ...unknown, ...verdict, details, evidence }
}

async function bytesPerResult(results: StoredResult[]): Promise<number> {
  const chunk = await encodeChunk(results.map((result, n) => chunkRow({ rowNo: n + 2, email: result.email }, result)))
  return (chunk.results.length + chunk.index.length) / results.length
}

test('the parts of the address and the mail servers take fewer than 18 bytes per stored result', async () => {
  const results = Array.from({ length: 500 }, (_, n) => makeResult(n))
  const without = results.map((result) => {
    const kept = Object.entries(result.details).filter(([name]) => !PARTS.includes(name))
    return { ...result, details: Object.fromEntries(kept) as StoredResult['details'] }
  })
  const [before, after] = [await bytesPerResult(without), await bytesPerResult(results)]
  expect(before).toBeLessThan(90)
  expect(after - before).toBeLessThan(18)
})
