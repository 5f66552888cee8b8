import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { releasedInstaller, releasedKustomization } from './manifests.ts'
import { notesOf } from './notes.ts'
import { readDebianPackages } from './sbom.ts'

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

test('releasedInstaller sets the image and the version of install.sh', () => {
  const installer = readFileSync(join(import.meta.dirname, '../install.sh'), 'utf8')
  const released = releasedInstaller(installer, { image: 'registry.example.com/probity', version: '0.1.0' })
  expect(released).toContain('\nIMAGE=registry.example.com/probity\nVERSION=0.1.0\n')
  expect(() => releasedInstaller('#!/bin/sh\n', { image: 'x', version: '1' })).toThrow('no lines IMAGE= and VERSION=')
})

test('releasedKustomization names the images of the release, and none in a clone', () => {
  const base = readFileSync(join(import.meta.dirname, '../kubernetes/base/kustomization.yaml'), 'utf8')
  const { images } = parse(releasedKustomization(base, 'registry.example.com/probity')) as { images: object[] }
  expect(images).toMatchObject([
    { name: 'probity', newName: 'registry.example.com/probity' },
    { name: 'probity-resolver', newName: 'registry.example.com/probity-resolver' },
  ])
  expect(releasedKustomization(base, '')).toBe(base)
  expect(() => releasedKustomization('images: []', 'x')).toThrow('does not have both images')
})
