import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EmptyNames, getReleaseNames, NAMES_FILE } from './names.ts'

const NAMES = {
  registry: 'registry.example.com',
  image: 'probity/probity',
  repository: 'https://example.com/probity',
  contact: 'security@example.com',
}

function writeNames(names: object): string {
  const folder = mkdtempSync(join(tmpdir(), 'probity-names-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'names.json')
  writeFileSync(file, JSON.stringify(names))
  return file
}

test('getReleaseNames returns the four names', () => {
  expect(getReleaseNames(writeNames(NAMES))).toEqual(NAMES)
})

test.each([
  [{ ...NAMES, image: '' }, 'Set image in deploy/release/names.json before a release.'],
  [{ ...NAMES, registry: ' ', contact: null }, 'Set registry, contact in deploy/release/names.json before a release.'],
  [{}, 'Set registry, image, repository, contact in deploy/release/names.json before a release.'],
])('getReleaseNames names the empty values of %j', (names, message) => {
  expect(() => getReleaseNames(writeNames(names))).toThrow(new EmptyNames(message))
})

test('names.json contains the four names and nothing else', () => {
  expect(Object.keys(JSON.parse(readFileSync(NAMES_FILE, 'utf8')))).toEqual(Object.keys(NAMES))
})
