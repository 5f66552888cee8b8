import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packPackages } from '../environment/packages.ts'
import { run } from '../environment/run.ts'

const PACKED = ['SHA256SUMS', 'probity-cli-0.1.0.tgz', 'probity-sdk-0.1.0.tgz']

const hashFile = (folder: string, file: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex')

test('packages that are packed twice have the same bytes, and SHA256SUMS has their hashes', () => {
  const [first, second] = [packPackages(), packPackages()]
  expect(readdirSync(first).toSorted()).toEqual(PACKED)
  for (const file of PACKED) expect(hashFile(second, file), file).toBe(hashFile(first, file))
  expect(run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], first)).toBe(
    'probity-sdk-0.1.0.tgz: OK\nprobity-cli-0.1.0.tgz: OK\n',
  )
})
