import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openStateStore, type Upload } from './saved-state.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const parent = mkdtempSync(join(tmpdir(), 'probity-state-'))
const folder = join(parent, 'state')
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const IDENTITY = { hash: 'a', column: undefined, keyHint: 'pb_live_…abcd', baseUrl: 'http://localhost:3000' }
const UPLOAD: Upload = { kind: 'uploaded', uploadId: 'u1', column: 'email' }

test('find returns the state of the same file, column, key and service only', async () => {
  await openStateStore(folder, IDENTITY).save({ kind: 'started', jobId: 'j1' })
  expect(await openStateStore(folder, IDENTITY).find()).toEqual({ kind: 'started', jobId: 'j1' })
  for (const change of [
    { hash: 'b' },
    { column: 'email' },
    { keyHint: 'pb_test_…abcd' },
    { baseUrl: 'http://other' },
  ]) {
    expect(await openStateStore(folder, { ...IDENTITY, ...change }).find()).toBeUndefined()
  }
})

test('claim returns the state of the first process to all', async () => {
  const uploads = Array.from({ length: 20 }, (_, n) => ({ ...UPLOAD, uploadId: `u${n}` }))
  const claimed = await Promise.all(uploads.map((upload) => openStateStore(folder, IDENTITY).claim(upload)))
  expect(new Set(claimed.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(await openStateStore(folder, IDENTITY).find()).toEqual(claimed[0])
})

test.each([
  ['there was no state', async () => {}],
  ['the state had expired', () => openStateStore(folder, IDENTITY, () => Date.now() - 7 * DAY_MS).save(UPLOAD)],
])('claim keeps its upload while other processes call find and %s', async (_, before) => {
  const store = openStateStore(folder, IDENTITY)
  for (let round = 0; round < 50; round += 1) {
    await store.remove()
    await before()
    const look = async () => {
      for (let n = 0; n < 10; n += 1) await store.find()
    }
    const [claimed] = await Promise.all([store.claim(UPLOAD), look(), look(), look()])
    expect([claimed, await store.find()]).toEqual([UPLOAD, UPLOAD])
  }
})

test('claim returns the job of another process', async () => {
  await openStateStore(folder, IDENTITY).save({ kind: 'started', jobId: 'j1' })
  expect(await openStateStore(folder, IDENTITY).claim(UPLOAD)).toEqual({ kind: 'started', jobId: 'j1' })
})

test.each([
  [{ kind: 'started', jobId: 'j1' } as const, 6],
  [{ ...UPLOAD, kind: 'confirming' } as const, 6],
  [UPLOAD, 23 / 24],
])('find removes %j when it expires', async (state, days) => {
  await openStateStore(folder, IDENTITY).save(state)
  const after = (ms: number) => openStateStore(folder, IDENTITY, () => Date.now() + ms)
  expect(await after(days * DAY_MS - 60_000).find()).toEqual(state)
  expect(await after(days * DAY_MS + 60_000).find()).toBeUndefined()
  expect(readdirSync(folder)).toEqual([])
})

test('claim keeps the newest 200 files and removes old ones and drafts', async () => {
  for (let n = 0; n < 205; n++) {
    const store = openStateStore(folder, { ...IDENTITY, hash: String(n) })
    await store.save({ kind: 'started', jobId: `j${n}` })
    for (const name of readdirSync(folder)) if (n === 0) utimesSync(join(folder, name), 1, 1)
  }
  writeFileSync(join(folder, 'left.tmp'), '')
  utimesSync(join(folder, 'left.tmp'), 1, 1)
  await openStateStore(folder, { ...IDENTITY, hash: 'last' }).claim(UPLOAD)
  const names = readdirSync(folder)
  expect(names).toHaveLength(200)
  expect(names).not.toContain('left.tmp')
  expect(await openStateStore(folder, { ...IDENTITY, hash: 'last' }).find()).toEqual(UPLOAD)
  expect(await openStateStore(folder, { ...IDENTITY, hash: '0' }).find()).toBeUndefined()
})

test('files are readable by their owner only, and find ignores damaged ones', async () => {
  const store = openStateStore(folder, IDENTITY)
  await store.save({ kind: 'started', jobId: 'j1' })
  const [name = ''] = readdirSync(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, name), 'utf8')).not.toContain('abcd')
  for (const text of ['', '{', 'null', '{"version":9}']) {
    writeFileSync(join(folder, name), text)
    expect(await store.find()).toBeUndefined()
  }
})
