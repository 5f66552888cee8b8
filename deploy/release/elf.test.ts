import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listBinaries, machineOf } from './elf.ts'

function writeElf(path: string, machine: number): void {
  const header = Buffer.alloc(64)
  header.writeUInt32BE(0x7f454c46, 0)
  header[4] = 2 // 64 bit
  header[5] = 1 // little endian
  header.writeUInt16LE(machine, 18)
  writeFileSync(path, header)
}

test('listBinaries finds ELF files in all folders and names their processor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'probity-elf-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'usr/bin'), { recursive: true })
  writeElf(join(folder, 'usr/bin/node'), 183)
  writeElf(join(folder, 'addon.node'), 62)
  writeElf(join(folder, 'other'), 243)
  writeFileSync(join(folder, 'script.sh'), '#!/bin/sh\necho a script that is longer than the header\n')
  writeFileSync(join(folder, 'short'), 'ELF')
  symlinkSync('/bin/sh', join(folder, 'link'))
  const found = listBinaries(folder).map(({ path, machine }) => `${path.slice(folder.length + 1)} ${machine}`)
  expect(found.toSorted()).toEqual(['addon.node amd64', 'other machine 243', 'usr/bin/node arm64'])
})

test.runIf(process.arch === 'x64' || process.arch === 'arm64')('machineOf reads the running Node', () => {
  expect(machineOf(process.execPath)).toBe(process.arch === 'x64' ? 'amd64' : 'arm64')
})
