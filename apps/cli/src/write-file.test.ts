import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkWritable, writeFileAtomically } from './write-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'probity-write-'))
const path = join(folder, 'out.csv')

async function* chunks(...texts: (string | Error)[]) {
  for (const text of texts) {
    if (text instanceof Error) throw text
    yield text
  }
}

test('writeFileAtomically keeps the old file and no draft after a failure', async () => {
  writeFileSync(path, 'before')
  await expect(writeFileAtomically(path, chunks('half of', new Error('broken off')))).rejects.toThrow('broken off')
  expect(readFileSync(path, 'utf8')).toBe('before')
  expect(readdirSync(folder)).toEqual(['out.csv'])
})

test('writeFileAtomically replaces the file, readable by its owner only', async () => {
  await writeFileAtomically(path, chunks('all', ' of it'))
  expect(readFileSync(path, 'utf8')).toBe('all of it')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['out.csv'])
})

test('writeFileAtomically rejects a folder that does not exist with exit input', async () => {
  await expect(writeFileAtomically(join(folder, 'none/out.csv'), chunks('x'))).rejects.toMatchObject({ exit: 'input' })
})

test('writeFileAtomically writes to a pipe without replacing it', async () => {
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const [text] = await Promise.all([readFile(pipe, 'utf8'), writeFileAtomically(pipe, chunks('all', ' of it'))])
  expect([text, statSync(pipe).isFIFO()]).toEqual(['all of it', true])
})

test('checkWritable rejects folders and files in folders that do not exist', async () => {
  await expect(checkWritable(folder)).rejects.toMatchObject({ exit: 'input' })
  await expect(checkWritable(join(folder, 'none/out.csv'))).rejects.toMatchObject({ exit: 'input' })
  await expect(checkWritable(join(folder, 'new.csv'))).resolves.toBeUndefined()
})
