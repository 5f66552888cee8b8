import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openMemory, type Upload } from './memory.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const parent = mkdtempSync(join(tmpdir(), 'probity-memory-'))
const folder = join(parent, 'state')
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const KNOWN = { hash: 'a', column: undefined, keyHint: 'pb_live_…abcd', baseUrl: 'http://localhost:3000' }
const UPLOAD: Upload = { kind: 'uploaded', uploadId: 'u1', column: 'email', rows: 3, unique: 2, credits: 2 }

test('finds what was saved for the same file, column, key and service, and for no other', async () => {
  await openMemory(folder, KNOWN).save({ kind: 'started', jobId: 'j1' })
  expect(await openMemory(folder, KNOWN).find()).toEqual({ kind: 'started', jobId: 'j1' })
  for (const change of [
    { hash: 'b' },
    { column: 'email' },
    { keyHint: 'pb_test_…abcd' },
    { baseUrl: 'http://other' },
  ]) {
    expect(await openMemory(folder, { ...KNOWN, ...change }).find()).toBeUndefined()
  }
})

test('of several who claim the same, all are given what the first has', async () => {
  const uploads = Array.from({ length: 20 }, (_, n) => ({ ...UPLOAD, uploadId: `u${n}` }))
  const claimed = await Promise.all(uploads.map((upload) => openMemory(folder, KNOWN).claim(upload)))
  expect(new Set(claimed.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(await openMemory(folder, KNOWN).find()).toEqual(claimed[0])
})

test.each([
  ['nothing was known', async () => {}],
  ['what was known is spent', () => openMemory(folder, KNOWN, () => Date.now() - 7 * DAY_MS).save(UPLOAD)],
])('what one claims outlives that others look for it meanwhile, where %s', async (_, before) => {
  const memory = openMemory(folder, KNOWN)
  for (let round = 0; round < 50; round += 1) {
    await memory.forget()
    await before()
    const look = async () => {
      for (let n = 0; n < 10; n += 1) await memory.find()
    }
    const [claimed] = await Promise.all([memory.claim(UPLOAD), look(), look(), look()])
    expect([claimed, await memory.find()]).toEqual([UPLOAD, UPLOAD])
  }
})

test('who claims late is given what has become of it', async () => {
  await openMemory(folder, KNOWN).save({ kind: 'started', jobId: 'j1' })
  expect(await openMemory(folder, KNOWN).claim(UPLOAD)).toEqual({ kind: 'started', jobId: 'j1' })
})

test.each([
  [{ kind: 'started', jobId: 'j1' } as const, 6],
  [{ ...UPLOAD, kind: 'confirming' } as const, 6],
  [UPLOAD, 23 / 24],
])('forgets %j after its time', async (remembered, days) => {
  await openMemory(folder, KNOWN).save(remembered)
  const after = (ms: number) => openMemory(folder, KNOWN, () => Date.now() + ms)
  expect(await after(days * DAY_MS - 60_000).find()).toEqual(remembered)
  expect(await after(days * DAY_MS + 60_000).find()).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
})

test('keeps two hundred at most, the newest, and removes what is old or was left half-written', async () => {
  for (let n = 0; n < 205; n++) {
    const memory = openMemory(folder, { ...KNOWN, hash: String(n) })
    await memory.save({ kind: 'started', jobId: `j${n}` })
    for (const name of readdirSync(folder)) if (n === 0) utimesSync(join(folder, name), 1, 1)
  }
  writeFileSync(join(folder, 'left.tmp'), '')
  utimesSync(join(folder, 'left.tmp'), 1, 1)
  await openMemory(folder, { ...KNOWN, hash: 'last' }).claim(UPLOAD)
  const names = readdirSync(folder)
  expect(names).toHaveLength(200)
  expect(names).not.toContain('left.tmp')
  expect(await openMemory(folder, { ...KNOWN, hash: 'last' }).find()).toEqual(UPLOAD)
  expect(await openMemory(folder, { ...KNOWN, hash: '0' }).find()).toBeUndefined()
})

test('is for its owner alone, and a file that cannot be read is as good as none', async () => {
  const memory = openMemory(folder, KNOWN)
  await memory.save({ kind: 'started', jobId: 'j1' })
  const [name = ''] = readdirSync(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, name), 'utf8')).not.toContain('abcd')
  for (const text of ['', '{', 'null', '{"version":9}']) {
    writeFileSync(join(folder, name), text)
    expect(await memory.find()).toBeUndefined()
  }
})
