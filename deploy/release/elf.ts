import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** e_machine in the header of an ELF file. */
const MACHINES: Record<number, string> = { 62: 'amd64', 183: 'arm64' }
const HEADER_BYTES = 20

export type Binary = { path: string; machine: string }

/** All ELF files below a folder with the processor that they are for. Symbolic links are not followed. */
export function listBinaries(folder: string): Binary[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name)
      const machine = machineOf(path)
      return machine === undefined ? [] : [{ path, machine }]
    })
}

/** Undefined if the file is no ELF file. */
export function machineOf(path: string): string | undefined {
  const header = Buffer.alloc(HEADER_BYTES)
  const file = openSync(path, 'r')
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return undefined
  } finally {
    closeSync(file)
  }
  if (header.readUInt32BE(0) !== 0x7f454c46) return undefined
  const isLittleEndian = header[5] === 1
  const number = isLittleEndian ? header.readUInt16LE(18) : header.readUInt16BE(18)
  return MACHINES[number] ?? `machine ${number}`
}
