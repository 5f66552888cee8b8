import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { releasedInstaller, releasedKustomization } from './manifests.ts'
import { readReleaseNames } from './names.ts'
import { notesOf } from './notes.ts'
import { readDebianPackages } from './sbom.ts'

const DEPLOY = join(import.meta.dirname, '..')

const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\n- New\n\n## 0.2.0\n\n### Added\n\n- Two\n\n## 0.1.0 (first)\n\n- One\n'

test('notesOf returns the section of a version', () => {
  expect(notesOf(CHANGELOG, '0.2.0')).toBe('### Added\n\n- Two\n')
  expect(notesOf(CHANGELOG, '0.1.0')).toBe('- One\n')
  expect(() => notesOf(CHANGELOG, '0.3.0')).toThrow('CHANGELOG.md has no section for 0.3.0')
})

test('readDebianPackages lists installed packages with their package URL', () => {
  const status = [
    'Package: unbound\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.22.0-2+deb13u1\n',
    'Package: removed\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n',
  ].join('\n')
  expect(readDebianPackages(status)).toEqual([
    {
      type: 'library',
      name: 'unbound',
      version: '1.22.0-2+deb13u1',
      purl: 'pkg:deb/debian/unbound@1.22.0-2%2Bdeb13u1?arch=amd64',
    },
  ])
})

/** The lines about images in the file .env that install.sh writes. */
function listImageLines(installer: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'probity-installer-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = ['install-common.sh', 'probity.env.example', 'redis-users.conf']
  for (const name of files) cpSync(join(DEPLOY, name), join(folder, name))
  writeFileSync(join(folder, 'install.sh'), installer, { mode: 0o755 })
  execFileSync(join(folder, 'install.sh'), ['--no-checks'], { stdio: 'ignore' })
  const lines = readFileSync(join(folder, '.env'), 'utf8').split('\n')
  return lines.filter((line) => /^PROBITY_(IMAGE|VERSION)=/.test(line))
}

test('install.sh of a release selects its images, and that of a clone selects none', () => {
  const installer = readFileSync(join(DEPLOY, 'install.sh'), 'utf8')
  const released = releasedInstaller(installer, { image: 'registry.example.com/probity', version: '0.1.0' })
  expect(listImageLines(released)).toEqual(['PROBITY_IMAGE=registry.example.com/probity', 'PROBITY_VERSION=0.1.0'])
  expect(listImageLines(installer)).toEqual([])
  expect(() => releasedInstaller('#!/bin/sh\n', { image: 'x', version: '1' })).toThrow('no lines IMAGE= and VERSION=')
})

test('releasedKustomization names the images of the release, and none in a clone', () => {
  const base = readFileSync(join(DEPLOY, 'kubernetes/base/kustomization.yaml'), 'utf8')
  const { images } = parse(releasedKustomization(base, 'registry.example.com/probity')) as { images: object[] }
  expect(images).toMatchObject([
    { name: 'probity', newName: 'registry.example.com/probity' },
    { name: 'probity-resolver', newName: 'registry.example.com/probity-resolver' },
  ])
  expect(releasedKustomization(base, '')).toBe(base)
  expect(() => releasedKustomization('images: []', 'x')).toThrow('does not have both images')
})

test('pnpm release names prints the names, or says which are empty and fails', () => {
  const main = join(import.meta.dirname, 'main.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'names'], { encoding: 'utf8' })
  const names = readReleaseNames()
  const empty = Object.entries(names).flatMap(([name, value]) => (value === '' ? [name] : []))
  const failed = [1, '', `Set ${empty.join(', ')} in deploy/release/names.json before a release.\n`]
  expect([status, stdout, stderr]).toEqual(empty.length > 0 ? failed : [0, `${JSON.stringify(names)}\n`, ''])
})
