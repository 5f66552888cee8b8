import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeFileWhole } from './write-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'probity-write-'))
const path = join(folder, 'out.csv')

async function* chunks(...texts: (string | Error)[]) {
  for (const text of texts) {
    if (text instanceof Error) throw text
    yield text
  }
}

test('what breaks off leaves the file as it was, and nothing beside it', async () => {
  writeFileSync(path, 'before')
  await expect(writeFileWhole(path, chunks('half of', new Error('broken off')))).rejects.toThrow('broken off')
  expect(readFileSync(path, 'utf8')).toBe('before')
  expect(readdirSync(folder)).toEqual(['out.csv'])
})

test('what is whole takes the place of the file, for its owner alone', async () => {
  await writeFileWhole(path, chunks('all', ' of it'))
  expect(readFileSync(path, 'utf8')).toBe('all of it')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['out.csv'])
})

test('a place where nothing can be written is an input that is not usable', async () => {
  await expect(writeFileWhole(join(folder, 'none/out.csv'), chunks('x'))).rejects.toMatchObject({ exit: 'input' })
})
